internal import Platform
internal import Records

/// How far the slices of each dimension lie apart, metric by metric.
enum SliceSpread {
  /// The worst and the best slice of each dimension (`slices.spread`); nil without two defined slices.
  ///
  /// Suppressed and undefined slices take no part. Of a metric with a target the best slice is the one nearest to it.
  /// The spread is the difference of the two values.
  static func table(_ measurements: [Measurement]) -> Series? {
    let sliced = measurements.filter {
      $0.value?.isFinite == true && $0.dimensionSlice?.isOfDataset == true
    }
    let rows = sliced.inGroups { "\($0.dimensionSlice?.dimension ?? "") \($0.name)" }
      .map(\.elements).filter { $0.count > 1 }.map { row($0) }
    guard !rows.isEmpty else { return nil }
    return Series(
      name: "slices.spread", title: "Worst and best slices",
      columns: ["metric", "worst slice", "value", "best slice", "value", "spread"],
      rows: rows)
  }

  private static func row(_ metrics: [Measurement]) -> [String] {
    let sorted = metrics.sorted { first, second in
      let change = first.difference(of: first.value ?? 0, from: second.value ?? 0)
      return first.better == .higher ? change < 0 : change > 0
    }
    func text(_ value: Double) -> String { value.shortText(significantDigits: 4) }
    let (worst, best) = (sorted[0], sorted[sorted.count - 1])
    let (low, high) = (worst.value ?? 0, best.value ?? 0)
    return [
      worst.name, worst.slice ?? "", text(low), best.slice ?? "", text(high), text(abs(high - low)),
    ]
  }
}
