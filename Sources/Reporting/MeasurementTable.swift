internal import Platform
import Records

extension Table {
  /// Measurements as rows: title, name, value, interval where any has one, number of observations.
  static func metrics(_ title: String, _ measurements: [Measurement]) -> Table {
    let hasTitles = measurements.contains { $0.title != $0.name }
    let hasIntervals = measurements.contains { $0.interval.low != nil }
    let columns: [Column] =
      (hasTitles ? [.words("Metric")] : []) + [.words("Name"), .numbers("Value")]
      + (hasIntervals ? [.numbers("Interval")] : []) + [.numbers("n"), .words("Better")]
    let rows = measurements.map { measurement -> [Cell] in
      let label: [Cell] = hasTitles ? [.text(measurement.title)] : []
      let interval: [Cell] = hasIntervals ? [measurement.intervalCell] : []
      return label + [
        .code(measurement.name), .text(measurement.valueText, note: measurement.footnote),
      ] + interval + [
        .text(measurement.n.groupedText),
        .text(measurement.better.symbol(target: measurement.target)),
      ]
    }
    let reasons = Set(measurements.compactMap(\.interval.reason)).sorted()
    return Table(
      title: title, columns: columns, rows: rows,
      remark: hasIntervals || reasons.isEmpty
        ? nil : "No intervals: " + reasons.joined(separator: "; ") + ".",
      isWide: hasIntervals && hasTitles)
  }
}

extension Measurement {
  /// Why the value is undefined, or what it lacks to be relied on; nil for a sound value.
  var footnote: String? {
    if value == nil { return reason ?? "undefined" }
    return needs.map { "n is \(n.groupedText); this metric needs \($0.groupedText)" }
  }

  fileprivate var intervalCell: Table.Cell {
    guard let text = intervalText else { return .text("–", note: interval.reason) }
    let level = (interval.level * 100).text(significantDigits: 2)
    return .text(text, note: interval.method.map { "\(level) % interval: \($0)" })
  }
}

extension Series {
  /// The block that draws or lists this series.
  func block(
    caption: String, axis: SelectionAxis? = nil, rowLimit: Int = Reporting.Table.rowLimit
  ) -> Block {
    switch content {
    case .curve(let curve):
      .figure(
        Figure(title: title, caption: caption, chart: .curve(curve), axis: axis ?? selectionAxis))
    case .histogram(let histogram):
      .figure(
        Figure(
          title: title, caption: caption, chart: .histogram(histogram), axis: axis ?? selectionAxis)
      )
    case .table(let table): .table(Reporting.Table(title, table, rowLimit: rowLimit))
    }
  }
}
