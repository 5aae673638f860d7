internal import FaceCore

extension ModelDescription {
  /// The detector of MediaPipe's Face Landmarker, for faces within about two metres.
  package static let blazeFaceShortRange = ModelDescription(
    name: "blazeface-short-range", stage: .detection,
    summary: "BlazeFace, short range: 128x128 input, 896 anchors",
    locations: [
      Location(
        file: .faceLandmarkerTask, member: "face_detector.tflite",
        sha256: "b4578f35940bf5a1a655214a1cce5cab13eba73c1297cd78e1a04c2380b0152f"),
      Location(
        file: .shortRangeDetector, member: nil, sha256: ModelFile.shortRangeDetector.sha256),
    ])
}
