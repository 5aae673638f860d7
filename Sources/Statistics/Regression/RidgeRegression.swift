internal import COpenBLAS

/// Sums from which a linear regression of several outputs on some inputs is solved.
///
/// Of ŷ = ȳ + (x − x̄)·W the matrix W makes Σ‖y − ŷ‖² + ridge·‖W‖² smallest. With a ridge of 1 the
/// scale of the inputs sets how many observations outweigh the penalty on large weights.
package struct RidgeRegression: Sendable, Hashable {
  /// How many observations there are.
  package private(set) var count = 0
  private var inputs: [Double]
  /// Lower triangle of Σxxᵀ, row by row.
  private var squares: [Double]
  private var outputs: [Double]
  /// Σxyᵀ, a row an input.
  private var products: [Double]

  /// Starts without observations of that many inputs and outputs.
  package init(inputs count: Int, outputs outputCount: Int = 2) {
    inputs = Array(repeating: 0, count: count)
    squares = Array(repeating: 0, count: count * (count + 1) / 2)
    outputs = Array(repeating: 0, count: outputCount)
    products = Array(repeating: 0, count: count * outputCount)
  }

  /// Takes in one observation.
  package mutating func add(_ x: [Double], _ y: [Double]) {
    precondition(x.count == inputs.count && y.count == outputs.count)
    count += 1
    for column in y.indices { outputs[column] += y[column] }
    var (next, product) = (0, 0)
    for row in x.indices {
      inputs[row] += x[row]
      for column in y.indices {
        products[product] += x[row] * y[column]
        product += 1
      }
      for column in 0...row {
        squares[next] += x[row] * x[column]
        next += 1
      }
    }
  }

  /// Takes in the observations of another.
  package mutating func merge(_ other: RidgeRegression) {
    count += other.count
    for index in outputs.indices { outputs[index] += other.outputs[index] }
    for index in inputs.indices { inputs[index] += other.inputs[index] }
    for index in products.indices { products[index] += other.products[index] }
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
    let (size, sides) = (inputs.count, outputs.count)
    let mean = inputs.map { $0 / n }
    let meanOutput = outputs.map { $0 / n }
    var matrix = [Double](repeating: 0, count: size * size)
    var columns = [Double](repeating: 0, count: sides * size)
    var next = 0
    for row in 0..<size {
      for side in 0..<sides {
        columns[side * size + row] = products[row * sides + side] - inputs[row] * meanOutput[side]
      }
      for column in 0...row {
        matrix[column * size + row] = squares[next] - inputs[row] * mean[column]
        next += 1
      }
      matrix[row * size + row] += ridge
    }
    guard Self.solve(&matrix, &columns, size: size, sides: sides) else { return nil }
    return LinearFit(
      mean: mean, meanOutput: meanOutput,
      weights: (0..<size).map { row in (0..<sides).map { columns[$0 * size + row] } })
  }

  /// Replaces right-hand sides by their solutions; false for a matrix that is not positive definite.
  ///
  /// Of the symmetric matrix the lower triangle counts; both are stored column by column.
  static func solve(
    _ matrix: inout [Double], _ columns: inout [Double], size: Int, sides: Int
  ) -> Bool {
    var (order, sides, info) = (blasint(size), blasint(sides), blasint(0))
    var lower = CChar(UInt8(ascii: "L"))
    // Safety: the arrays hold size × size and size × sides numbers, as declared by the sizes.
    dposv_(&lower, &order, &sides, &matrix, &order, &columns, &order, &info)
    return info == 0 && columns.allSatisfy(\.isFinite)
  }
}

/// ȳ + (x − x̄)·W.
package struct LinearFit: Sendable, Hashable {
  /// The mean of each input.
  package let mean: [Double]
  /// The outputs where all inputs are at their mean.
  package let meanOutput: [Double]
  /// How much each output rises with each input, a list of outputs an input.
  package let weights: [[Double]]

  /// The outputs where all inputs are 0.
  package var constant: [Double] {
    meanOutput.indices.map { output in
      mean.indices.reduce(meanOutput[output]) { $0 - mean[$1] * weights[$1][output] }
    }
  }

  /// The outputs for one input.
  package func callAsFunction(_ x: [Double]) -> [Double] {
    var y = meanOutput
    for (index, row) in weights.enumerated() {
      let offset = x[index] - mean[index]
      for output in y.indices { y[output] += offset * row[output] }
    }
    return y
  }
}
