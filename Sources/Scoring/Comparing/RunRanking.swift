internal import Datasets
internal import FaceCore
package import Foundation
package import Metrics
internal import Platform
package import Records
package import Running
internal import Statistics

/// What a comparison of three or more runs is asked to do.
package struct RankingPlan: Sendable {
  /// The runs, in the order of tables.
  package var runs: [URL]
  /// The dataset of all; nil means the path in the last run's record.
  package var dataset: URL?
  /// The folder for the reports; nil means none.
  package var output: URL?
  /// Rules of expressions instead of the built-in ones; nil means those.
  package var expressions: URL?
  /// How intervals are made; there are as many permutations, more where many differences are tested together.
  package var bootstrap = ClusterBootstrap(resamples: 2000)
  /// How many frames are listed in which a run differs from all others.
  package var frameCount = 6
  /// Whether an existing folder is replaced.
  package var replaces = false

  /// Plans a comparison with default settings.
  package init(runs: [URL]) { self.runs = runs }
}

/// Compares three or more runs on the same frames of one dataset: differences of all pairs, ranks, and agreement.
package enum RunRanking {
  /// Scores all runs' predictions anew, frame by frame, and compares them.
  ///
  /// Throws `.wrongData` for runs on different datasets, and where the dataset is another than theirs.
  package static func run(
    _ plan: RankingPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Measured<Ranking> {
    let monitor = monitor.keepingNothing
    return try EvaluationError.wrapping {
      let runs = try plan.runs.map { try StoredRun($0) }
      for run in runs.dropFirst() { try RunComparison.check(runs[0], run) }
      guard let last = runs.last else {
        throw EvaluationError.wrongData("cannot compare: expected runs, found none")
      }
      let dataset = try DatasetReader(try last.dataset(plan.dataset))
      return try Measured(
        into: plan.output, replaces: plan.replaces, inputs: plan.runs + dataset.files
      ) { _ in try rank(plan, runs, dataset, monitor: monitor) }
    }
  }

  private static func rank(
    _ plan: RankingPlan, _ runs: [StoredRun], _ dataset: DatasetReader, monitor: RunMonitor
  ) throws -> Ranking {
    try RunComparison.checkDataset(dataset, of: runs[runs.count - 1], monitor: monitor)
    let rules = try ExpressionRules.read(plan.expressions)
    var opened = try runs.map { try $0.opened(for: dataset) }
    let names = names(of: runs)
    let alike =
      BoxComparison.align(&opened, names: names, all: "all runs")
      + PointComparison.align(&opened, names: names, isLabelled: dataset.isLabelled)
    let scorings = try ScoringPass(dataset: dataset, monitor: monitor).scored(opened, rules: rules)
    let clusters = scorings[0].clusters
    var metrics = MetricTable(scorings, runs: runs.map(\.record))
    try metrics.test(scorings, plan.bootstrap, monitor: monitor)
    try metrics.completeIntervals(scorings, plan.bootstrap, monitor: monitor)
    let flips = RunPermutationTest.flips(
      plan.bootstrap, clusters: clusters.count, tests: metrics.testCount)
    let first =
      LoneMetrics.notes(scorings.map(\.wholeMetrics), names: names)
      + [RunPermutationTest.note(flips, tests: metrics.testCount)].compactMap(\.self)
    let agreement = try agreement(of: opened, dataset, clusters, plan, monitor: monitor)
    var ranking = Ranking(
      tool: HostFacts.tool, created: Date().formatted(.iso8601),
      dataset: runs[runs.count - 1].record.dataset,
      runs: zip(names, runs).map { Comparison.Side(name: $0, record: $1.record) },
      method: Comparison.Method(plan.bootstrap, flips, clusters: clusters.count),
      tests: metrics.testCount, notes: notes(runs, clusters.sizes) + first + alike,
      metrics: metrics.metrics, agreement: agreement)
    ranking.findings = try .of(
      zip(names, opened).map { ($0, $1.predictions) }, dataset, accepting: [])
    return ranking
  }

  /// Names of the runs' folders, numbered where two are alike.
  private static func names(of runs: [StoredRun]) -> [String] {
    let names = runs.map(\.name)
    return names.enumerated().map { index, name in
      names.count { $0 == name } > 1 ? "\(name) (\(index + 1))" : name
    }
  }

  private static func agreement(
    of runs: [StoredRun.Opened], _ dataset: DatasetReader, _ clusters: FrameClusters,
    _ plan: RankingPlan, monitor: RunMonitor
  ) throws -> Ranking.Agreement {
    var agreement = TrackerAgreement(runs: runs.count, clusters: clusters)
    for range in try PredictionPass.ranges(
      of: 0..<dataset.frameCount, dataset, runs.map(\.predictions))
    {
      try monitor.check("while comparing")
      let predictions = try runs.map { run in
        try run.predictions.predictions(range).map(run.tracker.counted)
      }
      for offset in 0..<range.count {
        try agreement.add(range.lowerBound + offset, predictions.map { $0[offset] })
      }
    }
    return try agreement.summary(plan.bootstrap, frames: plan.frameCount) { frame in
      try dataset.frames(frame..<frame + 1)[0].name
    }
  }

  private static func notes(_ runs: [StoredRun], _ clusters: ClusterSizes) -> [String] {
    var notes = RunPermutationTest.notes(of: clusters)
    notes.append(
      "Latencies have no ranks here: runs made one after the other also differ by other load on "
        + "the machine. 'facegauge track' times several trackers alternately.")
    notes += [Record.numericsNote(runs.map(\.record))].compactMap(\.self)
    if Set(runs.map(\.record.host.kind)).count > 1 {
      notes.append("The records name different machines or settings, as the provenance lists.")
    }
    return notes
  }
}
