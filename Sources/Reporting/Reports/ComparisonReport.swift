internal import Platform
package import Records

/// What people read about two runs on the same frames, made from their comparison alone.
package struct ComparisonReport: Sendable {
  /// The comparison that the report is made from.
  package let comparison: Comparison

  /// A report of that comparison.
  package init(comparison: Comparison) {
    self.comparison = comparison
  }

  /// One HTML page that needs no network; `images` gives the bytes of a file in the folder's `images`.
  ///
  /// `frames` is what the frame explorer shows of both runs, as `FrameArchive` encodes it; nil leaves it out.
  package func html(
    images: @escaping (String) -> [UInt8]? = { _ in nil },
    frames: (base: [UInt8], candidate: [UInt8])? = nil
  ) -> String {
    HTMLRenderer(
      images: images, frames: frames?.candidate, baseFrames: frames?.base, sweep: nil
    ).render(document)
  }

  /// The sections that have something to show.
  package var document: ReportDocument {
    let dataset = comparison.dataset
    return ReportDocument(
      title: "FaceGauge comparison: \(comparison.base.name) → \(comparison.candidate.name)",
      facts: [
        dataset.name, counted(dataset.frames, "frame"), counted(dataset.faces, "labelled face"),
        counted(comparison.method.clusters, "cluster"), comparison.created,
        "\(comparison.tool.name) \(comparison.tool.version)",
      ],
      sections: .init(
        [
          ("summary", "Summary", summary), ("gates", "Gates", gates),
          ("headlines", "Evaluated differences", headlines),
          ("frames", "Frames that changed most", frames),
          ("metrics", "All metrics", metrics), ("slices", "Slices", slices),
          ("provenance", "Provenance", [.table(runs)]),
        ], folded: ["metrics", "slices", "provenance"]))
  }

  /// The few lines for a page of many jobs: what is decisive, the gates, and what was evaluated.
  package func summaryMarkdown() -> String {
    var short = document
    short.sections.removeAll { !["summary", "gates", "headlines"].contains($0.id) }
    return short.markdown()
  }

  /// The gates as a JUnit report: one suite a stage, one case a gate.
  package func junit() -> String {
    JUnitRenderer(
      program: comparison.tool.name, dataset: comparison.dataset.name, created: comparison.created
    ).render(comparison.gates, findings: comparison.findings ?? [])
  }

  /// One sentence with the decisive differences.
  package var sentence: String {
    let evaluated = comparison.differences.filter { $0.outcome != nil }
    func titles(_ outcome: Comparison.Outcome) -> [String] {
      evaluated.filter { $0.outcome == outcome }.map(\.label)
    }
    let (better, worse) = (titles(.better), titles(.worse))
    guard !evaluated.isEmpty else { return "Nothing could be compared." }
    let names = evaluated.map(\.label).joined(separator: ", ")
    if evaluated.allSatisfy({ $0.outcome == .equal }) {
      return "The runs are equal in \(names)."
    }
    let untested = evaluated.filter { $0.outcome == .notTested }
    let without =
      untested.isEmpty ? "" : "; not tested: \(untested.map(\.label).joined(separator: ", "))"
    if untested.count == evaluated.count {
      let why = untested.lazy.compactMap(\.interval.reason).first ?? "there are no p"
      return "Not tested (\(why)): \(names)."
    }
    guard !better.isEmpty || !worse.isEmpty else {
      let tested = evaluated.filter { $0.outcome != .notTested }.map(\.label)
      return "Not decisive: none of \(counted(tested.count, "metric")) differs by more than the "
        + "choice of frames explains: \(tested.joined(separator: ", "))\(without)."
    }
    let parts =
      (worse.isEmpty ? [] : ["worse: \(worse.joined(separator: ", "))"])
      + (better.isEmpty ? [] : ["better: \(better.joined(separator: ", "))"])
    let rest = evaluated.filter { [.equal, .notDecisive].contains($0.outcome) }.map(\.label)
    return "\(comparison.candidate.name) against \(comparison.base.name) is "
      + parts.joined(separator: "; ")
      + (rest.isEmpty ? "" : "; not decisive or equal: \(rest.joined(separator: ", "))") + without
      + "."
  }

  private var summary: [Block] {
    var blocks: [Block] = [
      comparison.gates.isEmpty
        ? .paragraph(sentence) : .verdict(Verdict.overall(comparison.gates), sentence)
    ]
    if let findings = comparison.findings, !findings.isEmpty { blocks.append(.findings(findings)) }
    blocks += dumbbells("Both runs", comparison.differences.filter { $0.outcome != nil })
    if !comparison.notes.isEmpty { blocks.append(.notes(comparison.notes)) }
    return blocks
  }

  /// How many metrics a chart shows.
  private static let rowsPerChart = 12

  /// Charts of both values and the difference, of the metrics that both runs have.
  private func dumbbells(_ title: String, _ metrics: [Comparison.Difference]) -> [Block] {
    let known = metrics.filter { $0.difference != nil }
    let length = min(Self.rowsPerChart, (known.count + 1) / 2)
    return stride(from: 0, to: known.count, by: max(3, length)).map { start in
      let rows = Array(known[start..<min(start + max(3, length), known.count)])
      return .figure(
        title: start == 0 ? title : "\(title), continued",
        caption: start == 0
          ? "Values with the intervals of each run, and the paired difference with its own. "
            + "Each row has its own scale." : "",
        chart: .dumbbells(
          Dumbbells(names: [comparison.base.name, comparison.candidate.name], rows: rows)))
    }
  }

  private var gates: [Block] {
    guard !comparison.gates.isEmpty else { return [] }
    return [
      .table(
        .verdicts(comparison.gates) { gate in
          comparison.difference(gate.metric, slice: gate.slice)?.unit
        })
    ]
  }

  private var headlines: [Block] {
    let evaluated = comparison.differences.filter { $0.outcome != nil }
    guard !evaluated.isEmpty else { return [] }
    let method = comparison.method
    let level = (method.level * 100).text(significantDigits: 2)
    return [
      .table(
        table(
          "Candidate minus base, tested together", evaluated, isTested: true,
          remark: "Decisive: the \(level) % interval excludes 0 and Holm's adjusted p is at most "
            + "\(method.significance.plainText). Intervals from \(method.resamples.groupedText) "
            + "resamples of \(counted(method.clusters, "cluster")), p from "
            + "\(method.permutations.groupedText) swaps of whole clusters, seed \(method.seed)."))
    ]
  }

  private var metrics: [Block] {
    let rest = comparison.differences.filter { $0.slice == nil && $0.outcome == nil }
    guard !rest.isEmpty else { return [] }
    return dumbbells("Every other metric, both runs", rest) + [
      .table(
        table(
          "Every other metric", rest, isTested: false,
          remark:
            "p is not adjusted here: one in twenty metrics without a difference has 0.05 or "
            + "less by chance."))
    ]
  }

  private var slices: [Block] {
    let sliced = comparison.differences.filter {
      $0.dimensionSlice != nil && $0.outcome == nil && $0.difference != nil
    }
    guard !sliced.isEmpty else { return [] }
    return [
      .table(
        table(
          "By slice", sliced, isTested: false,
          remark: "Slices have no p; suppressed and undefined ones are left out."))
    ]
  }

  private func table(
    _ title: String, _ differences: [Comparison.Difference], isTested: Bool, remark: String
  ) -> Table {
    let hasSlices = differences.contains { $0.slice != nil }
    return Table(
      title, of: differences,
      columns: [
        (.words("Metric"), { .text(isTested ? $0.title : $0.name) }),
        (.words("Name"), { isTested ? .code($0.name) : nil }),
        (.words("Slice"), { hasSlices ? .text($0.slice ?? "all") : nil }),
        (.numbers(comparison.base.name), { .value($0.base, unit: $0.unit) }),
        (.numbers(comparison.candidate.name), { .value($0.candidate, unit: $0.unit) }),
        (.numbers("Difference"), { difference($0) }),
        (.numbers("Interval"), { interval($0) }),
        (.numbers("p"), { $0.p.map { .text(chance($0)) } }),
        (.numbers("p (Holm)"), { isTested ? .text($0.adjustedP.map(chance) ?? "–") : nil }),
        (.words("Outcome"), { isTested ? .text($0.outcome?.rawValue ?? "–") : nil }),
        (.words("Better"), { .text($0.better.symbol(target: $0.target)) }),
      ], remark: remark, isWide: true)
  }

  private func difference(_ one: Comparison.Difference) -> Table.Cell {
    one.difference.map { .text(signedText($0, unit: one.unit)) } ?? .text("–", note: one.reason)
  }

  private func interval(_ one: Comparison.Difference) -> Table.Cell {
    one.difference == nil && one.interval.low == nil ? .text("–") : .interval(one.interval)
  }

  private func chance(_ p: Double) -> String { p.text(significantDigits: 2) }

  private var frames: [Block] {
    guard !comparison.frames.isEmpty else { return [] }
    var blocks: [Block] = []
    for (outcome, title) in [(Comparison.Outcome.worse, "Got worse"), (.better, "Got better")] {
      let changed = comparison.frames.filter { $0.outcome == outcome }
      guard !changed.isEmpty else { continue }
      blocks.append(
        .table(
          title: title,
          columns: [
            .words("Frame"), .words(comparison.base.name), .words(comparison.candidate.name),
          ],
          rows: changed.map { [.text($0.frame), .text($0.base), .text($0.candidate)] },
          isWide: true))
      let images = changed.flatMap(\.images)
      if !images.isEmpty { blocks.append(.gallery(images)) }
    }
    return blocks
  }

  private var runs: Table {
    .runs(
      "The two runs", [comparison.base, comparison.candidate], of: comparison.dataset,
      withKernels: true)
  }
}

extension Comparison.Difference {
  /// The metric's name with its slice.
  fileprivate var label: String { slice.map { "\(name) (\($0))" } ?? name }
}
