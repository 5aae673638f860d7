internal import Datasets
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
internal import Running

/// Two runs or more on the same frames of one dataset, read again to be compared.
struct ComparedRuns {
  let plan: ComparisonPlan
  let monitor: RunMonitor
  let stored: [StoredRun]
  let dataset: DatasetReader
  let rules: ExpressionRules?

  /// Reads records and rules; throws `.wrongData` for runs on different datasets.
  init(_ plan: ComparisonPlan, monitor: RunMonitor) throws {
    self.plan = plan
    self.monitor = monitor
    stored = try plan.runs.map { try StoredRun($0) }
    for run in stored.dropFirst() { try Self.check(stored[0], run) }
    dataset = try DatasetReader(try stored[stored.count - 1].dataset(plan.dataset))
    rules = try ExpressionRules.read(plan.expressions)
  }

  /// The dataset of the runs, as their records describe it.
  var described: Record.DatasetSummary { stored[stored.count - 1].record.dataset }

  /// Names of the runs' folders, numbered where several are alike.
  var names: [String] {
    let names = stored.map(\.name)
    return names.enumerated().map { index, name in
      names.count { $0 == name } > 1 ? "\(name) (\(index + 1))" : name
    }
  }

  /// Throws for runs on different datasets.
  static func check(_ base: StoredRun, _ candidate: StoredRun) throws(EvaluationError) {
    let (first, second) = (base.record.dataset, candidate.record.dataset)
    guard first.sha256 != second.sha256 else { return }
    throw EvaluationError.wrongData(
      "cannot compare \(base.url.relativePath) and \(candidate.url.relativePath): expected runs on "
        + "the same frames, found '\(first.name)' (\(first.frames) frames, SHA-256 "
        + "\(first.sha256.prefix(12))…) and '\(second.name)' (\(second.frames) frames, SHA-256 "
        + "\(second.sha256.prefix(12))…)")
  }

  /// Scores the runs, and makes a result of that in the folder of the plan.
  ///
  /// Throws `.wrongData` where the dataset is another than theirs.
  func measured<Result>(
    attributes: AttributeRules = .none, _ make: (ScoredRuns, RunFolder?) throws -> Result
  ) throws -> Measured<Result> {
    try Measured(
      into: plan.output, replaces: plan.replaces,
      inputs: plan.runs + [plan.gates].compactMap(\.self) + dataset.files
    ) { folder in
      try stored[stored.count - 1].check(dataset, to: "compare", of: "the runs", monitor)
      return try make(try ScoredRuns(self, attributes: attributes), folder)
    }
  }
}
