internal import Platform
package import Records

/// What people read about how timings went over commits.
package struct HistoryReport: Sendable {
  private let history: TimingHistory

  /// A report of that history.
  package init(_ history: TimingHistory) {
    self.history = history
  }

  /// Shifts, a chart for each population, and the runs.
  package var document: ReportDocument {
    var sections = [
      ReportDocument.Section(
        id: "shifts", title: "Shifts of the median",
        blocks: [shifts] + (history.notes.isEmpty ? [] : [.notes(history.notes)]))
    ]
    var slices: [FramePopulation] = []
    for line in history.lines where !slices.contains(line.slice) { slices.append(line.slice) }
    for slice in slices {
      let title = slice.words.prefix(1).uppercased() + slice.words.dropFirst()
      sections.append(
        ReportDocument.Section(id: slice.rawValue, title: title, blocks: charts(slice)))
    }
    sections.append(
      ReportDocument.Section(id: "runs", title: "Runs", blocks: [.table(runs)]))
    return ReportDocument(
      title: "FaceGauge history: \(history.dataset)",
      facts: [
        counted(history.runs.count, "run"), history.runs.first?.created ?? "",
        history.runs.last?.created ?? "",
      ].filter { !$0.isEmpty }, sections: sections)
  }

  private var shifts: Block {
    let rows = history.lines.flatMap { line in
      line.shifts.map { shift -> [Table.Cell] in
        [
          .text(line.stage), .text(line.slice.rawValue), .code(history.runs[shift.run].label),
          .text(shift.before.shortText()), .text(shift.after.shortText()),
          .text((shift.change > 0 ? "+" : "") + (100 * shift.change).shortText() + " %"),
          .text(shift.p.text(significantDigits: 2)),
        ]
      }
    }
    guard !rows.isEmpty else { return .paragraph("No shift was found.") }
    return .table(
      Table(
        title: "Medians as multiples of the reference kernel",
        columns: [
          .words("Stage"), .words("Frames"), .words("From"), .numbers("Before"), .numbers("After"),
          .numbers("Change"), .numbers("p"),
        ], rows: rows,
        remark:
          "Rank sums before and after, at least five runs on each side; p is multiplied by the "
          + "numbers of positions and of stages, and is at most 0.05.", isWide: true))
  }

  private func charts(_ slice: FramePopulation) -> [Block] {
    history.lines.filter { $0.slice == slice }.map { line in
      let known = line.values.indices.compactMap { index in
        line.values[index].map { (Double(index + 1), $0) }
      }
      return .figure(
        Figure(
          title: line.stage, caption: "",
          chart: .curve(
            Series.Curve(
              xLabel: "run", yLabel: "times the reference kernel",
              lines: [
                Series.Line(label: line.stage, x: known.map(\.0), y: known.map(\.1))
              ],
              marks: line.shifts.map {
                Series.Mark(
                  label: history.runs[$0.run].label, x: Double($0.run + 1), y: $0.after)
              }))))
    }
  }

  private var runs: Table {
    Table(
      title: counted(history.runs.count, "run"),
      columns: [
        .numbers("Run"), .words("Commit"), .words("Measured"), .words("File"),
        .numbers("Reference kernel"),
      ],
      rows: history.runs.enumerated().map { index, run in
        [
          .text("\(index + 1)"), .code(run.commit.map { String($0.prefix(10)) } ?? "–"),
          .text(run.created), .text(run.file),
          .text(run.referenceMilliseconds.shortText() + " ms"),
        ]
      }, isWide: true)
  }
}
