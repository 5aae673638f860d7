internal import Platform
import Records

extension Table {
  /// Measurements as rows: title, name, value, interval where any has one, number of observations.
  static func metrics(_ title: String, _ measurements: [Measurement]) -> Table {
    let hasTitles = measurements.contains { $0.title != $0.name }
    let hasIntervals = measurements.contains { $0.interval.low != nil }
    let reasons = Set(measurements.compactMap(\.interval.reason)).sorted()
    return Table(
      title, of: measurements,
      columns: [
        (.words("Metric"), { hasTitles ? .text($0.title) : nil }),
        (.words("Name"), { .code($0.name) }),
        (.numbers("Value"), { .text($0.valueText, note: $0.footnote) }),
        (.numbers("Interval"), { hasIntervals ? $0.intervalCell : nil }),
        (.numbers("n"), { .text($0.n.groupedText) }),
        (.words("Better"), { .text($0.better.symbol(target: $0.target)) }),
      ],
      remark: hasIntervals || reasons.isEmpty
        ? nil : "No intervals: " + reasons.joined(separator: "; ") + ".",
      isWide: hasIntervals && hasTitles)
  }
}

extension [Block] {
  /// A table of measurements; none without any.
  static func metrics(_ title: String, _ measurements: [Measurement]) -> [Block] {
    measurements.isEmpty ? [] : [.table(.metrics(title, measurements))]
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
  /// The block that draws or lists this series; `limits` lie on a chart.
  func block(
    caption: String, axis: SelectionAxis? = nil, limits: [ChartLimit] = [],
    rowLimit: Int = Reporting.Table.rowLimit
  ) -> Block {
    let chart: Chart
    switch content {
    case .curve(let curve): chart = .curve(curve)
    case .histogram(let histogram): chart = .histogram(histogram)
    case .table(let table): return .table(Reporting.Table(title, table, rowLimit: rowLimit))
    }
    return .figure(
      title: title, caption: caption, chart: chart, limits: limits, axis: axis ?? selectionAxis)
  }
}
