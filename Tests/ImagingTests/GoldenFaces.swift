import FaceCore
import Foundation
import Imaging
import TestSupport

/// MediaPipe's results on the golden images, as predictions.
enum GoldenFaces {
  static let names = ["2008_002506", "2009_004587", "Tom_Cruise_avp_2014_4"]

  private struct File: Decodable {
    struct Landmarker: Decodable {
      struct Score: Decodable { let score: Float }
      let face_landmarks: [[[Float]]]
      let face_blendshapes: [[Score]]
      let facial_transformation_matrixes_rowmajor: [[[Float]]]
    }
    struct Internals: Decodable {
      struct Detection: Decodable {
        let score: [Double]
        let keypoints: [[Double]]
        let pixel_bbox_xywh: [Double]
      }
      struct Rect: Decodable { let x_center, y_center, width, height, rotation: Float }
      let detections_iou0_5: [Detection]
      let face_rects: [Rect]
    }
    let face_landmarker: Landmarker
    let internals_landmarker: Internals
  }

  static func load(_ name: String) throws -> (FramePrediction, PixelBuffer) {
    let image = try PixelBuffer.decoding(try Shared.golden("\(name).png"))
    let file = try JSONDecoder().decode(File.self, from: Data(Shared.golden("\(name).json")))
    let (width, height) = (Float(image.width), Float(image.height))
    let found = file.face_landmarker
    let faces = found.face_landmarks.indices.map { index in
      let rect = file.internals_landmarker.face_rects[index]
      return FacePrediction(
        region: NormalizedRect(
          xCenter: rect.x_center, yCenter: rect.y_center, width: 1.5 * rect.width,
          height: 1.5 * rect.height, rotation: rect.rotation),
        isTracked: false, detectionScore: nil, presence: 1, scheme: .mediapipe478,
        points: found.face_landmarks[index].map {
          SIMD3($0[0] * width, $0[1] * height, $0[2] * width)
        },
        blendshapes: found.face_blendshapes[index].map(\.score),
        pose: HeadPose(
          matrix: SIMD16(found.facial_transformation_matrixes_rowmajor[index].flatMap { $0 })))
    }
    let detections = file.internals_landmarker.detections_iou0_5.map { found in
      let box = found.pixel_bbox_xywh
      return FaceDetection(
        box: BoundingBox(x: box[0], y: box[1], width: box[2], height: box[3]),
        score: found.score[0],
        keypoints: found.keypoints.map {
          Point(x: $0[0] * Double(width), y: $0[1] * Double(height))
        })
    }
    let prediction = FramePrediction(
      frame: 0, size: image.size, stageNanoseconds: [], detections: detections, candidates: [],
      faces: faces)
    return (prediction, image)
  }
}
