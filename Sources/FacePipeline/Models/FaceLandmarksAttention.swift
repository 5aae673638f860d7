internal import FaceCore

extension ModelDescription {
  /// The landmark model of MediaPipe's legacy Face Mesh with refined lips, eyes and irises.
  package static let faceLandmarksAttention = ModelDescription(
    name: "face-landmarks-attention", stage: .landmarks,
    summary: "Face mesh with attention: 192x192 input, 478 points",
    locations: [
      Location(file: .attentionLandmarks, member: nil, sha256: ModelFile.attentionLandmarks.sha256)
    ])
}
