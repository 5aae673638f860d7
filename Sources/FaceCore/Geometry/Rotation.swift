internal import Foundation

/// A turn in space, as a quaternion of length 1.
package struct Rotation: Sendable, Hashable {
  /// cos(θ/2), then the axis times sin(θ/2).
  package let w, x, y, z: Double

  /// Turns about nothing.
  package static let identity = Rotation(w: 1, x: 0, y: 0, z: 0)

  /// Takes the numbers as they are.
  package init(w: Double, x: Double, y: Double, z: Double) {
    (self.w, self.x, self.y, self.z) = (w, x, y, z)
  }

  private init?(_ quaternion: [Double]?) {
    guard let q = quaternion, q.count == 4 else { return nil }
    self.init(w: q[0], x: q[1], y: q[2], z: q[3])
  }

  /// The rotation nearest to a 3 by 3 matrix by rows, which may have a scale.
  ///
  /// The largest tr(RᵀM), by Davenport's matrix. Nil where an element is not finite or the matrix is no
  /// rotation times a scale: its determinant is less than .9 of that of one with the same norm.
  package init?(nearest m: [SIMD3<Double>]) {
    guard m.count == 3 else { return nil }
    let square = m.reduce(0) { $0 + ($1 * $1).sum() } / 3
    let scale = square.squareRoot()
    guard scale.isFinite, scale > 0 else { return nil }
    let r = m.map { $0 / scale }
    let determinant =
      r[0].x * (r[1].y * r[2].z - r[1].z * r[2].y)
      - r[0].y * (r[1].x * r[2].z - r[1].z * r[2].x)
      + r[0].z * (r[1].x * r[2].y - r[1].y * r[2].x)
    guard determinant >= 0.9 else { return nil }
    let (a, b, c) = (r[2].y - r[1].z, r[0].z - r[2].x, r[1].x - r[0].y)
    let (d, e, f) = (r[1].x + r[0].y, r[0].z + r[2].x, r[2].y + r[1].z)
    self.init(
      SymmetricEigen.principalVector(of: [
        [r[0].x + r[1].y + r[2].z, a, b, c],
        [a, r[0].x - r[1].y - r[2].z, d, e],
        [b, d, r[1].y - r[0].x - r[2].z, f],
        [c, e, f, r[2].z - r[0].x - r[1].y],
      ]))
  }

  /// The rotation of a head's pose, without its scale; nil where the matrix holds none.
  package init?(_ pose: HeadPose) {
    self.init(
      nearest: (0..<3).map { row in
        SIMD3(
          Double(pose.matrix[4 * row]), Double(pose.matrix[4 * row + 1]),
          Double(pose.matrix[4 * row + 2]))
      })
  }

  /// The chordal mean: the rotation with the smallest sum of squared Frobenius distances; nil for none.
  package static func mean(_ rotations: [Rotation]) -> Rotation? {
    guard !rotations.isEmpty else { return nil }
    var sums = (SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero)
    for rotation in rotations {
      let q = SIMD4(rotation.w, rotation.x, rotation.y, rotation.z)
      sums.0 += q.x * q
      sums.1 += q.y * q
      sums.2 += q.z * q
      sums.3 += q.w * q
    }
    return Rotation(
      SymmetricEigen.principalVector(
        of: [sums.0, sums.1, sums.2, sums.3].map { [$0.x, $0.y, $0.z, $0.w] }))
  }

  /// The other way round.
  package var inverse: Rotation { Rotation(w: w, x: -x, y: -y, z: -z) }

  /// A vector, turned.
  package func turned(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    func product(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
    let axis = SIMD3(x, y, z)
    let across = product(axis, vector) * 2
    return vector + w * across + product(axis, across)
  }

  /// First the right one, then the left one.
  package static func * (left: Rotation, right: Rotation) -> Rotation {
    Rotation(
      w: left.w * right.w - left.x * right.x - left.y * right.y - left.z * right.z,
      x: left.w * right.x + left.x * right.w + left.y * right.z - left.z * right.y,
      y: left.w * right.y - left.x * right.z + left.y * right.w + left.z * right.x,
      z: left.w * right.z + left.x * right.y - left.y * right.x + left.z * right.w)
  }

  /// The angle from one to the other in degrees, 0 to 180.
  ///
  /// arccos((tr(RᵀR̂) − 1) / 2) as 2 · atan2(‖v‖, |w|), which needs no clamp and keeps its digits near 0.
  package func degrees(to other: Rotation) -> Double {
    let turn = inverse * other
    let sine = (turn.x * turn.x + turn.y * turn.y + turn.z * turn.z).squareRoot()
    return 2 * atan2(sine, abs(turn.w)) * 180 / .pi
  }

  /// The matrix by rows.
  package var rows: [SIMD3<Double>] {
    [
      SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
      SIMD3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
      SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    ]
  }
}
