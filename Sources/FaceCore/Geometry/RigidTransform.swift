internal import Foundation

/// A rotation and a translation in metres, as simd matrices hold them: columns, the translation last.
package struct RigidTransform {
  /// The matrix by rows.
  package let rows: [Double]

  /// A matrix of 4 columns of 4 numbers; nil unless it ends in 0, 0, 0, 1 by row and turns without stretching.
  package init?(columns: [[Double]]) {
    guard columns.count == 4, columns.allSatisfy({ $0.count == 4 }),
      columns.allSatisfy({ $0.allSatisfy { Float($0).isFinite } }),
      zip(columns, [0, 0, 0, 1]).allSatisfy({ abs($0[3] - $1) < 1e-5 })
    else { return nil }
    var rows = [Double](repeating: 0, count: 16)
    for row in 0..<3 {
      for column in 0..<4 { rows[4 * row + column] = columns[column][row] }
    }
    rows[15] = 1
    self.rows = rows
    for first in 0..<3 {
      for second in first..<3 {
        var product = 0.0
        for row in 0..<3 { product += columns[first][row] * columns[second][row] }
        guard abs(product - (first == second ? 1 : 0)) < 1e-2 else { return nil }
      }
    }
  }

  private init(rows: [Double]) { self.rows = rows }

  /// What undoes it: the transposed rotation, and the translation turned by it.
  package var inverse: RigidTransform {
    var inverse = rows
    for row in 0..<3 {
      inverse[4 * row + 3] = 0
      for column in 0..<3 {
        inverse[4 * row + column] = rows[4 * column + row]
        inverse[4 * row + 3] -= rows[4 * column + row] * rows[4 * column + 3]
      }
    }
    return RigidTransform(rows: inverse)
  }

  /// One transform after another: `self` of `first` of a point.
  package func after(_ first: RigidTransform) -> RigidTransform {
    var product = [Double](repeating: 0, count: 16)
    for row in 0..<4 {
      for column in 0..<4 {
        for inner in 0..<4 {
          product[4 * row + column] += rows[4 * row + inner] * first.rows[4 * inner + column]
        }
      }
    }
    return RigidTransform(rows: product)
  }

  /// A point, turned and moved.
  package func apply(_ point: SIMD3<Float>) -> SIMD3<Double> {
    let point = SIMD3<Double>(point)
    func row(_ start: Int) -> Double {
      let turned: Double = rows[start] * point.x + rows[start + 1] * point.y
      return turned + rows[start + 2] * point.z + rows[start + 3]
    }
    return SIMD3(row(0), row(4), row(8))
  }

  /// The same as a head pose, whose translation is in centimetres.
  package var headPose: HeadPose {
    var matrix = SIMD16<Float>(repeating: 0)
    for index in 0..<16 {
      matrix[index] = Float(rows[index] * (index % 4 == 3 && index < 12 ? 100 : 1))
    }
    return HeadPose(matrix: matrix)
  }
}
