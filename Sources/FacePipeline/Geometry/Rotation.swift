/// A 3 by 3 matrix by columns that turns points, and may scale them.
struct Rotation {
  /// The images of the three axes.
  var columns: InlineArray<3, SIMD3<Float>>

  /// The rotation that best agrees with a matrix: U·Vᵀ of its singular value decomposition, never a reflection.
  ///
  /// A reflection is avoided in the direction of the least singular value. Nil for a matrix of rank below 2 or with
  /// values that are not finite.
  init?(nearestTo matrix: [SIMD3<Float>]) {
    var left = matrix.map { SIMD3<Double>($0) }
    var right = [SIMD3<Double>(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    Self.makeOrthogonal(&left, &right)
    let lengths = left.map { ($0 * $0).sum().squareRoot() }
    let order = (0..<3).sorted { lengths[$0] > lengths[$1] }
    let (first, second) = (order[0], order[1])
    guard lengths[second] > 1e-12 * lengths[first] else { return nil }
    let u1 = left[first] / lengths[first]
    let u2 = left[second] / lengths[second]
    let (v1, v2) = (right[first], right[second])
    // The third pair follows from the others: right-handed on both sides, so that the determinant is 1.
    let u3 = Self.cross(u1, u2)
    let v3 = Self.cross(v1, v2)
    columns = [
      SIMD3<Float>(u1 * v1.x + u2 * v2.x + u3 * v3.x),
      SIMD3<Float>(u1 * v1.y + u2 * v2.y + u3 * v3.y),
      SIMD3<Float>(u1 * v1.z + u2 * v2.z + u3 * v3.z),
    ]
  }

  /// Turns columns pairwise, by one-sided Jacobi steps, until they are orthogonal; `right` collects the turns.
  private static func makeOrthogonal(
    _ left: inout [SIMD3<Double>], _ right: inout [SIMD3<Double>]
  ) {
    for _ in 0..<30 {
      var isOrthogonal = true
      for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        let alpha = (left[p] * left[p]).sum()
        let beta = (left[q] * left[q]).sum()
        let gamma = (left[p] * left[q]).sum()
        guard abs(gamma) > 1e-15 * (alpha * beta).squareRoot() else { continue }
        isOrthogonal = false
        let zeta = (beta - alpha) / (2 * gamma)
        let tangent = (zeta < 0 ? -1 : 1) / (abs(zeta) + (1 + zeta * zeta).squareRoot())
        let cosine = 1 / (1 + tangent * tangent).squareRoot()
        let sine = cosine * tangent
        (left[p], left[q]) = (
          left[p] * cosine - left[q] * sine, left[p] * sine + left[q] * cosine
        )
        (right[p], right[q]) = (
          right[p] * cosine - right[q] * sine, right[p] * sine + right[q] * cosine
        )
      }
      if isOrthogonal { return }
    }
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }

  /// The image of a point.
  func applied(to point: SIMD3<Float>) -> SIMD3<Float> {
    columns[0] * point.x + columns[1] * point.y + columns[2] * point.z
  }

  /// The same turn with a scale.
  func scaled(by scale: Float) -> Rotation {
    var result = self
    for index in 0..<3 { result.columns[index] *= scale }
    return result
  }
}
