internal import Foundation

/// The projective map from tensor pixels to image pixels, with OpenCV's arithmetic bit for bit.
///
/// Coordinates of exactly half of 1/32 pixel are common, and the last bit decides their rounding. Elimination
/// and inversion therefore follow the order of `cv::getPerspectiveTransform` and `cv::invert`.
struct Homography {
  /// Row-major 3 by 3 in the first nine.
  var elements: SIMD16<Double>

  /// The map of a region's corners, bottom left first and clockwise, to those of a tensor, inverted.
  ///
  /// `corners` are x and y of each.
  init?(fromTensor size: (width: Int, height: Int), to corners: SIMD8<Double>) {
    let (w, h) = (Double(size.width), Double(size.height))
    let solution = withUnsafeTemporaryAllocation(of: Double.self, capacity: 8 * 9) { system in
      system.initialize(repeating: 0)
      Self.fill(system, corners, targets: SIMD8(0, h, 0, 0, w, 0, w, h))
      return Self.solve(system)
    }
    guard let solution, let inverse = Self.inverse(of: solution) else { return nil }
    elements = inverse
  }

  /// Writes 8 rows of 9: two equations for each of four points.
  private static func fill(
    _ system: UnsafeMutableBufferPointer<Double>, _ corners: SIMD8<Double>, targets: SIMD8<Double>
  ) {
    for i in 0..<4 {
      let s = SIMD2(corners[2 * i], corners[2 * i + 1])
      let t = SIMD2(targets[2 * i], targets[2 * i + 1])
      let (upper, lower) = (i * 9, (i + 4) * 9)
      system[upper] = s.x
      system[upper + 1] = s.y
      system[upper + 2] = 1
      system[upper + 6] = -s.x * t.x
      system[upper + 7] = -s.y * t.x
      system[upper + 8] = t.x
      system[lower + 3] = s.x
      system[lower + 4] = s.y
      system[lower + 5] = 1
      system[lower + 6] = -s.x * t.y
      system[lower + 7] = -s.y * t.y
      system[lower + 8] = t.y
    }
  }

  /// Gaussian elimination of 8 rows of 9 with partial pivoting; the ninth element of the result is 1.
  private static func solve(_ system: UnsafeMutableBufferPointer<Double>) -> SIMD16<Double>? {
    for i in 0..<8 {
      var pivot = i
      for j in i + 1..<8 where abs(system[j * 9 + i]) > abs(system[pivot * 9 + i]) { pivot = j }
      guard abs(system[pivot * 9 + i]) >= 100 * .ulpOfOne else { return nil }
      if pivot != i {
        for column in i..<9 { system.swapAt(i * 9 + column, pivot * 9 + column) }
      }
      let negativeReciprocal = -1 / system[i * 9 + i]
      for j in i + 1..<8 {
        let factor = system[j * 9 + i] * negativeReciprocal
        for column in i + 1..<9 { system[j * 9 + column] += factor * system[i * 9 + column] }
      }
    }
    var solution = SIMD16<Double>(repeating: 1)
    for i in stride(from: 7, through: 0, by: -1) {
      var sum = system[i * 9 + 8]
      for column in i + 1..<8 { sum -= system[i * 9 + column] * solution[column] }
      solution[i] = sum / system[i * 9 + i]
    }
    return solution
  }

  private static func inverse(of m: SIMD16<Double>) -> SIMD16<Double>? {
    func minor(_ a: Int, _ d: Int, _ b: Int, _ c: Int) -> Double { m[a] * m[d] - m[b] * m[c] }
    let determinant =
      m[0] * minor(4, 8, 5, 7) - m[1] * minor(3, 8, 5, 6) + m[2] * minor(3, 7, 4, 6)
    guard determinant != 0, determinant.isFinite else { return nil }
    let d = 1 / determinant
    return SIMD16(
      minor(4, 8, 5, 7) * d, minor(2, 7, 1, 8) * d, minor(1, 5, 2, 4) * d,
      minor(5, 6, 3, 8) * d, minor(0, 8, 2, 6) * d, minor(2, 3, 0, 5) * d,
      minor(3, 7, 4, 6) * d, minor(1, 6, 0, 7) * d, minor(0, 4, 1, 3) * d,
      0, 0, 0, 0, 0, 0, 0)
  }
}
