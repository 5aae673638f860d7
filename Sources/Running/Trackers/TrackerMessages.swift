internal import FaceCore
internal import Foundation
internal import Platform
package import Records

/// The first line of a tracker: what it is, and what it takes.
package struct TrackerHello: Codable, Sendable, Equatable {
  /// The name that `protocol` must hold.
  static let protocolName = "facegauge.tracker"
  /// The versions that this program takes; it speaks the newest itself.
  static let protocolVersions = 1...2

  /// How a frame may come.
  package enum Input: String, Codable, Sendable, CaseIterable {
    /// As a position in a dataset file that the tracker opens itself.
    case dataset
    /// As the bytes of the image file, after the line; since version 2.
    case image
    /// As bytes after the line: red, green, blue of each pixel, rows from the top.
    case rgb
  }

  var `protocol` = Self.protocolName
  var version = Self.protocolVersions.upperBound
  /// Name and version, for people.
  package var name: String
  /// How frames may come, the preferred way first.
  package var inputs: [Input]
  /// The stages that it times itself; none where it leaves timing to the caller.
  var stages: [String]?
  /// The scheme of its points; nil where it gives none.
  var scheme: String?
  package var models: [Record.Model]?
  /// The settings that it runs with, by name.
  package var options: [String: String]?
  /// Facts of the device that it runs on, by name; since version 2.
  var device: [String: String]?
  /// Names of the numbers of the device that its answers have, such as its temperature; since version 2.
  var readings: [String]?
  /// Whether it can be started again, or connects again, without a person; left out, a command can and a connection cannot.
  var restarts: Bool?
  /// What it provides in addition to faces, of `PredictionsHeader.Fact`; omitted if answers show
  /// it.
  var facts: [String]?
  /// Lowest score of its candidates; given by our own pipeline alone, whose settings are in `options`.
  var candidateFloor: Double?

  enum CodingKeys: String, CodingKey {
    case `protocol`, version, name, inputs, stages, scheme, models, options, device, readings
    case restarts
    case facts
    case candidateFloor = "candidate_floor"
  }

  /// Whether it tells the time: it answers `TrackerSync`, and its answers say when requests came.
  var tellsTime: Bool { version > 1 }

  /// Whether it is our own pipeline, all of whose settings are known.
  var isPipeline: Bool { candidateFloor != nil && models?.isEmpty == false }
}

/// One frame for a tracker.
struct TrackerRequest: Codable, Sendable {
  /// The frame's position in its dataset; answers repeat it.
  var frame: Int
  /// Whether what was seen before is of no more use: the first frame of a sequence.
  var reset: Bool
  /// Whether it is a frame of a video.
  var video: Bool
  /// Time within the sequence.
  var timestampMicroseconds: Int64
  var width: Int
  var height: Int
  /// The dataset file, where the frame comes that way.
  var dataset: String?
  /// How many bytes follow the line, where the frame comes that way.
  var rgbBytes: Int?
  /// How many bytes of the image file follow the line, where the frame comes that way.
  var imageBytes: Int?
  /// Whether only times are wanted.
  var timesOnly: Bool?

  enum CodingKeys: String, CodingKey {
    case frame, reset, video, width, height, dataset
    case imageBytes = "image_bytes"
    case timestampMicroseconds = "timestamp_us"
    case rgbBytes = "rgb_bytes"
    case timesOnly = "times_only"
  }
}

/// A question for a tracker's clock, and its answer.
struct TrackerSync: Codable, Sendable {
  /// The number of the question; the answer repeats it.
  var sync: Int
  /// When the question came, by the tracker's clock.
  var receivedNanoseconds: UInt64?
  /// When the answer left.
  var sentNanoseconds: UInt64?

  enum CodingKeys: String, CodingKey {
    case sync
    case receivedNanoseconds = "received_ns"
    case sentNanoseconds = "sent_ns"
  }
}

/// What a tracker says before its first line, for people.
struct TrackerNote: Codable, Sendable {
  var note: String
}

/// What a program that connects presents first, where the other end asks for it.
package struct TrackerToken: Codable, Sendable {
  var token: String

  /// The line with its end.
  func line() throws -> [UInt8] { Array(try JSONEncoder.line.text(of: self).utf8) }
}

/// A tracker's answer for one frame.
package struct TrackerAnswer: Codable, Sendable {
  /// One face; numbers that are not known are null.
  struct Face: Codable, Sendable {
    /// x, y, z of each point of the scheme in pixels, or x, y of each.
    var points: [Float?]?
    /// x, y, width, height in pixels.
    var box: [Double]?
    /// Probability that there is a face.
    var presence: Float?
    /// Confidence of the detection.
    var score: Float?
    var identity: Int?
    /// Coefficients by the names of `Blendshape`.
    var blendshapes: [String: Float]?
    /// Other numbers by name; null for one that is not known.
    var attributes: [String: Double?]?
    /// The head's pose: a 4 by 4 matrix by rows.
    var transform: [Float]?
    /// Whether the face was found from the frame before, without the detector.
    var tracked: Bool?
    /// The points before smoothing, as `points`; left out where they are the same.
    var unsmoothed: [Float?]?
    /// Whether each point is hidden; null where it is not known.
    var hidden: [Bool?]?
    /// Centre x, centre y, width and height of the region that was read, in fractions of the image, and its rotation.
    var region: [Float]?
    /// Probability that the tongue is out.
    var tongueOut: Float?

    enum CodingKeys: String, CodingKey {
      case points, box, presence, score, identity, blendshapes, attributes, transform, tracked
      case unsmoothed
      case hidden, region
      case tongueOut = "tongue_out"
    }
  }

  /// The output of the tracker's own detector, if that is more than the faces.
  struct Detection: Codable, Sendable {
    /// x, y, width, height in pixels.
    var box: [Double]
    var score: Double
    /// x, y of at most six points in pixels.
    var keypoints: [Double]?
  }

  /// One anchor's output before suppression.
  struct Candidate: Codable, Sendable {
    var anchor: Int
    var score: Float
    /// 16 numbers.
    var regressors: [Float]
  }

  var frame: Int
  /// Why the image could not be analysed; nil where it was.
  var error: String?
  /// Nanoseconds by stage; a stage that did not run is left out.
  package var nanoseconds: [String: UInt64]?
  /// Whether the detector ran in the frame; left out means that the tracker does not report it.
  var detectorRan: Bool?
  var faces: [Face]?
  /// Regions that were read and given up.
  var rejected: [Face]?
  var detections: [Detection]?
  var candidates: [Candidate]?
  /// Numbers of the device by name; null or left out where one is unknown.
  var readings: [String: Double?]?
  /// Width and height of the decoded image; left out where they are those of the request.
  var size: [Int]?
  /// When the whole request was there, by the tracker's clock; since version 2.
  var receivedNanoseconds: UInt64?
  /// When the answer was ready to leave.
  var finishedNanoseconds: UInt64?

  enum CodingKeys: String, CodingKey {
    case frame, error, faces, rejected, detections, candidates, readings, size
    case nanoseconds = "stages_ns"
    case detectorRan = "detector_ran"
    case receivedNanoseconds = "received_ns"
    case finishedNanoseconds = "finished_ns"
  }
}
