internal import FaceCore

extension ModelDescription {
  /// The canonical face mesh and the weights that fit it to landmarks: numbers, not a model.
  package static let faceGeometryMetadata = ModelDescription(
    name: "face-geometry-metadata", stage: .geometry,
    summary: "Canonical face mesh for the head pose: 468 vertices in centimetres",
    isOptional: true,
    locations: [
      Location(
        file: .faceLandmarkerTask, member: "geometry_pipeline_metadata_landmarks.binarypb",
        sha256: "bdbcda96dfcb7da883da124aaa2c55dee49770d934f0fcc71747f8c21bdc75b4")
    ])
}
