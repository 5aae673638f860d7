internal import COpenBLAS

/// Sums from which a linear regression of two outputs on some inputs is solved.
///
/// Of ŷ = ȳ + (x − x̄)·W the matrix W makes Σ‖y − ŷ‖² + ridge·‖W‖² smallest. With a ridge of 1 the
/// scale of the inputs sets how many observations outweigh the penalty on large weights.
package struct RidgeRegression: Sendable, Hashable {
  /// How many observations there are.
  package private(set) var count = 0
  private var inputs: [Double]
  /// Lower triangle of Σxxᵀ, row by row.
  private var squares: [Double]
  private var outputs = SIMD2<Double>()
  private var products: [SIMD2<Double>]

  /// Starts without observations of that many inputs.
  package init(inputs count: Int) {
    inputs = Array(repeating: 0, count: count)
    squares = Array(repeating: 0, count: count * (count + 1) / 2)
    products = Array(repeating: SIMD2(), count: count)
  }

  /// Takes in one observation.
  package mutating func add(_ x: [Double], _ y: SIMD2<Double>) {
    count += 1
    outputs += y
    var next = 0
    for row in x.indices {
      inputs[row] += x[row]
      products[row] += x[row] * y
      for column in 0...row {
        squares[next] += x[row] * x[column]
        next += 1
      }
    }
  }

  /// Takes in the observations of another.
  package mutating func merge(_ other: RidgeRegression) {
    count += other.count
    outputs += other.outputs
    for index in inputs.indices {
      inputs[index] += other.inputs[index]
      products[index] += other.products[index]
    }
    for index in squares.indices { squares[index] += other.squares[index] }
  }

  /// Mean variance of the inputs; 0 without observations or inputs.
  package var meanVariance: Double {
    guard count > 0, !inputs.isEmpty else { return 0 }
    let n = Double(count)
    return inputs.indices.reduce(0) { sum, row in
      sum + max(0, squares[row * (row + 3) / 2] - inputs[row] * inputs[row] / n)
    } / n / Double(inputs.count)
  }

  /// The solution of the normal equations by LAPACK; nil without observations or inputs.
  ///
  /// `ridge` weighs ‖W‖². Nil too where the matrix is not positive definite, as without a ridge for inputs
  /// that hang together.
  package func solved(ridge: Double = 1) -> LinearFit? {
    guard count > 0, !inputs.isEmpty else { return nil }
    let n = Double(count)
    let size = inputs.count
    let mean = inputs.map { $0 / n }
    let meanOutput = outputs / n
    var matrix = [Double](repeating: 0, count: size * size)
    var columns = [Double](repeating: 0, count: 2 * size)
    var next = 0
    for row in 0..<size {
      let right = products[row] - inputs[row] * meanOutput
      (columns[row], columns[size + row]) = (right.x, right.y)
      for column in 0...row {
        matrix[column * size + row] = squares[next] - inputs[row] * mean[column]
        next += 1
      }
      matrix[row * size + row] += ridge
    }
    guard Self.solve(&matrix, &columns, size: size) else { return nil }
    return LinearFit(
      mean: mean, meanOutput: meanOutput,
      weights: (0..<size).map { SIMD2(columns[$0], columns[size + $0]) })
  }

  /// Replaces two right-hand sides by their solutions; false for a matrix that is not positive
  /// definite.
  ///
  /// Of the symmetric matrix the lower triangle counts; both are stored column by column.
  private static func solve(
    _ matrix: inout [Double], _ columns: inout [Double], size: Int
  ) -> Bool {
    var (order, sides, info) = (blasint(size), blasint(2), blasint(0))
    var lower = CChar(UInt8(ascii: "L"))
    // Safety: the arrays hold size × size and size × 2 numbers, as declared by the sizes.
    dposv_(&lower, &order, &sides, &matrix, &order, &columns, &order, &info)
    return info == 0 && columns.allSatisfy(\.isFinite)
  }
}

/// ȳ + (x − x̄)·W.
package struct LinearFit: Sendable, Hashable {
  fileprivate let mean: [Double]
  fileprivate let meanOutput: SIMD2<Double>
  /// How much each output rises with each input, a pair of outputs an input.
  package let weights: [SIMD2<Double>]

  /// The outputs where all inputs are 0.
  package var constant: SIMD2<Double> {
    zip(mean, weights).reduce(meanOutput) { $0 - $1.0 * $1.1 }
  }

  /// The output for one input.
  package func callAsFunction(_ x: [Double]) -> SIMD2<Double> {
    var y = meanOutput
    for index in x.indices { y += (x[index] - mean[index]) * weights[index] }
    return y
  }
}
