import Records

extension ReportSection {
  /// What went wrong in each clip, worst first, each with its worst frame.
  package static let clips: ReportSection = ReportSection(
    id: "clips", title: "Clips and worst frames",
    claims: { [SeriesName.clips, SeriesName.worstFrames].contains($0) },
    blocks: { record in
      record.series(of: clips).compactMap { series in
        guard case .table(let table) = series.content else { return nil }
        return .table(linked(series.title, table))
      }
    })

  /// So many clips are shown.
  private static let limit = 20

  /// The table without frame numbers: names of frames select them.
  private static func linked(_ title: String, _ table: Series.Table) -> Table {
    let number = table.columns.firstIndex(of: ClipColumn.number.rawValue)
    let frame = table.columns.firstIndex(of: ClipColumn.worst.rawValue) ?? 0
    let left = table.rows.count - limit
    return Table(
      title: title,
      columns: table.columns.enumerated().filter { $0.offset != number }.map { column in
        column.offset == 0 || column.offset == frame
          ? .words(column.element) : .numbers(column.element)
      },
      rows: table.rows.prefix(limit).map { row in
        row.enumerated().filter { $0.offset != number }.map { cell in
          .text(
            cell.element,
            selection: cell.offset == frame
              ? number.flatMap { SelectionAxis.selection(ofFrame: row[$0]) } : nil)
        }
      },
      remark: left > 0
        ? "\(counted(left, "clip")) with fewer errors left out here; record.json has them." : nil,
      isWide: true)
  }
}
