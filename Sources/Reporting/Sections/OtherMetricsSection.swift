import Records

extension ReportSection {
  /// Every measurement and series that no other section shows.
  package static let otherMetrics = ReportSection(
    id: "other-metrics", title: "Other metrics", claims: { _ in false },
    blocks: { record in
      let isClaimed = { (name: String) in ReportSections.all.contains { $0.claims(name) } }
      let whole = record.measurements.filter { $0.slice == nil && !isClaimed($0.name) }
      let sliced = record.measurements.filter {
        $0.slice != nil && !$0.isOfPopulation && !$0.isOfDimension
      }
      var blocks = [Block].metrics("Over the whole dataset", whole)
      if !sliced.isEmpty {
        var table = Table.metrics("By slice", sliced)
        table.columns.insert(.words("Slice"), at: 1)
        for (index, measurement) in sliced.enumerated() {
          table.rows[index].insert(.text(measurement.slice ?? ""), at: 1)
        }
        table.isWide = true
        blocks.append(.table(table))
      }
      return blocks
        + record.series.filter { !isClaimed($0.name) }.map { $0.block(caption: "") }
    })
}
