internal import FaceCore

extension ModelDescription {
  /// The detector for faces up to about five metres away, with sparse weights.
  package static let blazeFaceFullRange = ModelDescription(
    name: "blazeface-full-range", stage: .detection,
    summary: "BlazeFace, full range: 192x192 input, 2304 anchors",
    locations: [
      Location(file: .fullRangeDetector, member: nil, sha256: ModelFile.fullRangeDetector.sha256)
    ])
}
