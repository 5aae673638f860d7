/// A 3 by 3 matrix by columns that turns points, and may scale them.
struct ScaledRotation {
  /// The images of the three axes.
  var columns: Matrix3<Float>

  /// The rotation that best agrees with a matrix: U·Vᵀ of its singular value decomposition, never a reflection.
  ///
  /// A reflection is avoided in the direction of the least singular value. Nil for a matrix of rank below 2 or with
  /// values that are not finite.
  init?(nearestTo matrix: Matrix3<Float>) {
    var left = Matrix3<Double>(SIMD3(matrix[0]), SIMD3(matrix[1]), SIMD3(matrix[2]))
    var right = Matrix3<Double>(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))
    Self.makeOrthogonal(&left, &right)
    func length(_ index: Int) -> Double { (left[index] * left[index]).sum().squareRoot() }
    // The longest first; equal ones keep their order.
    var (first, second, third) = (0, 1, 2)
    if length(second) > length(first) { swap(&first, &second) }
    if length(third) > length(second) { swap(&second, &third) }
    if length(second) > length(first) { swap(&first, &second) }
    guard length(second) > 1e-12 * length(first) else { return nil }
    let u1 = left[first] / length(first)
    let u2 = left[second] / length(second)
    let (v1, v2) = (right[first], right[second])
    // The third pair follows from the others: right-handed on both sides, so that the determinant is 1.
    let u3 = Self.cross(u1, u2)
    let v3 = Self.cross(v1, v2)
    columns = Matrix3(
      SIMD3<Float>(u1 * v1.x + u2 * v2.x + u3 * v3.x),
      SIMD3<Float>(u1 * v1.y + u2 * v2.y + u3 * v3.y),
      SIMD3<Float>(u1 * v1.z + u2 * v2.z + u3 * v3.z))
  }

  /// Turns columns pairwise, by one-sided Jacobi steps, until they are orthogonal; `right` collects the turns.
  private static func makeOrthogonal(_ left: inout Matrix3<Double>, _ right: inout Matrix3<Double>)
  {
    for _ in 0..<30 {
      var isOrthogonal = true
      for pair in 0..<3 {
        let (p, q) = (pair / 2, pair == 0 ? 1 : 2)
        let alpha = (left[p] * left[p]).sum()
        let beta = (left[q] * left[q]).sum()
        let gamma = (left[p] * left[q]).sum()
        guard abs(gamma) > 1e-15 * (alpha * beta).squareRoot() else { continue }
        isOrthogonal = false
        let zeta = (beta - alpha) / (2 * gamma)
        let tangent = (zeta < 0 ? -1 : 1) / (abs(zeta) + (1 + zeta * zeta).squareRoot())
        let cosine = 1 / (1 + tangent * tangent).squareRoot()
        let sine = cosine * tangent
        func turn(_ axes: inout Matrix3<Double>, _ p: Int, _ q: Int) {
          (axes[p], axes[q]) = (
            axes[p] * cosine - axes[q] * sine, axes[p] * sine + axes[q] * cosine
          )
        }
        turn(&left, p, q)
        turn(&right, p, q)
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
  func scaled(by scale: Float) -> ScaledRotation {
    var result = self
    for index in 0..<3 { result.columns[index] *= scale }
    return result
  }
}
