package import FaceCore

/// How much of a coefficient's response comes from the label of the other side of the face.
package enum SideCrosstalk {
  /// The coefficients that come for a left and a right side.
  ///
  /// `jawLeft`, `mouthLeft` and their opposites are directions, not sides, and are no pairs.
  package static let pairs: [(left: Blendshape, right: Blendshape)] =
    Blendshape.allCases.compactMap { left in
      guard left.rawValue.hasSuffix("Left"), left != .jawLeft, left != .mouthLeft else {
        return nil
      }
      return Blendshape(rawValue: left.rawValue.dropLast(4) + "Right").map { (left, $0) }
    }

  /// |b| / (|a| + |b|) of the least squares p = a·own + b·other + c, in [0, 1].
  ///
  /// Nil where the labels of the sides do not vary apart (1 − r² < 1e-6) or the prediction responds to
  /// neither. All lists have as many finite numbers.
  package static func share(predicted: [Double], own: [Double], other: [Double]) -> Double? {
    let n = Double(predicted.count)
    guard n > 0, own.count == predicted.count, other.count == predicted.count else { return nil }
    func mean(_ values: [Double]) -> Double { values.reduce(0, +) / n }
    let centers = (mean(predicted), mean(own), mean(other))
    var (pp, px, py, xx, yy, xy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for index in predicted.indices {
      let (p, x) = (predicted[index] - centers.0, own[index] - centers.1)
      let y = other[index] - centers.2
      pp += p * p
      px += p * x
      py += p * y
      xx += x * x
      yy += y * y
      xy += x * y
    }
    let determinant = xx * yy - xy * xy
    guard determinant > 1e-6 * xx * yy, xx > 1e-6 * n, yy > 1e-6 * n, pp > 1e-12 * n
    else { return nil }
    let (a, b) = ((px * yy - py * xy) / determinant, (py * xx - px * xy) / determinant)
    guard abs(a) + abs(b) > 1e-9 else { return nil }
    return abs(b) / (abs(a) + abs(b))
  }
}
