internal import FaceCore

/// Frames whose only label and only prediction have coefficients and no place: a face is told from others by how it moves.
struct CoefficientFrames {
  private let labelled: [[Float]]
  private let given: [[Float]]

  /// Fewest frames, and moving coefficients, whose agreement says something.
  private static let fewest = (frames: 100, channels: 6)
  /// Variance of a coefficient that moves.
  private static let variance = 1e-3

  /// The coefficients of a side of some frames, with those of the other side of others, frame by frame.
  init(_ frames: [JoinedFrame], predictions others: [JoinedFrame]) {
    let pairs = zip(frames, others).compactMap { frame, other -> ([Float], [Float])? in
      guard frame.labels.count == 1, other.prediction.faces.count == 1,
        let known = frame.labels[0].blendshapes, let own = other.prediction.faces[0].blendshapes,
        known.count == own.count
      else { return nil }
      return (known, own)
    }
    (labelled, given) = (pairs.map(\.0), pairs.map(\.1))
  }

  var count: Int { labelled.count }

  /// The mean correlation of labels that move with their predictions `step` frames later, the first after the last; nil of few.
  func agreement(_ step: Int = 0) -> Double? { Self.mean(labelled, given, step) }

  /// The same of labels with labels.
  func likeness(_ step: Int) -> Double? { Self.mean(labelled, labelled, step) }

  private static func mean(_ known: [[Float]], _ others: [[Float]], _ step: Int) -> Double? {
    guard known.count >= fewest.frames else { return nil }
    let rows = known.indices.map { place in
      CoefficientPairs.Row(
        frame: place, labelled: known[place], given: others[(place + step) % others.count])
    }
    let own = Array(Blendshape.allCases.indices)
    let found = CoefficientPairs(rows).correlations(own, variance: variance)
    return found.flatMap { $0.count >= fewest.channels ? $0.after : nil }
  }
}
