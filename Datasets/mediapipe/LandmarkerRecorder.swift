import Foundation
import MediaPipeTasksVision

/// Writes results of MediaPipe's Face Landmarker in an app as JSON that `facegauge import mediapipe` reads: one object a line.
///
/// Use it on one queue, for images or for the frames of one video, and call `finish()`.
final class LandmarkerRecorder {
  private let file: FileHandle
  private let encoder = JSONEncoder()
  private let videoName: String?
  private var count = 0

  /// Starts a file of the results of images, each of which is named.
  convenience init(imagesTo url: URL) throws {
    try self.init(url, Header(kind: "still", name: url.deletingPathExtension().lastPathComponent))
  }

  /// Starts a file of the results of a video, which has the name of its file.
  convenience init(videoTo url: URL, name: String, framesPerSecond: Double) throws {
    try self.init(url, Header(kind: "video", name: name, fps: framesPerSecond))
  }

  private init(_ url: URL, _ header: Header) throws {
    try Data().write(to: url)
    file = try FileHandle(forWritingTo: url)
    videoName = header.kind == "video" ? header.name : nil
    try write(header)
  }

  /// Closes the file.
  func finish() throws { try file.close() }

  /// Times a call of the landmarker and writes its result.
  ///
  /// An image has a name, the one that it has among the dataset's images; a frame of a video has a time.
  @discardableResult
  func record(
    _ image: MPImage, name: String? = nil, milliseconds: Int? = nil,
    detect: (MPImage) throws -> FaceLandmarkerResult
  ) throws -> FaceLandmarkerResult {
    let begin = DispatchTime.now().uptimeNanoseconds
    let result = try detect(image)
    let took = DispatchTime.now().uptimeNanoseconds - begin
    try write(
      result, name: name, milliseconds: milliseconds, width: Int(image.width),
      height: Int(image.height), nanoseconds: took)
    return result
  }

  /// Writes a result, such as one of a live stream, of which the size of the image is told.
  func write(
    _ result: FaceLandmarkerResult, name: String? = nil, milliseconds: Int? = nil, width: Int,
    height: Int, nanoseconds: UInt64? = nil
  ) throws {
    let faces = result.faceLandmarks.enumerated().map { index, points in
      Face(
        landmarks: points.map { [$0.x, $0.y, $0.z] },
        blendshapes: index < result.faceBlendshapes.count
          ? Dictionary(
            result.faceBlendshapes[index].categories.map { ($0.categoryName ?? "", $0.score) },
            uniquingKeysWith: { $1 }) : nil,
        matrix: index < result.facialTransformationMatrixes.count
          ? Self.rows(of: result.facialTransformationMatrixes[index]) : nil)
    }
    try write(
      Line(
        name: name ?? "\(videoName ?? "image")/\(count)", number: count, timestamp_ms: milliseconds,
        width: width, height: height, latency_ns: nanoseconds, faces: faces))
    count += 1
  }

  /// The matrix by rows. On iOS its numbers are by columns, and `value(atRow:column:)` gives the transposed one.
  private static func rows(of matrix: TransformMatrix) -> [[Float]] {
    let numbers = (0..<16).map { matrix.data[$0] }
    let isByColumns = [3, 7, 11].allSatisfy { numbers[$0] == 0 }
    return (0..<4).map { row in
      (0..<4).map { numbers[isByColumns ? 4 * $0 + row : 4 * row + $0] }
    }
  }

  private func write(_ line: some Encodable) throws {
    try file.write(contentsOf: encoder.encode(line) + Data([0x0A]))
  }

  private struct Header: Encodable {
    var schema = "facegauge.mediapipe"
    var version = 1
    var kind: String
    var name: String
    var fps: Double?
  }

  private struct Line: Encodable {
    var name: String
    var number: Int
    var timestamp_ms: Int?
    var width: Int
    var height: Int
    var latency_ns: UInt64?
    var faces: [Face]
  }

  private struct Face: Encodable {
    var landmarks: [[Float]]
    var blendshapes: [String: Float]?
    var matrix: [[Float]]?
  }
}
