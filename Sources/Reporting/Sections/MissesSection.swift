import Records

extension ReportSection {
  /// The labelled faces that were not found.
  package static let misses: ReportSection = ReportSection(
    id: "misses", title: "Misses", claims: { $0 == SeriesName.misses },
    blocks: { record in
      record.series(of: misses).filter(\.hasRows).map { $0.block(caption: "") }
    })
}

extension Series {
  fileprivate var hasRows: Bool {
    guard case .table(let table) = content else { return true }
    return !table.rows.isEmpty
  }
}
