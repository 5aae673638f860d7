internal import FaceCore

extension ModelDescription {
  /// The model from landmarks to expression coefficients.
  package static let faceBlendshapes = ModelDescription(
    name: "face-blendshapes", stage: .blendshapes,
    summary: "Expression from 146 landmarks: 52 coefficients",
    isOptional: true,
    locations: [
      Location(
        file: .faceLandmarkerTask, member: "face_blendshapes.tflite",
        sha256: "4f36dded049db18d76048567439b2a7f58f1daabc00d78bfe8f3ad396a2d2082")
    ])
}
