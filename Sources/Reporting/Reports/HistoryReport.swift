internal import Platform
package import Records

/// What people read about how metrics, or the medians of stages, went over commits.
package struct HistoryReport: Sendable {
  private let history: MetricHistory

  /// A report of that history.
  package init(_ history: MetricHistory) {
    self.history = history
  }

  private var isOfTimes: Bool { history.lines.contains { $0.slice != nil } }

  /// The newest run, shifts, a chart for each metric or stage, and the runs.
  package var document: ReportDocument {
    var sections = [
      ReportDocument.Section(
        id: "newest", title: "The newest run", blocks: newest),
      ReportDocument.Section(
        id: "shifts", title: isOfTimes ? "Shifts of the median" : "Shifts",
        blocks: [shifts] + (history.notes.isEmpty ? [] : [.notes(history.notes)])),
    ]
    for slice in history.lines.map(\.slice).uniqued {
      let words = slice?.words ?? "metrics"
      sections.append(
        ReportDocument.Section(
          id: slice?.rawValue ?? "metrics", title: words.prefix(1).uppercased() + words.dropFirst(),
          blocks: history.lines.filter { $0.slice == slice }.map(chart)))
    }
    sections.append(ReportDocument.Section(id: "runs", title: "Runs", blocks: [.table(runs)]))
    return ReportDocument(
      title: "FaceGauge history: \(history.dataset)",
      facts: [
        counted(history.runs.count, "run"), history.runs.first?.created ?? "",
        history.runs.last?.created ?? "",
      ].filter { !$0.isEmpty }, sections: sections)
  }

  private var hasLimits: Bool { history.lines.contains { $0.limit != nil } }

  private var newest: [Block] {
    let rows = history.lines.map { line -> [Table.Cell] in
      let value = line.values.last.flatMap { $0 }
      let ends = line.intervals.last.flatMap { $0 }
      return [
        .code(line.label), .text(value.map { line.text($0) } ?? "–"),
        .text(ends.map { "\(line.text($0[0])) to \(line.text($0[1]))" } ?? "–"),
        .text(line.newest.map { "\(line.text($0.low)) to \(line.text($0.high))" } ?? "–"),
        .text(line.verdict),
      ] + (hasLimits ? [.text(line.limit.map { line.text($0) } ?? "–")] : [])
    }
    return [
      .paragraph(history.sentence),
      .table(
        title: "The newest run and the \(MetricHistory.usualRuns) before it",
        columns: [
          .words(isOfTimes ? "Stage" : "Metric"), .numbers("Newest"), .numbers("Its interval"),
          .numbers("Usual"), .words("Verdict"),
        ] + (hasLimits ? [.numbers("Limit of its gate")] : []), rows: rows,
        remark:
          "Usual is where the next run lies if nothing changes, from the mean and spread of ten runs by Student's t; "
          + "in 1 of 100 histories some newest value is beyond its limit on the worse side by chance.",
        isWide: true),
    ]
  }

  private var shifts: Block {
    let rows = history.lines.flatMap { line in line.shifts.map { row(of: $0, in: line) } }
    guard !rows.isEmpty else { return .paragraph("No shift was found.") }
    return .table(
      title: isOfTimes ? "Medians as multiples of the reference kernel" : "Medians of the runs",
      columns: [
        .words(isOfTimes ? "Stage" : "Metric"), .words("From"), .numbers("Before"),
        .numbers("After"), .numbers("Change"), .numbers("p"),
      ], rows: rows,
      remark:
        "Rank sums before and after, at least five runs on each side; p is multiplied by the "
        + "numbers of positions and of \(isOfTimes ? "stages" : "metrics"), and is at most 0.05.",
      isWide: true)
  }

  private func row(of shift: MetricHistory.Shift, in line: MetricHistory.Line) -> [Table.Cell] {
    let change = shift.change.map { ($0 > 0 ? "+" : "") + (100 * $0).shortText() + " %" }
    return [
      .code(line.label), .code(history.runs[shift.run].label), .text(line.text(shift.before)),
      .text(line.text(shift.after)), .text(change ?? "–"),
      .text(shift.p.text(significantDigits: 2)),
    ]
  }

  private func chart(_ line: MetricHistory.Line) -> Block {
    func curve(_ label: String, _ value: (Int) -> Double?) -> Series.Line? {
      let known = line.values.indices.compactMap { index in
        value(index).map { (Double(index + 1), $0) }
      }
      return known.isEmpty
        ? nil : Series.Line(label: label, x: known.map(\.0), y: known.map(\.1))
    }
    let ends = [("lower end", 0), ("upper end", 1)].compactMap { label, end in
      curve(label) { line.intervals[$0]?[end] }
    }
    let limit = line.limit.flatMap { limit in curve("limit of its gate") { _ in limit } }
    return .figure(
      title: line.name, caption: "",
      chart: .curve(
        Series.Curve(
          xLabel: "run", yLabel: line.unit == "1" ? line.name : line.unit,
          lines: [curve(line.name) { line.values[$0] }].compactMap(\.self) + ends
            + [limit].compactMap(\.self),
          marks: line.shifts.map {
            Series.Mark(label: history.runs[$0.run].label, x: Double($0.run + 1), y: $0.after)
          })))
  }

  private var runs: Table {
    Table(
      title: counted(history.runs.count, "run"),
      columns: [.numbers("Run"), .words("Commit"), .words("Measured"), .words("File")]
        + (isOfTimes ? [.numbers("Reference kernel")] : []),
      rows: history.runs.enumerated().map { index, run in
        [
          .text("\(index + 1)"), .code(run.commit.map { String($0.prefix(10)) } ?? "–"),
          .text(run.created), .text(run.file),
        ]
          + (run.referenceMilliseconds.map { [.text($0.shortText() + " ms")] } ?? [])
      }, isWide: true)
  }
}
