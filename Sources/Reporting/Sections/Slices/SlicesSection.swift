internal import Platform
import Records

extension ReportSection {
  /// The parts of the dataset, dimension by dimension, and how far they lie apart.
  package static let slices: ReportSection = ReportSection(
    id: "slices", title: "Slices", claims: { $0.hasPrefix("slices.") },
    blocks: { record in
      let sliced = record.measurements.filter(\.isOfDimension)
      guard !sliced.isEmpty else { return [] }
      var blocks = record.series(of: slices).map { $0.block(caption: "") }
      blocks.append(
        .paragraph(
          "Each value is followed by n and the 95 % interval; – is undefined or suppressed."))
      for dimension in sliced.compactMap(\.dimensionSlice?.dimension).uniqued {
        blocks.append(table(dimension, sliced.filter { $0.dimensionSlice?.dimension == dimension }))
      }
      return blocks
    })

  /// More metrics than this stand under each other.
  private static let maxColumns = 4

  /// One row per slice and one column per metric; with many metrics, one row for each pair.
  private static func table(_ dimension: String, _ metrics: [Measurement]) -> Block {
    var names = metrics.map(\.name).uniqued.filter { isShown($0, among: metrics) }
    let slices = metrics.compactMap(\.slice).uniqued
    // Where no slice has a value, one metric says why.
    if names.isEmpty, let first = metrics.first { names = [first.name] }
    let titles = names.map { name in metrics.first { $0.name == name }?.title ?? name }
    func cell(_ slice: String, _ name: String) -> Table.Cell {
      metrics.first { $0.slice == slice && $0.name == name }.map(Self.cell)
        ?? .text("–", note: "not measured")
    }
    func word(_ slice: String) -> Table.Cell {
      .text(
        DimensionSlice(slice)?.value ?? slice,
        selection: SelectionAxis.selection(ofSlice: slice))
    }
    var table = Table(
      title: "By \(dimension)", columns: [.words(dimension)] + titles.map { .numbers($0) },
      rows: slices.map { slice in [word(slice)] + names.map { cell(slice, $0) } }, isWide: true)
    if names.count > maxColumns {
      table.columns = [.words("Metric"), .words(dimension), .numbers("Value")]
      table.rows = zip(names, titles).flatMap { name, title in
        slices.enumerated().map { position, slice in
          [.text(position == 0 ? title : ""), word(slice), cell(slice, name)]
        }
      }
    }
    return .table(table)
  }

  /// Whether a column is informative: its value is defined somewhere, and is not that of found
  /// faces alone where all faces are found.
  private static func isShown(_ name: String, among metrics: [Measurement]) -> Bool {
    let own = metrics.filter { $0.name == name }
    guard own.contains(where: { $0.value != nil }) else { return false }
    guard name.hasSuffix(".conditional") else { return true }
    let whole = String(name.dropLast(".conditional".count))
    return metrics.filter { $0.name == whole }.contains { $0.value == nil }
  }

  private static func cell(_ metric: Measurement) -> Table.Cell {
    guard metric.value != nil else { return .text("–", note: metric.reason) }
    let interval = metric.intervalText.map { "; \($0)" } ?? ""
    return .text("\(metric.valueText) (\(metric.n.groupedText)\(interval))")
  }
}

extension Measurement {
  /// Whether it is of a slice such as `yaw=30-60`.
  var isOfDimension: Bool { dimensionSlice != nil }
}
