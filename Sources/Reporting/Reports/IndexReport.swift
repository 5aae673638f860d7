internal import Platform
package import Records

/// One page over many runs: their verdicts and metrics, links to their reports, and how metrics went.
package struct IndexReport: Sendable {
  /// A result with its report.
  package struct Reported<Result: Sendable>: Sendable {
    /// Name of its folder.
    package var name: String
    /// Path of its report, relative to the page; nil without a report.
    package var path: String?
    /// What was measured or compared.
    package var result: Result

    /// A result by the name of its folder.
    package init(name: String, path: String?, _ result: Result) {
      (self.name, self.path, self.result) = (name, path, result)
    }
  }

  /// A run.
  package typealias Entry = Reported<Record>
  /// A comparison of two runs.
  package typealias Pair = Reported<Comparison>

  /// What was found over runs by another command, with its report.
  package struct Finding: Sendable {
    /// Name of its folder.
    package let name: String
    /// Path of its report, relative to the page; nil without a report.
    package let path: String?
    let kind: String
    let subject: String
    let created: String
    let sentence: String

    /// A result by the name of its folder.
    package init(name: String, path: String?, _ result: some IndexedResult) {
      (self.name, self.path, kind) = (name, path, type(of: result).kind)
      (subject, created, sentence) = (result.subject, result.created, result.sentence)
    }
  }

  /// How many headline metrics are shown over the runs of a group, and how many for each run.
  private static let metricLimits = (overRuns: 8, eachRun: 4)
  /// In the order in which the runs began.
  private let entries: [Entry]
  private let pairs: [Pair]
  private let findings: [Finding]

  /// A page over those runs, comparisons and other findings.
  package init(_ entries: [Entry], pairs: [Pair] = [], findings: [Finding] = []) {
    self.findings = findings.sorted { ($0.created, $0.name) < ($1.created, $1.name) }
    self.entries = entries.sorted { ($0.result.created, $0.name) < ($1.result.created, $1.name) }
    self.pairs = pairs.sorted {
      ($0.result.created, $0.name) < ($1.result.created, $1.name)
    }
  }

  /// Runs that can be compared: of one dataset, one kind and one mode.
  private struct Group {
    /// In the order in which they began.
    var runs: [Entry]
    var latest: Entry { runs[runs.count - 1] }

    var title: String { IndexReport.words(of: latest.result) }

    /// The headline metrics that the latest run has.
    var metrics: [Measurement] { latest.result.headlineMeasurements.filter { $0.value != nil } }
  }

  /// Dataset, mode and kind of a run.
  private static func words(of record: Record) -> String {
    [
      record.dataset.name,
      [record.options["mode"], record.kind].compactMap(\.self)
        .joined(separator: " "),
    ]
    .joined(separator: ", ")
  }

  /// The groups in the order of their first runs.
  private var groups: [Group] {
    entries.inGroups { "\($0.result.dataset.sha256) \(Self.words(of: $0.result))" }
      .map { Group(runs: $0.elements) }
  }

  /// The latest run of each group, then a section for each group, comparisons and other results.
  package var document: ReportDocument {
    let groups = groups
    return ReportDocument(
      title: "FaceGauge runs",
      facts: [
        counted(entries.count, "run"),
        counted(Set(entries.map(\.result.dataset.sha256)).count, "dataset"),
        pairs.isEmpty ? "" : counted(pairs.count, "comparison"),
        entries.first?.result.created ?? "", entries.last?.result.created ?? "",
      ].filter { !$0.isEmpty },
      sections: latest(groups)
        + groups.enumerated().map { section($0.element, number: $0.offset + 1) } + comparisons
        + others)
  }

  /// The latest run of each group: failed ones first, then those whose input is suspect.
  private func latest(_ groups: [Group]) -> [ReportDocument.Section] {
    guard groups.count > 1 else { return [] }
    let order: [Verdict?] = [.fail, .inconclusive, nil, .pass]
    let sorted = order.flatMap { verdict in
      groups.filter { group in
        let record = group.latest.result
        let isSuspect = record.gates.isEmpty && Self.input(record) != nil
        return (isSuspect ? .inconclusive : Self.verdict(of: record.gates)) == verdict
      }
    }
    let table = Table(
      "Latest run of each dataset, mode and kind", of: sorted,
      columns: [
        (.words("Verdict"), { Self.verdict($0.latest.result.gates) }),
        (.words("Latest run"), { Self.link($0.latest.name, to: $0.latest.path) }),
        (.words("Dataset, mode and kind"), { .text($0.title) }),
        (
          .words("Result"),
          { group in
            let record = group.latest.result
            return .text(
              [Self.input(record), Self.result(of: record)].compactMap(\.self)
                .joined(separator: "; "))
          }
        ),
      ], isWide: true)
    return [ReportDocument.Section(id: "latest", title: "Latest runs", blocks: [.table(table)])]
  }

  /// The main metric with its interval; of sweeps that of the first objective at its best setting.
  private static func result(of record: Record) -> String {
    if let sweep = record.sweep {
      guard let advice = sweep.advice.first else { return "no objective was given" }
      guard let metric = sweep.metric(advice.metric),
        let choice = advice.metrics.first(where: { $0.name == advice.metric })
      else { return "no setting meets \(advice.objective)" }
      return "\(metric.title) \(metric.text(choice.value)) at the best setting "
        + "(\(metric.text(choice.interval) ?? "no interval"))"
        + (sweep.verdict(of: advice)?.keepsDefault == true ? "; the default is kept" : "")
    }
    return record.headlineMeasurements.first { $0.value != nil }.map {
      "\($0.title) \(text($0))"
    } ?? "not measured"
  }

  /// The value with its interval, or why there is none.
  private static func text(_ metric: Measurement) -> String {
    metric.valueText + " (\(metric.intervalText ?? "no interval"))"
  }

  /// The findings that nobody has accepted; nil without any.
  private static func input(_ record: Record) -> String? { record.findings?.openText }

  private static func verdict(of gates: [GateResult]) -> Verdict? {
    gates.isEmpty ? nil : Verdict.overall(gates)
  }

  private static func verdict(_ gates: [GateResult]) -> Table.Cell? {
    verdict(of: gates).map { .verdict($0) }
  }

  private var others: [ReportDocument.Section] {
    guard !findings.isEmpty else { return [] }
    let table = Table(
      counted(findings.count, "other result"), of: findings,
      columns: [
        (.words("Name"), { Self.link($0.name, to: $0.path) }),
        (.words("Kind"), { .text($0.kind) }),
        (.words("Of"), { .text($0.subject) }),
        (.numbers("Begun"), { Self.time($0.created) }),
        (.words("Result"), { .text($0.sentence) }),
      ], isWide: true)
    return [ReportDocument.Section(id: "others", title: "Other results", blocks: [.table(table)])]
  }

  private var comparisons: [ReportDocument.Section] {
    guard !pairs.isEmpty else { return [] }
    let table = Table(
      counted(pairs.count, "comparison"), of: pairs,
      columns: [
        (.words("Verdict"), { Self.verdict($0.result.gates) }),
        (.words("Name"), { Self.link($0.name, to: $0.path) }),
        (.words("Base"), { .text($0.result.base.name) }),
        (.words("Candidate"), { .text($0.result.candidate.name) }),
        (.words("Input"), { $0.result.findings?.openText.map { .text($0) } }),
        (.numbers("Begun"), { Self.time($0.result.created) }),
        (.words("Result"), { .text(ComparisonReport(comparison: $0.result).sentence) }),
      ], isWide: true)
    return [
      ReportDocument.Section(id: "comparisons", title: "Comparisons", blocks: [.table(table)])
    ]
  }

  /// The day and the minute of an ISO 8601 time.
  private static func time(_ text: String) -> Table.Cell {
    .text(String(text.prefix(16).replacing("T", with: "\u{A0}")))
  }

  private static func link(_ name: String, to path: String?) -> Table.Cell {
    path.map { .link(name, to: $0) } ?? .text(name)
  }

  private func section(_ group: Group, number: Int) -> ReportDocument.Section {
    ReportDocument.Section(
      id: "group-\(number)", title: group.title,
      blocks: (group.metrics.isEmpty ? [] : [.table(Self.metrics(of: group))])
        + [.table(Self.runs(of: group))])
  }

  /// The metrics of the latest run, and how they went.
  private static func metrics(of group: Group) -> Table {
    let isSeries = group.runs.count > 1
    return Table(
      "Metrics, the latest with its 95 % interval",
      of: group.metrics.prefix(metricLimits.overRuns),
      columns: [
        (.words("Metric"), { .text($0.title) }),
        (.words("Latest"), { .text(text($0), note: $0.interval.reason) }),
        (
          .numbers("Over \(counted(group.runs.count, "run"))"),
          { metric in
            isSeries
              ? .sparkline(group.runs.compactMap { $0.result.measurement(metric.name) }) : nil
          }
        ),
      ], isWide: true)
  }

  /// The runs, latest first, with the settings in which they differ.
  private static func runs(of group: Group) -> Table {
    let differing = Set(group.runs.flatMap(\.result.options.keys)).filter { option in
      Set(group.runs.map { $0.result.options[option] }).count > 1
    }.sorted()
    let results: [(Table.Column, (Entry) -> Table.Cell?)] =
      group.metrics.isEmpty
      ? [(.words("Result"), { .text(result(of: $0.result)) })]
      : group.metrics.prefix(group.runs.count > 1 ? metricLimits.eachRun : 0).map { metric in
        (
          .numbers(metric.title),
          { $0.result.measurement(metric.name).map { .text($0.valueText) } }
        )
      }
    return Table(
      counted(group.runs.count, "run"), of: group.runs.reversed(),
      columns: [
        (.words("Verdict"), { verdict($0.result.gates) }),
        (.words("Name"), { link($0.name, to: $0.path) }),
        (.words("Input"), { input($0.result).map { .text($0) } }),
        (.numbers("Begun"), { time($0.result.created) }),
        (.words("Commit"), { $0.result.tool.commit.map { .text(String($0.prefix(10))) } }),
        (
          .words("Settings that differ"),
          { run in
            differing.isEmpty
              ? nil
              : .text(
                differing.map { "\($0) \(run.result.options[$0] ?? "not stated")" }
                  .joined(separator: ", "))
          }
        ),
      ] + results, isWide: true)
  }
}
