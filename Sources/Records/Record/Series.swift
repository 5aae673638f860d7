/// A named curve, histogram or table that reports draw.
package struct Series: Sendable, Hashable, Codable {
  /// Dotted name that sections look for, such as `detection.pr@50`.
  package var name: String
  /// Heading for people.
  package var title: String
  /// The data; exactly one kind.
  package var content: Content

  /// Makes a series.
  package init(name: String, title: String, content: Content) {
    self.name = name
    self.title = title
    self.content = content
  }

  /// Makes a table.
  package init(name: String, title: String, columns: [String], rows: [[String]]) {
    self.init(name: name, title: title, content: .table(Table(columns: columns, rows: rows)))
  }

  /// Makes a set of lines.
  package init(
    name: String, title: String, xLabel: String, yLabel: String, lines: [Line], marks: [Mark] = []
  ) {
    self.init(
      name: name, title: title,
      content: .curve(Curve(xLabel: xLabel, yLabel: yLabel, lines: lines, marks: marks)))
  }

  /// The kinds of data that a series may hold.
  package enum Content: Sendable, Hashable {
    /// One or more lines over shared axes.
    case curve(Curve)
    /// Counts over shared bins.
    case histogram(Histogram)
    /// Rows of text.
    case table(Table)
  }

  /// Lines over shared axes.
  package struct Curve: Sendable, Hashable, Codable {
    /// Label of the horizontal axis, with its unit.
    package var xLabel: String
    /// Label of the vertical axis, with its unit.
    package var yLabel: String
    /// The lines, in the order of the legend.
    package var lines: [Line]
    /// Points to mark, such as the operating point.
    package var marks: [Mark]

    /// Makes a set of lines.
    package init(xLabel: String, yLabel: String, lines: [Line], marks: [Mark] = []) {
      self.xLabel = xLabel
      self.yLabel = yLabel
      self.lines = lines
      self.marks = marks
    }
  }

  /// One line; `x` and `y` have equal length.
  package struct Line: Sendable, Hashable, Codable {
    /// Name in the legend.
    package var label: String
    /// Horizontal positions.
    package var x: [Double]
    /// Vertical positions.
    package var y: [Double]
    /// The threshold of each point; nil for lines of something else.
    package var thresholds: [Double]?

    /// Makes a line.
    package init(label: String, x: [Double], y: [Double], thresholds: [Double]? = nil) {
      self.label = label
      self.x = x
      self.y = y
      self.thresholds = thresholds
    }
  }

  /// A point that stands out on a curve.
  package struct Mark: Sendable, Hashable, Codable {
    /// What the point is.
    package var label: String
    /// Horizontal position.
    package var x: Double
    /// Vertical position.
    package var y: Double

    /// Makes a mark.
    package init(label: String, x: Double, y: Double) {
      self.label = label
      self.x = x
      self.y = y
    }
  }

  /// Counts in bins; group g counts `counts[g][b]` values in `edges[b] ..< edges[b + 1]`.
  package struct Histogram: Sendable, Hashable, Codable {
    /// Label of the horizontal axis, with its unit.
    package var xLabel: String
    /// Bin edges, one more than there are bins.
    package var edges: [Double]
    /// Names of the groups, drawn on one axis.
    package var groups: [String]
    /// One row of counts a group.
    package var counts: [[Int]]
    /// Values to mark with a vertical line, such as a threshold or a percentile.
    package var marks: [Mark]

    /// Makes a histogram.
    package init(
      xLabel: String, edges: [Double], groups: [String], counts: [[Int]], marks: [Mark] = []
    ) {
      self.xLabel = xLabel
      self.edges = edges
      self.groups = groups
      self.counts = counts
      self.marks = marks
    }
  }

  /// Rows of text under column names.
  package struct Table: Sendable, Hashable, Codable {
    /// Column names.
    package var columns: [String]
    /// Rows, each with a cell a column.
    package var rows: [[String]]

    /// Makes a table.
    package init(columns: [String], rows: [[String]]) {
      self.columns = columns
      self.rows = rows
    }
  }
}

extension Series.Content: Codable {
  private enum Kind: String, Codable {
    case curve, histogram, table
  }

  private enum CodingKeys: String, CodingKey {
    case kind
  }

  /// Reads an object whose `kind` selects its other fields.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .curve: self = .curve(try Series.Curve(from: decoder))
    case .histogram: self = .histogram(try Series.Histogram(from: decoder))
    case .table: self = .table(try Series.Table(from: decoder))
    }
  }

  /// Writes `kind` and the fields of that kind.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .curve(let curve):
      try container.encode(Kind.curve, forKey: .kind)
      try curve.encode(to: encoder)
    case .histogram(let histogram):
      try container.encode(Kind.histogram, forKey: .kind)
      try histogram.encode(to: encoder)
    case .table(let table):
      try container.encode(Kind.table, forKey: .kind)
      try table.encode(to: encoder)
    }
  }
}
