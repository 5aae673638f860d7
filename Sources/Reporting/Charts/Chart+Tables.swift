import Records

/// A chart's data as text, for forms that cannot draw.
struct ChartTable {
  var columns: [Table.Column]
  var rows: [[String]]
}

extension Chart {
  /// The data as small tables, about eleven points a line and at most twelve bins.
  ///
  /// Stages have none: their percentiles stand in a table of their own.
  var tables: [ChartTable] {
    switch self {
    case .curve(let curve): curve.tables
    case .histogram(let histogram): [histogram.rebinned(atMost: 12).table]
    case .stages: []
    case .heatMap(let map): [map.table]
    case .tradeOff(let plot): [plot.table]
    }
  }

  /// A few words for each mark.
  var markSentences: [String] {
    switch self {
    case .curve(let curve):
      curve.marks.map { mark in
        "\(mark.label): \(curve.xLabel) \(mark.x.shortText()), "
          + "\(curve.yLabel) \(mark.y.shortText())"
      }
    case .histogram(let histogram):
      histogram.marks.map { "\($0.label): \(histogram.xLabel) \($0.x.shortText())" }
    case .stages: []
    case .heatMap(let map): map.markSentences
    case .tradeOff(let plot):
      plot.marks.map {
        "\($0.label): \(plot.xLabel) \($0.x.shortText()), \(plot.yLabel) \($0.y.shortText())"
      }
    }
  }
}

extension Series.Curve {
  /// One table where all lines have the same positions, else one a line.
  fileprivate var tables: [ChartTable] {
    guard let first = lines.first else { return [] }
    if lines.allSatisfy({ $0.x == first.x && $0.y.count == first.x.count }) {
      return [table(of: lines)]
    }
    return lines.map { table(of: [$0]) }
  }

  private func table(of lines: [Series.Line]) -> ChartTable {
    let x = lines.first?.x ?? []
    let count = lines.map { min($0.x.count, $0.y.count) }.min() ?? 0
    let samples = Set((0...10).map { ($0 * (count - 1) + 5) / 10 }).sorted()
    return ChartTable(
      columns: [.numbers(xLabel)] + lines.map { .numbers("\(yLabel), \($0.label)") },
      rows: samples.filter { (0..<count).contains($0) }.map { index in
        [x[index].shortText()] + lines.map { $0.y[index].shortText() }
      })
  }
}

extension Sequence<Int> {
  /// The sum, or the nearest integer there is where it does not fit.
  var saturatedSum: Int {
    reduce(0) { sum, value in
      let (result, overflow) = sum.addingReportingOverflow(value)
      return overflow ? (value > 0 ? .max : .min) : result
    }
  }
}

extension Series.Histogram {
  /// The same counts in fewer bins, by joining neighbours.
  func rebinned(atMost limit: Int) -> Series.Histogram {
    let bins = edges.count - 1
    guard bins > limit, limit > 0 else { return self }
    let width = (bins + limit - 1) / limit
    let starts = Array(stride(from: 0, to: bins, by: width))
    return Series.Histogram(
      xLabel: xLabel, edges: starts.map { edges[$0] } + edges.suffix(1), groups: groups,
      counts: counts.map { row in
        starts.map { row[min($0, row.count)..<min($0 + width, row.count)].saturatedSum }
      }, marks: marks)
  }

  fileprivate var table: ChartTable {
    let rows = zip(edges, edges.dropFirst()).enumerated().map { bin, edges in
      ["\(edges.0.shortText()) to \(edges.1.shortText())"]
        + counts.map { bin < $0.count ? $0[bin].groupedText : "–" }
    }
    return ChartTable(columns: [.words(xLabel)] + groups.map { .numbers($0) }, rows: rows)
  }
}
