internal import Platform
package import Records

/// What people read about how coefficients move with the head and with each other.
package struct LeakageReport: Sendable {
  private let leakage: Leakage

  /// A report of a measurement.
  package init(_ leakage: Leakage) {
    self.leakage = leakage
  }

  /// The head, then each other, then what took no part.
  package var document: ReportDocument {
    ReportDocument(
      title: "FaceGauge leakage: \(leakage.source)",
      facts: [
        counted(leakage.faces, "face"),
        leakage.clips > 0 ? counted(leakage.clips, "clip") : counted(leakage.stills, "still"),
        leakage.created, "\(leakage.tool.name) \(leakage.tool.version)",
      ],
      sections: .init([
        ("head", "With the head", head), ("coefficients", "With each other", mutual),
        (
          "method", "What was measured",
          [.table(turning), .paragraph(method)]
            + (leakage.leftOut.isEmpty ? [] : [.table(leftOut)])
        ),
      ]))
  }

  private var mutual: [Block] {
    guard let mutual = leakage.mutual else { return [] }
    return (leakage.rankedPairs.hasIntervals ? [.figure(matrix(mutual))] : []) + [.table(pairs)]
  }

  /// The largest change with the head that is told from 0.
  package var sentence: String {
    let ranked = leakage.rankedTurns
    guard let first = ranked.first else { return "The head turns too little to give slopes." }
    guard ranked.hasIntervals else {
      return "No slope has an interval, so none can be told from 0."
    }
    let sure = ranked.count { $0.slope.atLeast > 0 }
    let all = counted(ranked.count, "slope")
    guard sure > 0 else { return "Of \(all) with the head none can be told from 0." }
    return "\(first.coefficient) changes by \(first.slope.text) per 10° of \(first.with); "
      + "\(sure) of \(all) with the head can be told from 0."
  }

  private func matrix(_ mutual: Leakage.Matrix) -> Figure {
    Figure(
      title: "How much a row moves with a column, all others held",
      caption:
        "Change of the row's coefficient per 1 of the column's, or per 10° of an angle. A cell "
        + "without colour has an interval that contains 0, or none. Point at a cell for its interval.",
      chart: .slopes(SlopeMatrix(mutual)))
  }

  private var head: [Block] {
    let notes: [Block] = leakage.notes.isEmpty ? [] : [.notes(leakage.notes)]
    guard !leakage.turns.isEmpty else {
      return [.paragraph("The head turns too little to give slopes.")] + notes
    }
    return notes + [.table(turns), .table(allTurns)]
  }

  private var turns: Table {
    let ranked = leakage.rankedTurns
    let sure = ranked.filter { $0.slope.atLeast > 0 }
    let shown = (sure.isEmpty ? ranked : sure).prefix(20)
    return Table(
      !sure.isEmpty
        ? "Largest changes with the head, by the end of the interval nearest 0"
        : ranked.hasIntervals
          ? "Largest changes with the head; no interval excludes 0"
          : "Largest changes with the head, without intervals",
      of: shown,
      columns: [
        (.words("Coefficient"), { .code($0.coefficient) }),
        (.words("Angle"), { .text($0.with) }),
        (.numbers("Change per 10°"), { .number($0.slope.value) }),
        (.numbers("Interval"), { .text($0.slope.intervalText, note: $0.slope.reason) }),
        (.numbers("At least"), { .text($0.slope.atLeastText) }),
      ],
      remark: !ranked.hasIntervals
        ? "No slope has an interval, so none can be told from 0."
        : "\(sure.count) of \(counted(ranked.count, "slope")) have an interval without 0; of slopes "
          + "that are all 0 about 1 in 20 has one by chance.",
      isWide: true)
  }

  private var allTurns: Table {
    var table = Table(
      title: "Every coefficient with the head: change per 10°",
      columns: [.words("Coefficient")] + leakage.angles.map { .numbers($0) }
        + [.numbers("Explained")],
      rows: leakage.turns.map { turn in
        [.code(turn.coefficient)]
          + turn.slopes.map { .text($0.value.text(decimals: 3) + ($0.atLeast > 0 ? " *" : "")) }
          + [.text((100 * turn.explained).text(decimals: 0) + " %")]
      })
    table.remark =
      "*: the interval excludes 0. Explained: share of the variance within clips that the head's "
      + "angles explain."
    table.isWide = true
    return table
  }

  private var pairs: Table {
    let ranked = leakage.rankedPairs
    let sure = ranked.filter { $0.slope.atLeast > 0 }
    return Table(
      "Largest changes with another coefficient",
      of: (sure.isEmpty ? ranked : sure).prefix(Table.rowLimit),
      columns: [
        (.words("Moves"), { .code($0.coefficient) }),
        (.words("With"), { .code($0.with) }),
        (.numbers("Change per 1"), { .number($0.slope.value) }),
        (.numbers("Interval"), { .text($0.slope.intervalText, note: $0.slope.reason) }),
        (.numbers("At least"), { .text($0.slope.atLeastText) }),
      ],
      remark: (ranked.hasIntervals
        ? "\(sure.count.groupedText) of \(counted(ranked.count, "slope")) have an interval without 0. "
        : "No slope has an interval, so none can be told from 0. ")
        + "Faces move several muscles at once, so a slope is no error by itself.", isWide: true)
  }

  private var turning: Table {
    Table(
      "How far the head turns", of: leakage.turning,
      columns: [
        (.words("Angle"), { .text($0.angle) }),
        (.numbers("Deviation within clips"), { .text($0.deviation.text(decimals: 1) + "°") }),
        (.numbers("Smallest"), { .text($0.min.text(decimals: 1) + "°") }),
        (.numbers("Largest"), { .text($0.max.text(decimals: 1) + "°") }),
      ], remark: Leakage.signs)
  }

  private var method: String {
    "Least squares of each coefficient on the angles within clips, and of each coefficient on all "
      + "others and the angles; each slope with all other variables held. Angles are the tracker's "
      + "own. Intervals of 95 % from resampling \(counted(leakage.units, "unit")) "
      + "(\(leakage.resampled)), \(leakage.resamples.groupedText) resamples, seed \(leakage.seed)."
  }

  private var leftOut: Table {
    Table(
      title: "Coefficients without slopes", columns: [.words("Coefficient"), .words("Why")],
      rows: leakage.leftOut.map { [.code($0.coefficient), .text($0.reason)] })
  }
}

extension [Leakage.Ranked] {
  /// Whether any of the slopes has an interval.
  package var hasIntervals: Bool { contains { $0.slope.low != nil } }
}

extension Leakage.Slope {
  /// How far it is from 0 at least, `–` without an interval.
  fileprivate var atLeastText: String { low == nil ? "–" : atLeast.text(decimals: 3) }
}

extension Bounded {
  /// The interval, `–` without one.
  var intervalText: String { endsText { $0.text(decimals: 3) } ?? "–" }
}
