internal import Platform
package import Records

/// What sections are made of; every renderer switches over all of it.
package enum Block: Sendable, Hashable {
  /// A heading inside a section.
  case heading(String)
  /// Running text.
  case paragraph(String)
  /// The verdict over all gates, with one sentence.
  case verdict(Verdict, String)
  /// The three answers that a reader decides with, and their charts.
  case decision(Decision)
  /// The few most important metrics.
  case headline([HeadlineMetric])
  /// Rows under column names.
  case table(Table)
  /// A chart with its caption.
  case figure(Figure)
  /// Images with captions.
  case gallery([Record.Image])
  /// What suggests that labels and predictions do not speak of the same thing.
  case findings([Finding])
  /// What a reader must know, a sentence each.
  case notes([String])
  /// Text to be read letter by letter.
  case code(String)
}

extension Block {
  /// Rows under column names.
  static func table(
    title: String, columns: [Table.Column], rows: [[Table.Cell]], remark: String? = nil,
    isWide: Bool = false
  ) -> Block {
    .table(Table(title: title, columns: columns, rows: rows, remark: remark, isWide: isWide))
  }

  /// A chart with its caption.
  static func figure(
    title: String, caption: String, chart: Chart, limits: [ChartLimit] = [],
    axis: SelectionAxis? = nil
  ) -> Block {
    .figure(Figure(title: title, caption: caption, chart: chart, limits: limits, axis: axis))
  }
}

/// One of the metrics at the top of a report.
package struct HeadlineMetric: Sendable, Hashable {
  /// What it is, in a few words.
  package var label: String
  /// The value without its unit; `–` where it is undefined.
  package var value: String
  /// The unit; empty for plain ratios.
  package var unit: String
  /// What it rests on, such as the number of observations, or why there is no value.
  package var detail: String
  /// The limits that its gates set; nil where it has none.
  package var limit: String?
  /// The verdict of the metric's gate; nil where it has none.
  package var verdict: Verdict?
}

/// Rows of cells under column names.
package struct Table: Sendable, Hashable {
  /// A column's name and alignment.
  package struct Column: Sendable, Hashable {
    /// What the cells hold, with the unit they share.
    package var title: String
    /// Whether the cells are numbers, which align to the right.
    package var isNumeric: Bool

    /// A column of words.
    package static func words(_ title: String) -> Column {
      Column(title: title, isNumeric: false)
    }

    /// A column of numbers.
    package static func numbers(_ title: String) -> Column {
      Column(title: title, isNumeric: true)
    }
  }

  /// What a cell holds.
  package enum Content: Sendable, Hashable {
    /// Words or a number.
    case text(String)
    /// A name to be read letter by letter.
    case code(String)
    /// A verdict.
    case verdict(Verdict)
    /// Words that lead to another file, by its path relative to the page.
    case link(String, path: String)
    /// A metric over runs, oldest first, each with a value.
    case sparkline([Measurement])
  }

  /// A cell, and what must be known to read it.
  package struct Cell: Sendable, Hashable {
    /// What is shown.
    package var content: Content
    /// A footnote, such as why a value is undefined.
    package var note: String?
    /// The frames, or the setting, that the cell selects; nil for none.
    package var selection: String?

    /// Words or a number, with a footnote and what it selects if they are given.
    package static func text(
      _ text: String, note: String? = nil, selection: String? = nil
    ) -> Cell {
      Cell(content: .text(text), note: note, selection: selection)
    }

    /// A name to be read letter by letter.
    package static func code(_ text: String) -> Cell {
      Cell(content: .code(text), note: nil)
    }

    /// Words that lead to another file, by its path relative to the page.
    package static func link(_ text: String, to path: String) -> Cell {
      Cell(content: .link(text, path: path), note: nil)
    }

    /// A metric over runs, oldest first; nil without a value.
    package static func sparkline(_ metrics: [Measurement]) -> Cell? {
      let known = metrics.filter { $0.value?.isFinite == true }
      return known.isEmpty ? nil : Cell(content: .sparkline(known), note: nil)
    }

    /// A verdict.
    package static func verdict(_ verdict: Verdict) -> Cell {
      Cell(content: .verdict(verdict), note: nil)
    }
  }

  /// What the table shows.
  package var title: String
  /// The columns, left to right.
  package var columns: [Column]
  /// The rows, each with a cell a column.
  package var rows: [[Cell]]
  /// What stands below, such as how many rows were left out.
  package var remark: String?
  /// Whether it takes the whole width of the page.
  package var isWide = false

  /// A table of cells.
  package init(
    title: String, columns: [Column], rows: [[Cell]], remark: String? = nil, isWide: Bool = false
  ) {
    self.title = title
    self.columns = columns
    self.rows = rows
    self.remark = remark
    self.isWide = isWide
  }

  /// A table of rows by what each column has of one; a column that no row fills is left out.
  init<Row>(
    _ title: String, of rows: some Collection<Row>, columns: [(Column, (Row) -> Cell?)],
    remark: String? = nil, isWide: Bool = false
  ) {
    let filled = columns.map { column in (column.0, rows.map(column.1)) }
      .filter { _, cells in cells.isEmpty || cells.contains { $0 != nil } }
    self.init(
      title: title, columns: filled.map(\.0),
      rows: (0..<rows.count).map { row in filled.map { $0.1[row] ?? .text("–") } },
      remark: remark, isWide: isWide)
  }

  /// The footnotes in the order of their first cell, each once.
  package var notes: [String] {
    rows.joined().compactMap(\.note).uniqued
  }
}

extension Table {
  /// How many rows a table of a series shows.
  static let rowLimit = 40

  /// A table of a record, cut to `rowLimit` rows with the number left out below.
  init(_ title: String, _ table: Series.Table, rowLimit: Int = Table.rowLimit) {
    let left = table.rows.count - rowLimit
    self.init(
      title: title, columns: table.columns.map { .words($0) },
      rows: table.rows.prefix(rowLimit).map { row in row.map { .text($0) } },
      remark: left > 0 ? "and \(left.groupedText) more" : nil,
      isWide: table.columns.count > 3)
  }
}

/// A chart with its title and caption.
package struct Figure: Sendable, Hashable {
  /// What the chart shows.
  package var title: String
  /// How to read it; may be empty.
  package var caption: String
  /// The data.
  package var chart: Chart
  /// The limits of gates and objectives, and budgets, that lie on the chart.
  package var limits: [ChartLimit] = []
  /// What the points or bins along the horizontal axis select; nil for nothing.
  package var axis: SelectionAxis?
}

/// A value on an axis that a gate, an objective or a budget sets.
package struct ChartLimit: Sendable, Hashable {
  /// The axis that the value is on.
  package enum Axis: Sendable, Hashable {
    /// From left to right.
    case horizontal
    /// From bottom to top.
    case vertical
  }

  /// What sets it, with the value.
  package var label: String
  /// The axis that the value is on.
  package var axis: Axis
  /// The value.
  package var value: Double
  /// The gate's verdict; nil for a budget or an objective's limit.
  package var verdict: Verdict?
}

/// A number of each frame that charts and the frame explorer share; raw values are names of lanes.
package enum FrameLane: String, Sendable, Hashable, CaseIterable {
  /// 1 where the detector ran, else 0.
  case detector
  /// Missed faces and false positives.
  case errors
  /// Faces missed beyond those of the frame before in the clip; without labels, faces that are gone.
  case losses
  /// Milliseconds of a frame.
  case latency
  /// The largest error (NME by interocular distance) of the frame's faces.
  case nme
  /// The smallest presence of the frame's faces.
  case presence
  /// The largest score of the frame's detections.
  case score
  /// How far the first face's points moved since the frame before, in thousandths of its diagonal.
  case motion
  /// How much that motion changed, as a root mean square over the points in pixels.
  case jitter
  /// How far the faces' points are from the base run's, in thousandths of the faces' diagonals.
  case moved

  /// The lane's name for people.
  var title: String {
    switch self {
    case .detector: "Detector ran"
    case .errors: "Errors"
    case .losses: "Losses"
    case .latency: "Latency"
    case .nme: "NME"
    case .presence: "Presence"
    case .score: "Score"
    case .motion: "Motion"
    case .jitter: "Jitter"
    case .moved: "Points moved"
    }
  }

  /// The unit; `1` for plain numbers.
  var unit: String {
    switch self {
    case .latency: "ms"
    case .jitter: "px"
    case .motion, .moved: "‰"
    case .detector, .errors, .losses, .nme, .presence, .score: "1"
    }
  }
}
