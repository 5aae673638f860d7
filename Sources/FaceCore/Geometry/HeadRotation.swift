internal import Foundation

/// Rotations of heads from the numbers that label files have.
package enum HeadRotation {
  /// A pose with only a known rotation, from three rows; the translation is NaN.
  package static func pose(_ rows: [SIMD3<Double>]) -> HeadPose? {
    guard rows.count == 3 else { return nil }
    var matrix = SIMD16<Float>(repeating: 0)
    for (index, row) in rows.enumerated() {
      for column in 0..<3 { matrix[4 * index + column] = Float(row[column]) }
      matrix[4 * index + 3] = .nan
    }
    matrix[15] = 1
    return HeadPose(matrix: matrix)
  }

  /// The product, from left to right, of right-handed rotations about axes 0 (x), 1 (y) and 2 (z), in radians.
  package static func rows(_ turns: [(axis: Int, radians: Double)]) -> [SIMD3<Double>] {
    var product: [SIMD3<Double>] = [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    for turn in turns {
      let (cosine, sine) = (cos(turn.radians), sin(turn.radians))
      let (next, last) = ((turn.axis + 1) % 3, (turn.axis + 2) % 3)
      product = product.map { row in
        var turned = row
        turned[next] = row[next] * cosine + row[last] * sine
        turned[last] = row[last] * cosine - row[next] * sine
        return turned
      }
    }
    return product
  }

  /// The determinant of the rotation in a 4 x 4 matrix by rows; negative where it mirrors.
  package static func determinant(_ matrix: [Double]) -> Double {
    let (a, b, c) = (matrix[0...2], matrix[4...6], matrix[8...10])
    return a[0] * (b[5] * c[10] - b[6] * c[9]) - a[1] * (b[4] * c[10] - b[6] * c[8])
      + a[2] * (b[4] * c[9] - b[5] * c[8])
  }

  /// The same angle between -π and π.
  package static func wrapped(_ radians: Double) -> Double {
    radians.remainder(dividingBy: 2 * .pi)
  }
}
