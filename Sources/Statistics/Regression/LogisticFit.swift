internal import Foundation

/// The weights with the smallest logistic loss: θ that minimise Σ p·ln(1 + e^(−z)) + q·ln(1 + e^z), z = θ·x.
///
/// Newton's method with halved steps; features are centred and scaled first. p and q are the weights
/// of a row's positive and negative part.
package struct LogisticFit {
  /// One weight a feature, then the constant where there is one.
  package let weights: [Double]
  /// The loss that is left, a mean over the weight of all rows.
  package let loss: Double

  /// A row: its features and what came of it.
  package struct Row {
    package var features: [Double]
    package var positive, negative: Double

    package init(features: [Double], positive: Double, negative: Double) {
      (self.features, self.positive, self.negative) = (features, positive, negative)
    }
  }

  /// Fits; nil where there is no single finite optimum, as for classes that the features separate.
  package init?(_ rows: [Row], hasConstant: Bool) {
    let total = rows.reduce(0) { $0 + $1.positive + $1.negative }
    guard let width = rows.first?.features.count, total > 0 else { return nil }
    var means = [Double](repeating: 0, count: width)
    var scales = [Double](repeating: 1, count: width)
    for column in 0..<width {
      func mean(_ value: (Double) -> Double) -> Double {
        rows.reduce(0) { $0 + ($1.positive + $1.negative) * value($1.features[column]) } / total
      }
      if hasConstant { means[column] = mean { $0 } }
      let centre = means[column]
      scales[column] = mean { ($0 - centre) * ($0 - centre) }.squareRoot()
      guard scales[column] > 0, scales[column].isFinite else { return nil }
    }
    let scaled = rows.map { row in
      (0..<width).map { (row.features[$0] - means[$0]) / scales[$0] } + (hasConstant ? [1] : [])
    }
    let problem = Problem(features: scaled, rows: rows, total: total)
    guard let optimum = problem.optimum() else { return nil }
    var weights = (0..<width).map { optimum[$0] / scales[$0] }
    if hasConstant {
      weights.append(optimum[width] - (0..<width).reduce(0) { $0 + weights[$1] * means[$1] })
    }
    guard weights.allSatisfy(\.isFinite) else { return nil }
    self.weights = weights
    loss = problem.loss(optimum)
  }

  /// 1 / (1 + e^(−z)), in [0, 1].
  package static func sigmoid(_ z: Double) -> Double {
    z >= 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z))
  }

  /// ln(p / (1 − p)) of p clipped to [2⁻⁵², 1 − 2⁻⁵²].
  package static func logit(_ probability: Double) -> Double {
    logOf(probability) - logOf(1 - probability)
  }

  /// ln p of p clipped to [2⁻⁵², 1 − 2⁻⁵²].
  package static func logOf(_ probability: Double) -> Double {
    log(min(max(probability, .ulpOfOne), 1 - .ulpOfOne))
  }
}

private struct Problem {
  static let maxSteps = 100
  /// Steps no larger than this relative to the weights are rounding.
  static let stepTolerance = 1e-9
  /// By what share a loss may seem to grow where sums over many rows are rounded.
  static let lossRounding = 1e-11

  let features: [[Double]]
  let rows: [LogisticFit.Row]
  let total: Double

  func optimum() -> [Double]? {
    let width = features[0].count
    var weights = [Double](repeating: 0, count: width)
    var current = loss(weights)
    for _ in 0..<Self.maxSteps {
      guard let step = newtonStep(weights) else { return nil }
      let largest = weights.reduce(1) { max($0, abs($1)) }
      if step.allSatisfy({ abs($0) <= Self.stepTolerance * largest }) {
        return zip(weights, step).map { $0 - $1 }
      }
      var share = 1.0
      var next = zip(weights, step).map { $0 - $1 }
      var nextLoss = loss(next)
      while !(nextLoss <= current * (1 + Self.lossRounding)), share > 1e-10 {
        share /= 2
        next = zip(weights, step).map { $0 - share * $1 }
        nextLoss = loss(next)
      }
      guard nextLoss.isFinite, share > 1e-10 else { return nil }
      (weights, current) = (next, nextLoss)
    }
    return nil
  }

  func loss(_ weights: [Double]) -> Double {
    var sum = 0.0
    for (features, row) in zip(features, rows) {
      let z = product(features, weights)
      let softplus = max(z, 0) + log1p(exp(-abs(z)))
      sum += row.positive * (softplus - z) + row.negative * softplus
    }
    return sum / total
  }

  private func product(_ features: [Double], _ weights: [Double]) -> Double {
    var sum = 0.0
    for index in weights.indices { sum += features[index] * weights[index] }
    return sum
  }

  /// H⁻¹·g by elimination with pivots; nil where H is singular.
  private func newtonStep(_ weights: [Double]) -> [Double]? {
    let width = weights.count
    var system = [[Double]](repeating: [Double](repeating: 0, count: width + 1), count: width)
    for (features, row) in zip(features, rows) {
      let share = LogisticFit.sigmoid(product(features, weights))
      let other = LogisticFit.sigmoid(-product(features, weights))
      let slope = row.negative * share - row.positive * other
      let bend = (row.positive + row.negative) * share * other
      for one in 0..<width {
        for two in 0..<width { system[one][two] += bend * features[one] * features[two] }
        system[one][width] += slope * features[one]
      }
    }
    let size = (0..<width).reduce(0) { max($0, abs(system[$1][$1])) }
    guard size > 0 else { return nil }
    for column in 0..<width {
      guard
        let pivot = (column..<width).max(by: {
          abs(system[$0][column]) < abs(system[$1][column])
        }), abs(system[pivot][column]) > 1e-14 * size
      else { return nil }
      system.swapAt(column, pivot)
      for row in 0..<width where row != column {
        let factor = system[row][column] / system[column][column]
        for position in column...width {
          system[row][position] -= factor * system[column][position]
        }
      }
    }
    return (0..<width).map { system[$0][width] / system[$0][$0] }
  }
}
