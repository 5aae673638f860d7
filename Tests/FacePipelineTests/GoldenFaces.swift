import FaceCore
import FacePipeline
import Foundation
import TestSupport

/// What MediaPipe 0.10.21 made of the regions of one image: between detector, landmark model and pose.
struct GoldenFaces: Decodable {
  struct Image: Decodable {
    var width, height: Int
  }
  struct Rectangle: Decodable {
    var x_center, y_center, width, height, rotation: Float

    var region: NormalizedRect {
      NormalizedRect(
        xCenter: x_center, yCenter: y_center, width: width, height: height, rotation: rotation)
    }
  }
  struct Detection: Decodable {
    var score: [Float]
    var keypoints: [[Float]]
  }
  struct Internals: Decodable {
    var detections_iou0_5: [Detection]
    var face_rects: [Rectangle]
    var face_rects_next_frame: [Rectangle]
  }
  struct Results: Decodable {
    var face_landmarks: [[[Float]]]
    var facial_transformation_matrixes_rowmajor: [[[Float]]]
  }
  /// One region that the landmark model looked at.
  struct Look {
    var region: NormalizedRect
    var presenceLogit: Float
    var raw: [Float]
  }

  private enum TensorEntry: Decodable {
    case number(Float)
    case region(Rectangle)
    case file

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Float.self) {
        self = .number(number)
      } else if let rectangle = try? container.decode(Rectangle.self) {
        self = .region(rectangle)
      } else {
        self = .file
      }
    }
  }
  private enum CodingKeys: String, CodingKey {
    case image, internals_landmarker, face_landmarker, tensors
  }

  var size: ImageSize
  var internals: Internals
  var results: Results
  private var tensors: [String: TensorEntry]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let image = try container.decode(Image.self, forKey: .image)
    size = ImageSize(width: image.width, height: image.height)
    internals = try container.decode(Internals.self, forKey: .internals_landmarker)
    results = try container.decode(Results.self, forKey: .face_landmarker)
    tensors = try container.decode([String: TensorEntry].self, forKey: .tensors)
  }

  init(_ name: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(Shared.golden("\(name).json")))
  }

  /// The regions in the order of the detections, with the model's output for them.
  func looks(_ name: String) throws -> [Look] {
    try internals.face_rects.indices.map { k in
      guard case .region(let roi)? = tensors["lm\(k)_roi"],
        case .number(let logit)? = tensors["lm\(k)_presence_logit"]
      else { throw CocoaError(.fileReadCorruptFile) }
      return Look(
        region: roi.region, presenceLogit: logit,
        raw: try Shared.goldenFloats("\(name).lm\(k)_landmarks_478x3.f32"))
    }
  }

  /// The landmarks of the faces that were given out.
  var landmarks: [[SIMD3<Float>]] { results.face_landmarks.map { $0.map(SIMD3.init) } }
  /// Their matrices by rows.
  var matrices: [[Float]] {
    results.facial_transformation_matrixes_rowmajor.map { $0.flatMap(\.self) }
  }
}

extension NormalizedRect {
  /// The largest difference in any of the five numbers.
  func difference(_ other: NormalizedRect) -> Float {
    max(
      abs(xCenter - other.xCenter), abs(yCenter - other.yCenter), abs(width - other.width),
      abs(height - other.height), abs(rotation - other.rotation))
  }
}

extension [SIMD3<Float>] {
  /// The largest difference in any coordinate; infinite for another number of points.
  func difference(_ other: [SIMD3<Float>]) -> Float {
    guard count == other.count else { return .infinity }
    return zip(self, other).reduce(0) { worst, pair in
      let offset = pair.0 - pair.1
      return Swift.max(worst, abs(offset.x), abs(offset.y), abs(offset.z))
    }
  }
}

extension HeadPose {
  /// The largest difference to a matrix by rows.
  func difference(_ rows: [Float]) -> Float {
    rows.count == 16 ? rows.indices.reduce(0) { max($0, abs(matrix[$1] - rows[$1])) } : .infinity
  }
}
