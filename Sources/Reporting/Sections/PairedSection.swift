import Records

extension ReportSection {
  /// How long each stage takes compared with another build of the program or an earlier run.
  package static let paired = ReportSection(
    id: "paired", title: "Against another build", claims: { $0.hasPrefix("paired.") },
    blocks: { record in
      record.series.filter { $0.name.hasPrefix("paired.") }.flatMap { series -> [Block] in
        guard case .table(let rows) = series.content else { return [] }
        var table = Table(series.title, rows)
        table.remark =
          series.name == "paired.stages"
          ? "Median of ln(candidate/base) over pairs on the same frames, as a change; the interval "
            + "is from blocks of pairs, σ from the base against itself."
          : "Medians divided by the reference kernel of each run; the interval does not include "
            + "other load on the machine in one of the runs."
        return [.table(table)]
      }
    })
}
