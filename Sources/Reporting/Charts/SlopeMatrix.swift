internal import Platform
package import Records

/// How much each coefficient moves with each other one and with the head, as colours by size.
package struct SlopeMatrix: Sendable, Hashable, DrawnChart {
  /// The slopes.
  package var mutual: Leakage.Matrix
  /// Whether a coefficient has a slope on itself, as a prediction has on its label.
  package var hasOwn: Bool

  /// Draws the slopes of coefficients on each other.
  package init(_ mutual: Leakage.Matrix, hasOwn: Bool = false) {
    self.mutual = mutual
    self.hasOwn = hasOwn
  }

  /// A slope that is surely larger has a colour: labels that each move alone leave few slopes that could be 0.
  private var limit: Double { hasOwn ? 0.02 : 0 }

  private func isShown(_ row: String, _ column: String) -> Bool { hasOwn || row != column }

  private static let shades = 10
  /// Slopes of this size or more have the last colour.
  private static let largest = 1.0

  func svg(id: String, in figure: Figure) -> String {
    let (rows, columns) = (mutual.rows, mutual.columns)
    let cell = 8.0
    let room = 6.1 * Double((rows + columns).map(\.count).max() ?? 1) * 0.72 + 8
    let (left, top) = (room, room + 26)
    let (width, height) = (
      left + cell * Double(columns.count) + 8, top + cell * Double(rows.count) + 8
    )
    var xml = XMLWriter()
    drawKey(to: &xml)
    let style = "font-size:6.5px"
    for (index, name) in rows.enumerated() {
      xml.element(
        "text",
        [
          "class": "tick", "style": style, "text-anchor": "end", "x": coordinate(left - 4),
          "y": coordinate(top + cell * (Double(index) + 0.8)),
        ], text: name)
    }
    for (index, name) in columns.enumerated() {
      let x = left + cell * (Double(index) + 0.8)
      xml.element(
        "text",
        [
          "class": "tick", "style": style,
          "transform": "translate(\(coordinate(x)) \(coordinate(top - 4))) rotate(-90)",
        ], text: name)
    }
    for (row, slopes) in mutual.slopes.enumerated() {
      for (column, slope) in slopes.enumerated() where isShown(rows[row], columns[column]) {
        xml.element(
          "rect",
          [
            "class": slope.atLeast > limit ? "h\(shade(of: slope.value))" : "hole",
            "x": coordinate(left + cell * Double(column)),
            "y": coordinate(top + cell * Double(row)), "width": coordinate(cell),
            "height": coordinate(cell),
          ]
        ) {
          $0.element(
            "title", text: "\(rows[row]) with \(columns[column]): \(slope.text)")
        }
      }
    }
    return xml.svg(
      id: id, title: figure.title,
      description:
        "\(counted(rows.count, "coefficient")) with \(counted(columns.count, "variable")), "
        + "\(known) slopes whose interval excludes \(hasOwn ? "±.02" : "0")",
      width: width, height: height)
  }

  private var known: Int { mutual.slopes.joined().count { $0.atLeast > limit } }

  private func shade(of slope: Double) -> Int {
    min(Self.shades - 1, Int(slope.magnitude / Self.largest * Double(Self.shades)))
  }

  private func drawKey(to xml: inout XMLWriter) {
    xml.element("text", ["class": "key", "x": "4", "y": "14"], text: "|slope| 0")
    for step in 0..<Self.shades {
      xml.empty(
        "rect",
        [
          "class": "h\(step)", "x": coordinate(64 + 16 * Double(step)), "y": "3", "width": "16",
          "height": "14",
        ])
    }
    xml.element("text", ["class": "key", "x": "230", "y": "14"], text: "1 and more")
  }

  /// The largest slopes that have a colour, for forms that cannot draw.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable] {
    let cells = zip(mutual.rows, mutual.slopes).flatMap { row, slopes in
      zip(mutual.columns, slopes).filter { isShown(row, $0.0) && $0.1.atLeast > limit }
        .map { (row: row, column: $0.0, slope: $0.1) }
    }
    return [
      ChartTable(
        columns: [.words("Moves"), .words("With"), .numbers("Slope")],
        texts: cells.enumerated().sorted {
          ($1.element.slope.atLeast, $0.offset) < ($0.element.slope.atLeast, $1.offset)
        }.prefix(12).map { [$0.element.row, $0.element.column, $0.element.slope.text] })
    ]
  }
}

extension Leakage.Slope {
  /// The value with its interval, where there is one.
  package var text: String {
    let ends = endsText { $0.text(decimals: 3) }
    return value.text(decimals: 3) + (ends.map { " (\($0))" } ?? "")
  }
}
