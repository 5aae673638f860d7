import Checking
import FaceCore
import Foundation

/// Frames at 30 fps with labels and predictions that a test makes.
enum MadeRecording {
  static func box(_ place: Int, frame: Int = 0) -> BoundingBox {
    BoundingBox(x: 20.25 + 150 * Double(place) + Double(frame), y: 30.5, width: 90.5, height: 101.5)
  }

  /// Coefficients of a face that moves; the same number gives the same ones.
  static func coefficients(_ number: Int) -> [Float] {
    (0..<52).map { channel in
      channel == 0 ? .nan : Float(0.5 + 0.4 * sin(Double(number) * 0.13 + Double(channel)))
    }
  }

  static func label(
    _ box: BoundingBox, identity: Int? = nil, coefficients: [Float]? = nil
  ) -> FaceLabel {
    var label = FaceLabel(box: box, identity: identity)
    label.blendshapes = coefficients
    return label
  }

  static func face(
    _ box: BoundingBox?, identity: Int? = nil, coefficients: [Float]? = nil,
    scheme: LandmarkScheme? = nil, points: [SIMD3<Float>] = []
  ) -> FacePrediction {
    FacePrediction(
      region: nil, isTracked: false, detectionScore: nil, presence: nil, scheme: scheme,
      points: points, ownBox: box, identity: identity, blendshapes: coefficients)
  }

  static func frame(
    _ index: Int, sequence: Int = 0, isVideo: Bool = true, labels: [FaceLabel] = [],
    faces: [FacePrediction] = [], others: [FaceLabel] = []
  ) -> JoinedFrame {
    let size = ImageSize(width: 640, height: 480)
    return JoinedFrame(
      frame: Frame(
        index: index, name: "\(index)", sequence: sequence,
        timestampMicroseconds: isVideo ? Int64(index) * 33_333 : 0, size: size),
      isVideo: isVideo, labels: labels,
      prediction: FramePrediction(
        frame: index, size: size, stageNanoseconds: [nil], detections: [], candidates: [],
        faces: faces), others: others)
  }

  static func sample(
    _ frames: [JoinedFrame], format: String? = "livelink", scheme: LandmarkScheme? = nil,
    isLabelled: Bool = true
  ) -> JoinedSample {
    JoinedSample(
      frames: frames, isWhole: true, format: format, scheme: scheme, hasScores: false,
      isLabelled: isLabelled)
  }
}
