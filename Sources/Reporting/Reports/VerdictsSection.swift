internal import Platform
package import Records

extension ResultVerdicts {
  /// How many changes the table has.
  private static let shown = 20
  fileprivate static let sectionID = "verdicts"

  /// The verdicts, and the metrics that differ from the base's, the surest first.
  var section: ReportDocument.Section {
    var blocks: [Block] = []
    if !gates.isEmpty { blocks.append(.table(.verdicts(gates) { units?[$0.metric] })) }
    if base != nil { blocks += [.paragraph(sentence), .table(table)] }
    return ReportDocument.Section(id: Self.sectionID, title: title, blocks: blocks)
  }

  private var title: String {
    gates.isEmpty ? "Against the base" : base == nil ? "Gates" : "Gates, and against the base"
  }

  /// How many metrics differ from the base's, and which most surely; empty without a base.
  package var sentence: String {
    guard let base else { return "" }
    let sure = sureChanges
    let names = sure.prefix(3).map { change in
      "\(change.metric)\(change.slice.map { " in \($0)" } ?? "") by \(Self.text(change))"
    }
    let most = names.isEmpty ? "." : ". Most surely \(names.joined(separator: ", "))."
    let chance = Int((Double(changes.count) / 20).rounded())
    return
      "Against \(base) \(sure.count.groupedText) of \(counted(changes.count, "metric")) have a "
      + "difference whose interval excludes 0; by chance alone about \(chance) would\(most)"
  }

  private static func ends(_ estimate: Response.Estimate) -> String {
    estimate.endsText { $0.shortText() } ?? "–"
  }

  private static func difference(_ change: Change) -> String {
    change.difference.value.map { $0.shortText() + change.suffix } ?? "–"
  }

  private static func text(_ change: Change) -> String {
    "\(difference(change)) (\(ends(change.difference)))"
  }

  private var table: Table {
    let sure = sureChanges
    let rows = (sure + changes.filter { !sure.contains($0) }).prefix(Self.shown)
    return Table(
      "Differences from \(base ?? "the base")", of: rows,
      columns: [
        (.words("Metric"), { .code($0.metric) }),
        (.words("Slice"), { .text($0.slice ?? "all") }),
        (.numbers("Base"), { .text($0.base.text(decimals: 3) + $0.suffix) }),
        (.numbers("Value"), { .text($0.value.text(decimals: 3) + $0.suffix) }),
        (.numbers("Difference"), { .text(Self.difference($0)) }),
        (.words("Interval"), { .text(Self.ends($0.difference), note: $0.difference.reason) }),
      ],
      remark:
        "Over the same resamples of both. Of a metric that is best near a target, such as a gain, the difference is "
        + "that of the distances to it: below 0 is nearer."
        + (changes.count > Self.shown ? " The first \(Self.shown) of \(changes.count)." : ""),
      isWide: true)
  }
}

extension ReportDocument {
  /// The few lines for a page of many jobs: what gates say and what differs from the base; nil without either.
  package func verdictsMarkdown() -> String? {
    var short = self
    short.sections.removeAll { $0.id != ResultVerdicts.sectionID }
    return short.sections.isEmpty ? nil : short.markdown()
  }
}

extension ResultVerdicts.Change {
  /// What follows a number of the metric, such as ` ms`.
  fileprivate var suffix: String { unit.map(Measurement.unitSuffix) ?? "" }
}
