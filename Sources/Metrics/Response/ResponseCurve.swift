/// The mean prediction of a coefficient at levels of its own label, all else held.
package struct ResponseCurve: Sendable, Hashable {
  /// The mean label of each level, rising, and the prediction there.
  package let labels: [Double], predictions: [Double]
  /// How many faces each level has.
  package let faces: [Int]

  /// A level with fewer faces is left out.
  package static let minFaces = 3
  /// A prediction that rises by less has no shape.
  package static let minRise = 0.05

  /// The rise from the first level to the last; nil with fewer than two levels.
  var rise: Double? {
    guard labels.count > 1, let first = predictions.first, let last = predictions.last else {
      return nil
    }
    return last - first
  }

  /// The rise over that of the label.
  var wholeGain: Double? {
    guard let rise, let first = labels.first, let last = labels.last, last > first else {
      return nil
    }
    return rise / (last - first)
  }

  /// Nil where the prediction hardly rises or a shape needs more levels.
  private var height: Double? {
    rise.flatMap { labels.count > 2 && $0.magnitude >= Self.minRise ? $0 : nil }
  }

  /// The largest distance from the least-squares line through the levels, over the rise; 0 for a straight one.
  var nonlinearity: Double? {
    guard let height else { return nil }
    let n = Double(labels.count)
    let (x, y) = (labels.reduce(0, +) / n, predictions.reduce(0, +) / n)
    let products = zip(labels, predictions).reduce(0.0) { $0 + ($1.0 - x) * ($1.1 - y) }
    let slope = products / labels.reduce(0.0) { $0 + ($1 - x) * ($1 - x) }
    let distances = zip(labels, predictions).map { ($1 - y - slope * ($0 - x)).magnitude }
    return (distances.max() ?? 0) / height.magnitude
  }

  /// Up to which label less than a tenth of the rise is done; .1 for a straight line from 0 to 1.
  var deadZone: Double? {
    guard let shares else { return nil }
    let index = shares.indices.dropFirst().first { shares[$0] >= 0.1 } ?? 1
    return crossing(of: 0.1, in: shares, before: index)
  }

  /// From which label on more than nine tenths of the rise are done; .9 for a straight line from 0 to 1.
  var saturation: Double? {
    guard let shares else { return nil }
    let index = (shares.indices.last { shares[$0] < 0.9 } ?? 0) + 1
    return crossing(of: 0.9, in: shares, before: index)
  }

  /// What is done of the rise at each level; the first is 0, the last 1.
  private var shares: [Double]? {
    guard let height else { return nil }
    return predictions.map { ($0 - predictions[0]) / height }
  }

  /// Where a straight line from the level before `index` to that level reaches a share.
  private func crossing(of share: Double, in shares: [Double], before index: Int) -> Double {
    let (low, high) = (shares[index - 1], shares[index])
    let part = high > low ? min(1, max(0, (share - low) / (high - low))) : 1
    return labels[index - 1] + part * (labels[index] - labels[index - 1])
  }
}
