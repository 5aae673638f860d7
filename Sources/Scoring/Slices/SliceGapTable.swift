internal import FaceCore
internal import Metrics
internal import Platform
internal import Records

/// The gaps between slices as a table of the record.
enum SliceGapTable {
  /// The metrics whose slices are tested against each other: few, because Holm's adjustment runs over all.
  static func metrics(among measurements: [Measurement]) -> Set<String> {
    Set(MetricCatalog.headlines(among: measurements, comparedOnly: true)).union([
      MetricName.failureToAcquire
    ])
  }

  /// Whether a measurement takes part: one of those metrics in a slice of the dataset, but for severities, which differ
  /// by design.
  static func isTested(_ metric: Measurement, of names: Set<String>) -> Bool {
    guard let slice = metric.dimensionSlice, slice.isOfDataset, names.contains(metric.name),
      metric.value != nil, !Gate.isTime(metric.name)
    else { return false }
    return SeverityAttribute.degradation(of: slice.dimension) == nil
  }

  /// The worst and the best slice of each property with the test of their gap (`slices.gaps`); nil without any.
  static func series(_ gaps: [SliceGaps.Finding]) -> Series? {
    guard !gaps.isEmpty else { return nil }
    func text(_ value: Double) -> String { value.shortText(significantDigits: 3) }
    return Series(
      name: SeriesName.sliceGaps, title: "Gaps between slices",
      columns: [
        "metric", "worst slice", "best slice", "gap", "95 % interval", "p (Holm)",
        "decisive", "visible gap", "n for this gap",
      ],
      rows: gaps.map { gap in
        [
          gap.worst.name, gap.worst.slice ?? "", gap.best.slice ?? "", text(gap.gap),
          "\(text(gap.low)) to \(text(gap.high))", text(gap.adjustedP),
          gap.isDecisive ? "yes" : "no", text(gap.visible),
          gap.needed.map(\.groupedText) ?? "–",
        ]
      })
  }
}
