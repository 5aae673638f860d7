/// Sums from which a linear regression of two outputs on some inputs is solved.
///
/// Of ŷ = ȳ + (x − x̄)·W the matrix W makes Σ‖y − ŷ‖² + ‖W‖² smallest: the inputs' own scale says how
/// many observations outweigh the wish for small weights.
struct RidgeRegression: Sendable, Hashable {
  /// How many observations there are.
  private(set) var count = 0
  private var inputs: [Double]
  /// Lower triangle of Σxxᵀ, row by row.
  private var squares: [Double]
  private var outputs = SIMD2<Double>()
  private var products: [SIMD2<Double>]

  /// Starts without observations of that many inputs.
  init(inputs count: Int) {
    inputs = Array(repeating: 0, count: count)
    squares = Array(repeating: 0, count: count * (count + 1) / 2)
    products = Array(repeating: SIMD2(), count: count)
  }

  /// Takes in one observation.
  mutating func add(_ x: [Double], _ y: SIMD2<Double>) {
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
  mutating func merge(_ other: RidgeRegression) {
    count += other.count
    outputs += other.outputs
    for index in inputs.indices {
      inputs[index] += other.inputs[index]
      products[index] += other.products[index]
    }
    for index in squares.indices { squares[index] += other.squares[index] }
  }

  /// The solution by the normal equations; nil without observations.
  func solved() -> LinearFit? {
    guard count > 0 else { return nil }
    let n = Double(count)
    let size = inputs.count
    let mean = inputs.map { $0 / n }
    let meanOutput = outputs / n
    var factor = squares
    var weights = products
    var next = 0
    for row in 0..<size {
      weights[row] -= inputs[row] * meanOutput
      for column in 0...row {
        factor[next] -= inputs[row] * mean[column]
        next += 1
      }
      factor[next - 1] += 1
    }
    func at(_ row: Int, _ column: Int) -> Int { row * (row + 1) / 2 + column }
    // Cholesky: every pivot is 1 or more, for the ridge is the unit matrix.
    for row in 0..<size {
      for column in 0...row {
        var sum = factor[at(row, column)]
        for k in 0..<column { sum -= factor[at(row, k)] * factor[at(column, k)] }
        factor[at(row, column)] =
          row == column ? max(1, sum).squareRoot() : sum / factor[at(column, column)]
      }
    }
    for row in 0..<size {
      for k in 0..<row { weights[row] -= factor[at(row, k)] * weights[k] }
      weights[row] /= factor[at(row, row)]
    }
    for row in (0..<size).reversed() {
      for k in (row + 1)..<size { weights[row] -= factor[at(k, row)] * weights[k] }
      weights[row] /= factor[at(row, row)]
    }
    return LinearFit(mean: mean, meanOutput: meanOutput, weights: weights)
  }
}

/// ȳ + (x − x̄)·W.
struct LinearFit: Sendable, Hashable {
  fileprivate let mean: [Double]
  fileprivate let meanOutput: SIMD2<Double>
  fileprivate let weights: [SIMD2<Double>]

  /// The output for one input.
  func callAsFunction(_ x: [Double]) -> SIMD2<Double> {
    var y = meanOutput
    for index in x.indices { y += (x[index] - mean[index]) * weights[index] }
    return y
  }
}
