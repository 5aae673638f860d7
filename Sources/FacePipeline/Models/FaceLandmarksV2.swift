internal import FaceCore

extension ModelDescription {
  /// The landmark model of MediaPipe's Face Landmarker.
  package static let faceLandmarksV2 = ModelDescription(
    name: "face-landmarks-v2", stage: .landmarks,
    summary: "Face mesh with irises, second version: 256x256 input, 478 points",
    isOptional: true,
    locations: [
      Location(
        file: .faceLandmarkerTask, member: "face_landmarks_detector.tflite",
        sha256: "c7d54204ce0448474c7f3fa9af494787c0965cbdd6f20fc72867e43046bd43d5")
    ])
}
