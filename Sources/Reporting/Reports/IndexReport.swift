internal import Platform
package import Records

/// One page over many runs: their verdicts and metrics, links to their reports, and how metrics went.
package struct IndexReport: Sendable {
  /// A run with its report.
  package struct Entry: Sendable {
    /// Name of the run's folder.
    package var name: String
    /// Path of its report, relative to the page; nil without a report.
    package var path: String?
    /// What was measured.
    package var record: Record

    /// A run by the name of its folder.
    package init(name: String, path: String?, record: Record) {
      self.name = name
      self.path = path
      self.record = record
    }
  }

  /// A comparison of two runs with its report.
  package struct Pair: Sendable {
    /// Name of its folder.
    package var name: String
    /// Path of its report, relative to the page; nil without a report.
    package var path: String?
    /// What was compared.
    package var comparison: Comparison

    /// A comparison by the name of its folder.
    package init(name: String, path: String?, comparison: Comparison) {
      self.name = name
      self.path = path
      self.comparison = comparison
    }
  }

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

    /// A comparison of three runs or more.
    package init(name: String, path: String?, ranking: Ranking) {
      (self.name, self.path, kind) = (name, path, "ranking")
      subject = ranking.runs.map(\.name).joined(separator: ", ")
      created = ranking.created
      sentence = RankingReport(ranking: ranking).sentences.joined(separator: " ")
    }

    /// How coefficients move with the head.
    package init(name: String, path: String?, leakage: Leakage) {
      (self.name, self.path, kind) = (name, path, "leakage")
      subject = leakage.source
      created = leakage.created
      sentence = LeakageReport(leakage).sentence
    }
  }

  /// How many headline metrics the table and the charts show.
  private static let metricLimit = 6
  /// In the order in which the runs began.
  private let entries: [Entry]
  private let pairs: [Pair]
  private let findings: [Finding]

  /// A page over those runs, comparisons and other findings.
  package init(_ entries: [Entry], pairs: [Pair] = [], findings: [Finding] = []) {
    self.findings = findings.sorted { ($0.created, $0.name) < ($1.created, $1.name) }
    self.entries = entries.sorted { ($0.record.created, $0.name) < ($1.record.created, $1.name) }
    self.pairs = pairs.sorted {
      ($0.comparison.created, $0.name) < ($1.comparison.created, $1.name)
    }
  }

  /// A table and charts for each dataset.
  package var document: ReportDocument {
    var datasets: [String] = []
    for entry in entries where !datasets.contains(entry.record.dataset.sha256) {
      datasets.append(entry.record.dataset.sha256)
    }
    return ReportDocument(
      title: "FaceGauge runs",
      facts: [
        counted(entries.count, "run"), counted(datasets.count, "dataset"),
        pairs.isEmpty ? "" : counted(pairs.count, "comparison"),
        entries.first?.record.created ?? "", entries.last?.record.created ?? "",
      ].filter { !$0.isEmpty },
      sections: datasets.enumerated().map { position, dataset in
        section(entries.filter { $0.record.dataset.sha256 == dataset }, number: position + 1)
      } + comparisons + others)
  }

  private var others: [ReportDocument.Section] {
    guard !findings.isEmpty else { return [] }
    let table = Table(
      title: counted(findings.count, "other result"),
      columns: [
        .words("Name"), .words("Kind"), .words("Of"), .numbers("Begun"), .words("Result"),
      ],
      rows: findings.map {
        [
          Self.link($0.name, to: $0.path), .text($0.kind), .text($0.subject),
          Self.time($0.created), .text($0.sentence),
        ]
      }, isWide: true)
    return [ReportDocument.Section(id: "others", title: "Other results", blocks: [.table(table)])]
  }

  private var comparisons: [ReportDocument.Section] {
    guard !pairs.isEmpty else { return [] }
    let rows = pairs.map { pair -> [Table.Cell] in
      let (one, gates) = (pair.comparison, pair.comparison.gates)
      return [
        Self.link(pair.name, to: pair.path), .text(one.base.name), .text(one.candidate.name),
        Self.time(one.created), gates.isEmpty ? .text("–") : .verdict(Verdict.overall(gates)),
        .text(ComparisonReport(comparison: one).sentence),
      ]
    }
    let table = Table(
      title: counted(pairs.count, "comparison"),
      columns: [
        .words("Name"), .words("Base"), .words("Candidate"), .numbers("Begun"), .words("Verdict"),
        .words("Result"),
      ],
      rows: rows, isWide: true)
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

  private func section(_ runs: [Entry], number: Int) -> ReportDocument.Section {
    var metrics: [Measurement] = []
    for run in runs {
      for metric in run.record.headlineMeasurements
      where metric.value != nil && !metrics.contains(where: { $0.name == metric.name }) {
        metrics.append(metric)
      }
    }
    metrics = Array(metrics.prefix(Self.metricLimit))
    let rows = runs.enumerated().map { position, run -> [Table.Cell] in
      let verdict: Table.Cell =
        run.record.gates.isEmpty ? .text("–") : .verdict(Verdict.overall(run.record.gates))
      return [
        .text("\(position + 1)"), Self.link(run.name, to: run.path), .text(run.record.kind),
        Self.time(run.record.created),
        .text(run.record.tool.commit.map { String($0.prefix(10)) } ?? "–"), verdict,
      ] + metrics.map { .text(run.record.measurement($0.name)?.valueText ?? "–") }
    }
    let table = Table(
      title: counted(runs.count, "run"),
      columns: [
        .numbers("Run"), .words("Name"), .words("Kind"), .numbers("Begun"), .words("Commit"),
        .words("Verdict"),
      ] + metrics.map { .numbers($0.title) }, rows: rows, isWide: true)
    return ReportDocument.Section(
      id: "dataset-\(number)", title: runs.first?.record.dataset.name ?? "",
      blocks: [.table(table)] + metrics.compactMap { chart(of: $0, over: runs) })
  }

  /// A metric over the runs that have it, at least two.
  private func chart(of metric: Measurement, over runs: [Entry]) -> Block? {
    let points = runs.enumerated().compactMap { position, run in
      run.record.measurement(metric.name)?.value.map { (Double(position + 1), $0) }
    }
    guard points.count > 1 else { return nil }
    let limits = runs.last?.record.gates.filter {
      $0.gate.metric == metric.name && $0.gate.slice == nil
    }
    let unit = metric.unit == "1" ? "" : " (\(metric.unit))"
    return .figure(
      Figure(
        title: metric.title, caption: "",
        chart: .curve(
          Series.Curve(
            xLabel: "run", yLabel: metric.title + unit,
            lines: [
              Series.Line(label: metric.title, x: points.map(\.0), y: points.map(\.1))
            ])),
        limits: (limits ?? []).compactMap { ChartLimit($0, unit: metric.unit, axis: .vertical) }))
  }
}
