internal import Calibration
internal import Metrics
internal import Records

extension SweepMetric {
  /// The mean F1 of the expressions whose thresholds are swept.
  static let meanExpressionF1 = "expressions.mean_f1"

  private static let kinds: [(name: String, value: @Sendable (DecisionWeights) -> Double?)] = [
    ("f1", { $0.f1 }), ("precision", { $0.precision }), ("recall", { $0.recall }),
    ("balanced_accuracy", { $0.balancedAccuracy }), ("mcc", { $0.matthewsCorrelation }),
  ]

  /// The metrics of expressions, in the order of their sums; `swept` are those whose thresholds are varied.
  static func expressions(_ names: [String], swept: Set<String>) -> [SweepMetric] {
    let own = names.enumerated().flatMap { position, name in
      kinds.compactMap { kind, value in
        MetricCatalog.definition(of: "expressions.\(name).\(kind)").map { definition in
          let metric = SweepMetric(
            definition.at(expression: name), isHeadline: kind == "f1" && swept.contains(name)
          ) { tally, _ in value(tally[expression: position]) }
          return metric
        }
      }
    }
    let positions = names.indices.filter { swept.contains(names[$0]) }
    guard positions.count > 1 else { return own }
    let mean = SweepMetric(
      meanExpressionF1, "Mean F1 of the swept expressions", "1", .higher,
      "mean of expressions.NAME.f1 over the expressions whose thresholds are swept; undefined "
        + "where one of them is"
    ) { tally, _ in
      let values = positions.compactMap { tally[expression: $0].f1 }
      return values.count == positions.count
        ? values.reduce(0, +) / Double(values.count) : nil
    }
    return [mean] + own
  }
}
