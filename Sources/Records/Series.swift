/// A named curve, histogram or table that reports draw.
public struct Series: Sendable, Hashable, Codable {
  /// Dotted name that sections look for, such as `detection.pr@50`.
  public var name: String
  /// Heading for people.
  public var title: String
  /// The data; exactly one kind.
  public var content: Content

  /// Makes a series.
  public init(name: String, title: String, content: Content) {
    self.name = name
    self.title = title
    self.content = content
  }

  /// The kinds of data that a series may hold.
  public enum Content: Sendable, Hashable {
    /// One or more lines over shared axes.
    case curve(Curve)
    /// Counts over shared bins.
    case histogram(Histogram)
    /// Rows of text.
    case table(Table)
  }

  /// Lines over shared axes.
  public struct Curve: Sendable, Hashable, Codable {
    /// Label of the horizontal axis, with its unit.
    public var xLabel: String
    /// Label of the vertical axis, with its unit.
    public var yLabel: String
    /// The lines, in the order of the legend.
    public var lines: [Line]
    /// Points to mark, such as the operating point.
    public var marks: [Mark]

    /// Makes a set of lines.
    public init(xLabel: String, yLabel: String, lines: [Line], marks: [Mark] = []) {
      self.xLabel = xLabel
      self.yLabel = yLabel
      self.lines = lines
      self.marks = marks
    }
  }

  /// One line; `x` and `y` have equal length.
  public struct Line: Sendable, Hashable, Codable {
    /// Name in the legend.
    public var label: String
    /// Horizontal positions.
    public var x: [Double]
    /// Vertical positions.
    public var y: [Double]

    /// Makes a line.
    public init(label: String, x: [Double], y: [Double]) {
      self.label = label
      self.x = x
      self.y = y
    }
  }

  /// A point that stands out on a curve.
  public struct Mark: Sendable, Hashable, Codable {
    /// What the point is.
    public var label: String
    /// Horizontal position.
    public var x: Double
    /// Vertical position.
    public var y: Double

    /// Makes a mark.
    public init(label: String, x: Double, y: Double) {
      self.label = label
      self.x = x
      self.y = y
    }
  }

  /// Counts in bins; group g counts `counts[g][b]` values in `edges[b] ..< edges[b + 1]`.
  public struct Histogram: Sendable, Hashable, Codable {
    /// Label of the horizontal axis, with its unit.
    public var xLabel: String
    /// Bin edges, one more than there are bins.
    public var edges: [Double]
    /// Names of the groups, drawn on one axis.
    public var groups: [String]
    /// One row of counts a group.
    public var counts: [[Int]]
    /// Values to mark with a vertical line, such as a threshold or a percentile.
    public var marks: [Mark]

    /// Makes a histogram.
    public init(
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
  public struct Table: Sendable, Hashable, Codable {
    /// Column names.
    public var columns: [String]
    /// Rows, each with a cell a column.
    public var rows: [[String]]

    /// Makes a table.
    public init(columns: [String], rows: [[String]]) {
      self.columns = columns
      self.rows = rows
    }
  }
}
