/// Sums from which the scatter of variables about the means of their groups follows.
///
/// Observations of one group, such as a clip, are compared with each other only. Sums of parts add up, each as
/// often as it is drawn, so that a resample costs no look at an observation.
package struct GroupedScatter: Sendable, Hashable {
  /// What the observations of one group come to.
  private struct Sums: Sendable, Hashable {
    var count = 0.0
    var values: [Double]
    /// Lower triangle of Σxxᵀ, row by row.
    var squares: [Double]

    init(variables: Int) {
      values = Array(repeating: 0, count: variables)
      squares = Array(repeating: 0, count: variables * (variables + 1) / 2)
    }

    mutating func add(_ x: [Double]) {
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

    mutating func add(_ other: Sums, times: Double) {
      count += times * other.count
      for index in values.indices { values[index] += times * other.values[index] }
      for index in squares.indices { squares[index] += times * other.squares[index] }
    }
  }

  /// How many variables there are.
  package let variables: Int
  private var groups: [Int: Sums] = [:]

  /// Starts without observations of that many variables.
  package init(variables: Int) {
    self.variables = variables
  }

  /// How many observations there are, each as often as it was drawn.
  package var count: Double { groups.values.reduce(0) { $0 + $1.count } }

  /// Takes in one observation; its numbers should be small about 0, as they are less a mean of the group.
  package mutating func add(_ x: [Double], group: Int) {
    precondition(x.count == variables)
    groups[group, default: Sums(variables: variables)].add(x)
  }

  /// Takes in the observations of another so many times.
  package mutating func add(_ other: GroupedScatter, times: Int) {
    for (group, sums) in other.groups {
      groups[group, default: Sums(variables: variables)].add(sums, times: Double(times))
    }
  }

  /// Σ(x − x̄)(x − x̄)ᵀ over all groups, each about its own mean; both triangles, row by row.
  package func scatter() -> [Double] {
    var scatter = [Double](repeating: 0, count: variables * variables)
    for (_, sums) in groups.sorted(by: { $0.key < $1.key }) where sums.count > 0 {
      var next = 0
      for row in 0..<variables {
        let mean = sums.values[row] / sums.count
        for column in 0...row {
          scatter[row * variables + column] += sums.squares[next] - mean * sums.values[column]
          next += 1
        }
      }
    }
    for row in 0..<variables {
      for column in 0..<row {
        scatter[column * variables + row] = scatter[row * variables + column]
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
