import FaceCore
import FacePipeline
import Foundation
import Imaging
import TestSupport

/// The output of MediaPipe 0.10.21 for one image, and the image.
struct GoldenCase: Decodable {
  struct Rectangle: Decodable {
    var x_center, y_center, width, height: Float
  }
  struct Found: Decodable {
    var score: [Float]
    var keypoints: [[Float]]
  }
  struct Landmarker: Decodable {
    var detections_iou0_5: [Found]
    var face_rects: [Rectangle]
  }
  struct Detector: Decodable {
    var detections: [Found]
    var face_rects: [Rectangle]
  }
  struct PublicFace: Decodable {
    var score: Float
    var bbox: [Int]
    var keypoints: [[Float]]
  }

  var internals_landmarker: Landmarker
  var internals_detector_iou0_3: Detector
  var publicFaces: [PublicFace]

  enum CodingKeys: String, CodingKey {
    case internals_landmarker, internals_detector_iou0_3
    case publicFaces = "face_detector_task_iou0.3"
  }

  static let names = ["2008_002506", "2008_007676", "2009_004587", "Tom_Cruise_avp_2014_4"]

  init(_ name: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(Shared.golden("\(name).json")))
  }

  static func image(_ name: String) throws -> PixelBuffer {
    let bytes = try Shared.golden("\(name).png")
    return try PixelBuffer(decoding: bytes[...])
  }

  /// The faces with the landmarker's overlap of 0.5.
  var landmarkerFaces: [ExpectedFace] {
    zip(internals_landmarker.detections_iou0_5, internals_landmarker.face_rects)
      .map(ExpectedFace.init)
  }

  /// The faces with the stand-alone detector's overlap of 0.3.
  var detectorFaces: [ExpectedFace] {
    zip(internals_detector_iou0_3.detections, internals_detector_iou0_3.face_rects)
      .map(ExpectedFace.init)
  }
}

/// A face of a golden file, normalised by the image.
struct ExpectedFace {
  var score: Float
  /// Centre, then width and height.
  var box: [Float]
  var keypoints: [[Float]]

  init(_ found: GoldenCase.Found, _ rectangle: GoldenCase.Rectangle) {
    score = found.score[0]
    box = [rectangle.x_center, rectangle.y_center, rectangle.width, rectangle.height]
    keypoints = found.keypoints
  }

  init(score: Float, cornerBox b: [Float], keypoints: [[Float]]) {
    self.score = score
    box = [b[0] + b[2] / 2, b[1] + b[3] / 2, b[2], b[3]]
    self.keypoints = keypoints
  }
}

/// The largest difference between faces and the expected ones, in the order of both.
struct Deviation: CustomStringConvertible {
  var score: Float = 0
  var box: Float = 0
  var keypoint: Float = 0

  init(_ faces: [NormalizedDetection], _ expected: [ExpectedFace]) {
    for (face, wanted) in zip(faces, expected) {
      score = max(score, abs(face.score - wanted.score))
      let found = [
        face.xmin + face.width / 2, face.ymin + face.height / 2, face.width, face.height,
      ]
      for (a, b) in zip(found, wanted.box) { box = max(box, abs(a - b)) }
      for (point, other) in zip(face.keypoints, wanted.keypoints) {
        keypoint = max(keypoint, abs(point.x - other[0]), abs(point.y - other[1]))
      }
    }
  }

  func isWithin(_ limit: Float) -> Bool {
    score <= limit && box <= limit && keypoint <= limit
  }

  var description: String { "score \(score), box \(box), keypoint \(keypoint)" }
}

extension FaceDetector {
  /// Faces of an image, normalised by it.
  func faces(
    in image: PixelBuffer, threshold: Double, overlap: Double
  ) throws -> [NormalizedDetection] {
    let projection = try prepare(image)
    infer()
    return decoder.normalizedDetections(
      from: candidates(floor: 0.01), projection: projection, threshold: threshold,
      overlap: overlap)
  }
}
