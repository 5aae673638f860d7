package import Metrics
package import Statistics

/// Ridge regression of the logits of coefficients in [0, 1] on some inputs, and its results on held-out folds.
///
/// Coefficients are kept `margin` away from 0 and 1 before their logits are taken. The ridge is a share of the inputs'
/// mean variance. A coefficient that hardly varies is given its mean.
package struct LogitRegression: Sendable {
  /// The penalty on weights that is used unless another is given.
  package static let usualRidge = 0.01
  /// Observations that a fit needs.
  package static let minCount = 20

  /// The logits of the coefficients that vary, in their order.
  package let fit: LinearFit
  /// Positions of the coefficients that vary.
  package let varying: [Int]
  /// The mean of each coefficient.
  package let means: [Double]
  /// Agreement of held-out values with given ones for each coefficient; nil where no folds could be made.
  package let heldOut: [PairedAgreement]?
  /// How many distinct clusters there are, and how many folds of whole clusters were held out one by one; 0 for none.
  package let clusters, folds: Int

  /// Fits to all observations, and once more without each of up to `folds` folds of whole clusters.
  ///
  /// With a single cluster nothing is held out. `begin` is told of each of the fits, and may throw to end them. Throws
  /// for fewer than 20 observations, for none that varies, and where the equations have no solution.
  package init(
    inputs: [[Double]], coefficients: [[Double]], clusters: [Int], folds: Int = 10,
    ridge: Double = usualRidge, margin: Double, seed: UInt64 = 1, begin: () throws -> Void = {}
  ) throws {
    guard inputs.count >= Self.minCount, let first = coefficients.first else {
      throw CalibrationError.unfit(
        "a head", "expected \(Self.minCount) faces or more, found \(inputs.count)")
    }
    let agreements = first.indices.map { channel in
      let values = coefficients.map { $0[channel] }
      return PairedAgreement(predicted: values, labelled: values)
    }
    let varying = first.indices.filter {
      agreements[$0]?.labelledVariance ?? 0 >= BlendshapeFit.deadVariance
    }
    guard !varying.isEmpty else {
      throw CalibrationError.unfit("a head", "no coefficient varies")
    }
    let all = Set(clusters).count
    let count = all < 2 ? 0 : min(folds, all)
    let dealt = count < 2 ? nil : try ClusterFolds(of: clusters, folds: count, seed: seed)
    let foldOf = clusters.map { dealt?.fold(of: $0) ?? 0 }
    let empty = RidgeRegression(inputs: inputs[0].count, outputs: varying.count)
    var sums = Array(repeating: empty, count: max(count, 1))
    for (index, input) in inputs.enumerated() {
      sums[foldOf[index]].add(
        input, varying.map { Self.logit(coefficients[index][$0], margin: margin) })
    }
    func solved(without fold: Int?) throws -> LinearFit {
      try begin()
      var total = empty
      for (index, part) in sums.enumerated() where index != fold { total.merge(part) }
      guard let fit = total.solved(ridge: ridge * total.meanVariance * Double(total.count)) else {
        throw CalibrationError.unfit("a head", "the normal equations have no solution")
      }
      return fit
    }
    fit = try solved(without: nil)
    self.varying = varying
    means = Self.means(coefficients)
    self.clusters = all
    self.folds = dealt == nil ? 0 : count
    guard dealt != nil else {
      heldOut = nil
      return
    }
    var predicted = coefficients
    for fold in 0..<count {
      let other = try solved(without: fold)
      let rest = Self.means(
        zip(coefficients, foldOf).filter { $0.1 != fold }.map(\.0))
      for index in inputs.indices where foldOf[index] == fold {
        predicted[index] = rest
        for (channel, value) in zip(varying, other(inputs[index])) {
          predicted[index][channel] = LogisticFit.sigmoid(value)
        }
      }
    }
    heldOut = first.indices.compactMap { channel in
      PairedAgreement(
        predicted: predicted.map { $0[channel] }, labelled: coefficients.map { $0[channel] })
    }
  }

  /// ln(p / (1 − p)) of a coefficient that is first kept `margin` away from 0 and 1.
  package static func logit(_ coefficient: Double, margin: Double) -> Double {
    LogisticFit.logit(min(max(coefficient, margin), 1 - margin))
  }

  private static func means(_ rows: [[Double]]) -> [Double] {
    let n = Double(max(rows.count, 1))
    return (rows.first ?? []).indices.map { column in
      rows.reduce(0) { $0 + $1[column] } / n
    }
  }
}
