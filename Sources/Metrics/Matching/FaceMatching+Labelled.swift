extension FaceMatching {
  /// The labels that count, in their order, each with the position of its prediction; nil where missed.
  var labelledFaces: [(label: Int, face: Int?)] {
    let found: [(label: Int, face: Int?)] = matches.map { ($0.label, $0.face) }
    return (found + missed.map { ($0, nil) }).sorted { $0.label < $1.label }
  }
}
