import FaceCore
import FacePipeline
import Foundation
import Imaging
import Profiling
import TestSupport

/// A clip that MediaPipe 0.10.21 saw in video mode: crops of a golden image, and black frames.
struct GoldenClip: Decodable {
  struct Options: Decodable {
    var num_faces: Int
    var min_tracking_confidence: Double
  }
  struct Frame: Decodable {
    var timestamp_ms: Int64
    var crop_xy: [Int]?
    var detector_ran: Bool
    var detections: [GoldenFaces.Detection]
    var face_rects_next_frame: [GoldenFaces.Rectangle]
    var landmarks: [[[Float]]]
    var blendshapes: [[Float]]
    var matrixes_rowmajor: [[[Float]]]

    var faces: [GoldenFace] {
      GoldenFace.all(landmarks, blendshapes, matrixes_rowmajor)
    }
  }

  var image: String
  var crop: [Int]
  var options: Options
  var frames: [Frame]

  static let names = [
    "video_1face_ts0", "video_1face_ts100", "video_2faces", "video_3faces", "video_5faces_tc09",
  ]

  init(_ name: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(Shared.golden("\(name).json")))
  }

  /// The pixels of each frame.
  func images() throws -> [PixelBuffer] {
    let base = try GoldenCase.image(String(image.dropLast(4)))
    return frames.map { frame in
      let black = PixelBuffer(width: crop[0], height: crop[1])
      guard let position = frame.crop_xy else { return black }
      return base.cropped(x: position[0], y: position[1], width: crop[0], height: crop[1]) ?? black
    }
  }

  /// The options that the clip was made with.
  var landmarkerOptions: FaceLandmarkerOptions {
    var options = FaceLandmarkerOptions.everything
    options.runningMode = .video
    options.numFaces = self.options.num_faces
    options.minTrackingConfidence = self.options.min_tracking_confidence
    return options
  }
}

/// What MediaPipe gave out for one face.
struct GoldenFace {
  var landmarks: [SIMD3<Float>]
  var blendshapes: [Float]
  var matrix: [Float]

  static func all(
    _ landmarks: [[[Float]]], _ blendshapes: [[Float]], _ matrices: [[[Float]]]
  ) -> [GoldenFace] {
    zip(zip(landmarks, blendshapes), matrices).map {
      GoldenFace(
        landmarks: $0.0.map { SIMD3($0) }, blendshapes: $0.1, matrix: $1.flatMap(\.self))
    }
  }
}

/// The largest differences between faces and the golden ones, in the order of both.
struct FaceDeviation: CustomStringConvertible {
  var xy: Float = 0
  var z: Float = 0
  var blendshape: Float = 0
  var matrix: Float = 0

  /// A missing face, number or pose is infinitely far away.
  init(_ faces: [LandmarkedFace], _ golden: [GoldenFace]) {
    add(faces, golden)
  }

  mutating func add(_ faces: [LandmarkedFace], _ golden: [GoldenFace]) {
    if faces.count != golden.count { xy = .infinity }
    for (face, expected) in zip(faces, golden) {
      if face.landmarks.count != expected.landmarks.count { xy = .infinity }
      for (point, other) in zip(face.landmarks, expected.landmarks) {
        let offset = point - other
        xy = max(xy, abs(offset.x), abs(offset.y))
        z = max(z, abs(offset.z))
      }
      blendshape = max(blendshape, Self.worst(face.blendshapes ?? [], expected.blendshapes))
      matrix = max(matrix, face.pose?.difference(expected.matrix) ?? .infinity)
    }
  }

  static func worst(_ values: [Float], _ expected: [Float]) -> Float {
    guard values.count == expected.count else { return .infinity }
    return zip(values, expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  func isWithin(xy: Float, z: Float, blendshape: Float, matrix: Float) -> Bool {
    self.xy <= xy && self.z <= z && self.blendshape <= blendshape && self.matrix <= matrix
  }

  var description: String {
    "x, y \(xy), z \(z), blendshapes \(blendshape), matrix \(matrix)"
  }
}

extension FaceLandmarkerOptions {
  /// Up to five faces with expression and pose, in image mode.
  static var everything: FaceLandmarkerOptions {
    var options = FaceLandmarkerOptions()
    options.numFaces = 5
    options.outputFaceBlendshapes = true
    options.outputFacialTransformationMatrixes = true
    return options
  }
}

extension FaceLandmarker {
  func faces(in image: PixelBuffer, rotationDegrees: Int = 0) throws -> FaceLandmarkerResult {
    var timer = StageTimer(stages: PipelineStage.names)
    return try detect(image, rotationDegrees: rotationDegrees, timer: &timer)
  }

  func faces(in image: PixelBuffer, milliseconds: Int64) throws -> FaceLandmarkerResult {
    var timer = StageTimer(stages: PipelineStage.names)
    return try detect(
      image, timestampMicroseconds: milliseconds * 1000, timer: &timer)
  }
}

extension PixelBuffer {
  /// A part of the image; nil where it does not lie inside.
  func cropped(x: Int, y: Int, width: Int, height: Int) -> PixelBuffer? {
    guard x >= 0, y >= 0, x + width <= self.width, y + height <= self.height else { return nil }
    var part: [UInt8] = []
    for row in y..<y + height {
      let start = (row * self.width + x) * 3
      part += bytes[start..<start + width * 3]
    }
    return PixelBuffer(width: width, height: height, bytes: part)
  }

  /// The image turned counter-clockwise by a number of quarter turns.
  func turned(quarters: Int) -> PixelBuffer {
    var image = self
    for _ in 0..<quarters {
      let (columns, rows) = (image.height, image.width)
      var bytes: [UInt8] = []
      for y in 0..<rows {
        for x in 0..<columns {
          let color = image[rows - 1 - y, x]
          bytes += [color.red, color.green, color.blue]
        }
      }
      image = PixelBuffer(width: columns, height: rows, bytes: bytes) ?? image
    }
    return image
  }
}
