package import FaceCore

/// How alike two faces hold themselves: the shape of their points and their blendshapes.
package enum FaceSimilarity {
  /// Procrustes distance of two lists of as many points, in [0, 1]; 0 for the same shape.
  ///
  /// What is left of the squared distance after the best translation, scale and rotation, both shapes
  /// scaled to 1: 1 − (σ₁ + σ₂)² of AᵀB. With `reflecting` a mirror image is the same shape, as in
  /// `scipy.spatial.procrustes`; without, it is not. Nil for lists of unlike length, without extent,
  /// or with a point that is not finite.
  package static func procrustes(
    _ first: [Point], _ second: [Point], reflecting: Bool = false
  ) -> Double? {
    guard first.count == second.count, let a = standardized(first), let b = standardized(second)
    else { return nil }
    var (xx, xy, yx, yy) = (0.0, 0.0, 0.0, 0.0)
    for (p, q) in zip(a, b) {
      xx += p.x * q.x
      xy += p.x * q.y
      yx += p.y * q.x
      yy += p.y * q.y
    }
    let determinant = xx * yy - xy * yx
    let power = xx * xx + xy * xy + yx * yx + yy * yy
    let square = power + 2 * (reflecting ? abs(determinant) : determinant)
    return min(1, max(0, 1 - square))
  }

  /// Cosine of the angle between two faces' coefficients, `_neutral` out, in [-1, 1].
  ///
  /// Over those that both have; nil without any, or where all of either are 0.
  package static func blendshapeCosine(_ first: [Float], _ second: [Float]) -> Double? {
    let count = Blendshape.allCases.count
    guard first.count == count, second.count == count else { return nil }
    var (product, firstPower, secondPower) = (0.0, 0.0, 0.0)
    for blendshape in Blendshape.allCases where blendshape != .neutral {
      guard let x = first.given(blendshape), let y = second.given(blendshape) else { continue }
      product += x * y
      firstPower += x * x
      secondPower += y * y
    }
    let scale = firstPower.squareRoot() * secondPower.squareRoot()
    return scale > 0 ? min(1, max(-1, product / scale)) : nil
  }

  /// The same points about their mean with a sum of squares of 1; nil where they have no extent.
  private static func standardized(_ points: [Point]) -> [Point]? {
    guard let center = Point(meanOf: points),
      points.allSatisfy({ $0.x.isFinite && $0.y.isFinite })
    else { return nil }
    let moved = points.map { Point(x: $0.x - center.x, y: $0.y - center.y) }
    let size = moved.reduce(0.0) { $0 + $1.x * $1.x + $1.y * $1.y }.squareRoot()
    let reach = points.reduce(0) { max($0, abs($1.x), abs($1.y)) }
    guard size.isFinite, size > 1e-12 * reach else { return nil }
    return moved.map { Point(x: $0.x / size, y: $0.y / size) }
  }
}
