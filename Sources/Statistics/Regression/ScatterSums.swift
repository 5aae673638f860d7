/// Sums from which the scatter of variables about their means follows.
///
/// Sums of parts add up, each as often as it is drawn, so that a resample costs no look at an observation.
package struct ScatterSums: Sendable, Hashable {
  /// How many observations there are, each as often as it was drawn.
  package private(set) var count = 0.0
  private let variables: Int
  private var values: [Double]
  /// Lower triangle of Σxxᵀ, row by row.
  private var squares: [Double]

  /// Starts without observations of that many variables.
  package init(variables: Int) {
    self.variables = variables
    values = Array(repeating: 0, count: variables)
    squares = Array(repeating: 0, count: variables * (variables + 1) / 2)
  }

  /// Takes in one observation; its numbers should be small about 0, as they are less a mean of like ones.
  package mutating func add(_ x: [Double]) {
    precondition(x.count == variables)
    count += 1
    var next = 0
    for row in x.indices {
      values[row] += x[row]
      for column in 0...row {
        squares[next] += x[row] * x[column]
        next += 1
      }
    }
  }

  /// Takes in the observations of another so many times.
  package mutating func add(_ other: ScatterSums, times: Int) {
    let times = Double(times)
    count += times * other.count
    for index in values.indices { values[index] += times * other.values[index] }
    for index in squares.indices { squares[index] += times * other.squares[index] }
  }

  /// Σ(x − x̄)(x − x̄)ᵀ; both triangles, row by row.
  package func scatter() -> [Double] {
    var scatter = [Double](repeating: 0, count: variables * variables)
    guard count > 0 else { return scatter }
    var next = 0
    for row in 0..<variables {
      let mean = values[row] / count
      for column in 0...row {
        let sum = squares[next] - mean * values[column]
        scatter[row * variables + column] = sum
        scatter[column * variables + row] = sum
        next += 1
      }
    }
    return scatter
  }
}

/// Linear dependence within a scatter matrix.
package enum PartialSlopes {
  /// Variables that others before them do not explain: a share of more than `tolerance` of the scatter is their own.
  ///
  /// The first ones are preferred. `matrix` is a scatter by rows; a variable without scatter is left out.
  package static func independent(
    _ matrix: [Double], variables: Int, among candidates: [Int], tolerance: Double
  ) -> [Int] {
    var kept: [Int] = []
    // Rows of Cholesky's factor of the kept variables.
    var factor: [[Double]] = []
    for candidate in candidates {
      let own = matrix[candidate * variables + candidate]
      guard own > 0 else { continue }
      var row: [Double] = []
      for (index, other) in kept.enumerated() {
        var sum = matrix[candidate * variables + other]
        for step in 0..<index { sum -= row[step] * factor[index][step] }
        row.append(sum / factor[index][index])
      }
      let rest = own - row.reduce(0) { $0 + $1 * $1 }
      guard rest > tolerance * own else { continue }
      row.append(rest.squareRoot())
      kept.append(candidate)
      factor.append(row)
    }
    return kept
  }

  /// Slopes of some variables on others, least squares: a row per outcome, a slope per predictor.
  ///
  /// Nil where the predictors are not independent.
  package static func slopes(
    _ matrix: [Double], variables: Int, of outcomes: [Int], on predictors: [Int]
  ) -> [[Double]]? {
    guard !predictors.isEmpty else { return outcomes.map { _ in [] } }
    var system = predictors.flatMap { row in predictors.map { matrix[row * variables + $0] } }
    var sides = outcomes.flatMap { outcome in
      predictors.map { matrix[$0 * variables + outcome] }
    }
    guard !outcomes.isEmpty else { return [] }
    guard
      RidgeRegression.solve(&system, &sides, size: predictors.count, sides: outcomes.count)
    else { return nil }
    return outcomes.indices.map { outcome in
      Array(sides[outcome * predictors.count..<(outcome + 1) * predictors.count])
    }
  }

  /// Slopes of each of some variables on all others of them: `[i][j]` is that of i on j, with 0 for itself.
  ///
  /// Of the inverse P of their scatter it is −Pᵢⱼ / Pᵢᵢ. Nil where they are not independent.
  package static func mutual(
    _ matrix: [Double], variables: Int, among chosen: [Int]
  ) -> [[Double]]? {
    let size = chosen.count
    guard size > 0 else { return [] }
    var system = chosen.flatMap { row in chosen.map { matrix[row * variables + $0] } }
    var inverse = [Double](repeating: 0, count: size * size)
    for index in 0..<size { inverse[index * size + index] = 1 }
    guard RidgeRegression.solve(&system, &inverse, size: size, sides: size) else { return nil }
    return (0..<size).map { row in
      let own = inverse[row * size + row]
      return (0..<size).map { row == $0 ? 0 : -inverse[row * size + $0] / own }
    }
  }
}
