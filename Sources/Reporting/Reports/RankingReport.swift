internal import Platform
package import Records

/// What people read about three or more runs on the same frames, made from their ranking alone.
package struct RankingReport: Sendable {
  /// The ranking that the report is made from.
  package let ranking: Ranking

  /// A report of that ranking.
  package init(ranking: Ranking) { self.ranking = ranking }

  private var names: [String] { ranking.runs.map(\.name) }

  /// The sections that have something to show.
  package var document: ReportDocument {
    let dataset = ranking.dataset
    return ReportDocument(
      title: "FaceGauge comparison of \(names.joined(separator: ", "))",
      facts: [
        dataset.name, counted(dataset.frames, "frame"), counted(dataset.faces, "labelled face"),
        counted(ranking.method.clusters, "cluster"), ranking.created,
        "\(ranking.tool.name) \(ranking.tool.version)",
      ],
      sections: .init(
        [
          ("summary", "Summary", summary), ("ranks", "Ranks", ranks),
          ("differences", "Paired differences", differences),
          ("agreement", "Agreement without labels", agreement),
          ("frames", "Frames in which one run differs", frames),
          ("metrics", "All metrics", metrics),
          (
            "provenance", "Provenance",
            [.table(.runs("The runs", ranking.runs, of: dataset))]
          ),
        ], folded: ["metrics", "provenance"]))
  }

  /// The few lines for a page of many jobs.
  package func summaryMarkdown() -> String {
    var short = document
    short.sections.removeAll { !["summary", "ranks"].contains($0.id) }
    return short.markdown()
  }

  /// Who is first and last, as far as the tests tell: a sentence for all tested metrics that tell the same.
  package var sentences: [String] {
    guard !ranking.tested.isEmpty else { return ["Nothing could be compared."] }
    return ranking.tested.inGroups(by: finding).map { text, metrics in
      "\(metrics.map(\.name).joined(separator: ", ")): \(text)."
    }
  }

  private func finding(_ metric: Ranking.Metric) -> String {
    guard metric.entries.allSatisfy({ $0.ranks != nil }) else {
      let reason = metric.pairs.lazy.compactMap(\.interval.reason).first
      return "not tested\(reason.map { " (\($0))" } ?? "")"
    }
    let groups = metric.entries.indices.filter { ranks(metric, $0) != (1, names.count) }
      .sorted {
        (ranks(metric, $0).0, ranks(metric, $0).1, $0) < (
          ranks(metric, $1).0, ranks(metric, $1).1, $1
        )
      }
    guard !groups.isEmpty else {
      let isEqual = metric.pairs.allSatisfy { $0.outcome == .equal }
      return isEqual ? "the runs are equal" : "no rank can be told"
    }
    return groups.map { "\(names[$0]) \(Self.words(ranks(metric, $0)))" }.joined(separator: ", ")
  }

  private func ranks(_ metric: Ranking.Metric, _ run: Int) -> (Int, Int) {
    let ranks = metric.entries[run].ranks ?? [1, names.count]
    return (ranks[0], ranks[1])
  }

  private static func words(_ ranks: (Int, Int)) -> String {
    ranks.0 == ranks.1 ? "rank \(ranks.0)" : "rank \(ranks.0) to \(ranks.1)"
  }

  private var summary: [Block] {
    let level = (ranking.method.level * 100).text(significantDigits: 2)
    let findings = ranking.findings ?? []
    return (findings.isEmpty ? [] : [.findings(findings)]) + [
      .notes(sentences),
      .paragraph(
        "Ranks are those that the paired tests leave possible: all hold together with a confidence "
          + "of \(level) %. \(counted(ranking.tests, "difference")) of all pairs and metrics were "
          + "tested together (Holm)."),
    ] + (ranking.notes.isEmpty ? [] : [.notes(ranking.notes)])
  }

  private var ranks: [Block] {
    guard !ranking.tested.isEmpty else { return [] }
    let rows = ranking.tested.flatMap { metric in
      metric.entries.enumerated().map { run, entry -> [Table.Cell] in
        [
          run == 0 ? .text(metric.title) : .text(""), run == 0 ? .code(metric.name) : .text(""),
          .text(names[run]), .value(entry.value, unit: metric.unit), .interval(entry.interval),
          .text(entry.ranks.map { Self.words(($0[0], $0[1])) } ?? "–"),
          .text(entry.rankShares.map { share($0[0]) } ?? "–"),
          .text(entry.rankShares.map { $0.map(share).joined(separator: ", ") } ?? "–"),
          run == 0 ? .text(metric.better.symbol(target: metric.target)) : .text(""),
        ]
      }
    }
    return [
      .table(
        title: "Values and ranks",
        columns: [
          .words("Metric"), .words("Name"), .words("Run"), .numbers("Value"),
          .numbers("Interval"), .words("Ranks possible"), .numbers("Best in"),
          .words("Each rank, first to last"), .words("Better"),
        ], rows: rows,
        remark:
          "Best in and each rank: shares of \(ranking.method.resamples.groupedText) resamples "
          + "of \(counted(ranking.method.clusters, "cluster")), the same for all runs; runs that "
          + "tie share their ranks. They describe the data and are no test.",
        isWide: true)
    ] + ranking.tested.map { metric in .figure(chart(metric)) }
  }

  private func chart(_ metric: Ranking.Metric) -> Figure {
    func measurement(_ entry: Ranking.Entry?) -> Measurement {
      var measurement = Measurement(
        name: metric.name, stage: "", value: entry?.value, unit: metric.unit,
        better: metric.better, n: entry?.n ?? 0,
        interval: entry?.interval ?? .none("it is of no run"))
      measurement.title = metric.title
      return measurement
    }
    return Figure(
      title: metric.title, caption: "The value of each run with its own interval.",
      chart: .slices(
        SliceBars(
          dimension: "run", whole: measurement(nil),
          bars: zip(names, metric.entries).map {
            SliceBars.Bar(label: $0, measurement: measurement($1), isWorst: false)
          })))
  }

  private var differences: [Block] {
    ranking.tested.map { metric in
      let rows = names.indices.map { base -> [Table.Cell] in
        [.text(names[base])]
          + names.indices.map { candidate in
            base == candidate ? .text("") : cell(metric, base: base, candidate: candidate)
          }
      }
      return .table(
        title: "\(metric.title): column minus row",
        columns: [.words("Against")] + names.map { .words($0) }, rows: rows,
        remark: "\(metric.name), \(metric.better.symbol(target: metric.target)) is better. In "
          + "brackets the interval, then p after Holm's adjustment, and what follows for the column.",
        isWide: true)
    }
  }

  private func cell(_ metric: Ranking.Metric, base: Int, candidate: Int) -> Table.Cell {
    let isStored = base < candidate
    let (low, high) = (min(base, candidate), max(base, candidate))
    guard let pair = metric.pairs.first(where: { $0.base == low && $0.candidate == high }),
      let difference = pair.difference
    else { return .text("–") }
    let sign = isStored ? 1.0 : -1.0
    var text = signedText(sign * difference, unit: metric.unit)
    if let (low, high) = pair.interval.ends {
      let ends = [sign * low, sign * high].sorted()
      text += " (\(short(ends[0])) to \(short(ends[1]))\(pair.interval.scopeText))"
    }
    if let p = pair.adjustedP { text += ", p \(p.text(significantDigits: 2))" }
    let outcome =
      switch pair.outcome {
      case .better: isStored ? Comparison.Outcome.better : .worse
      case .worse: isStored ? Comparison.Outcome.worse : .better
      default: pair.outcome
      }
    return .text(text + (outcome.map { ", \($0.rawValue)" } ?? ""), note: pair.interval.reason)
  }

  private var agreement: [Block] {
    let agreement = ranking.agreement
    guard agreement.frames > 0 else { return [] }
    return [
      .table(
        Table(
          "How far two runs agree", of: agreement.pairs,
          columns: [
            (.words("Run"), { .text(names[$0.first]) }),
            (.words("Run"), { .text(names[$0.second]) }),
            (.numbers("Same faces"), { estimate($0.faces) }),
            (.numbers("Points apart"), { estimate($0.points) }),
            (.numbers("Coefficients apart"), { estimate($0.coefficients) }),
          ],
          remark:
            "Same faces: pairs of an IoU of .50 or more, over the mean number of faces of both. "
            + "Points: mean distance over √(width · height) of the face. Coefficients: mean absolute "
            + "difference. – where the runs have nothing to compare, such as points of other "
            + "schemes.", isWide: true)),
      .table(
        title: "Who differs from all others",
        columns: [.words("Run"), .numbers("Frames in which only its faces differ")],
        rows: zip(names, agreement.runs).map { [.text($0), estimate($1.alone)] },
        remark:
          "Share of \(counted(agreement.frames, "frame")) that all runs analysed. Agreement "
          + "does not tell who is right."),
    ]
  }

  private var frames: [Block] {
    let rows = zip(names, ranking.agreement.runs).flatMap { name, run in
      run.frames.map { [Table.Cell.text(name), .text($0.frame), .text($0.text)] }
    }
    guard !rows.isEmpty else { return [] }
    return [
      .table(
        title: "Largest differences of each run",
        columns: [.words("Run"), .words("Frame"), .words("What differs")], rows: rows,
        remark: "At most two frames of a subject or video.", isWide: true)
    ]
  }

  private var metrics: [Block] {
    let rest = ranking.metrics.filter { $0.pairs.isEmpty }
    guard !rest.isEmpty else { return [] }
    return [
      .table(
        title: "Every other metric",
        columns: [.words("Metric")] + names.map { .numbers($0) } + [.words("Better")],
        rows: rest.map { metric in
          [.text(metric.name)]
            + metric.entries.map {
              .value($0.value, unit: metric.unit, note: $0.value == nil ? $0.reason : nil)
            } + [.text(metric.better.symbol(target: metric.target))]
        }, remark: "Not tested.", isWide: true)
    ]
  }

  private func estimate(_ estimate: Ranking.Estimate) -> Table.Cell {
    guard let value = estimate.value else { return .text("–", note: estimate.interval.reason) }
    guard let ends = estimate.interval.text(short) else {
      return .text(short(value), note: estimate.interval.reason)
    }
    return .text("\(short(value)) (\(ends))")
  }

  private func short(_ value: Double) -> String { value.shortText(significantDigits: 3) }

  private func share(_ share: Double) -> String { "\((100 * share).text(decimals: 1)) %" }
}
