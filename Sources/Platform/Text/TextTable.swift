/// Columns of text that line up, two spaces apart.
///
/// A left-aligned cell at the end of its row has no spaces behind it. A row may have fewer cells than others.
package struct TextTable: Sendable {
  /// The side on which the cells of a column line up.
  package enum Alignment: Sendable {
    case left, right
  }

  private let alignments: [Alignment]
  private let rows: [[String]]

  /// Makes a table of rows; columns that have no alignment of their own have the last one.
  package init(_ alignments: [Alignment] = [.left], rows: [[String]]) {
    self.alignments = alignments
    self.rows = rows
  }

  /// A line for each row, without a line break.
  package var lines: [String] {
    let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        let alignment = column < alignments.count ? alignments[column] : alignments.last
        if alignment == .right { return space + cell }
        return column == row.count - 1 ? cell : cell + space
      }
      return cells.joined(separator: "  ")
    }
  }
}
