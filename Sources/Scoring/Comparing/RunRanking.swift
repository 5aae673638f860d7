internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running
internal import Statistics

/// Compares three or more runs on the same frames of one dataset: differences of all pairs, ranks, and agreement.
package enum RunRanking {
  /// Scores all runs' predictions anew, frame by frame, and compares them.
  ///
  /// Throws `.wrongData` for runs on different datasets, and where the dataset is another than theirs.
  package static func run(
    _ plan: ComparisonPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Measured<Ranking> {
    try EvaluationError.wrapping {
      try ComparedRuns(plan, monitor: monitor.keepingNothing).measured { runs, _ in
        try rank(runs)
      }
    }
  }

  private static func rank(_ scored: ScoredRuns) throws -> Ranking {
    let runs = scored.compared
    var metrics = MetricTable(scored)
    try metrics.test()
    try metrics.completeIntervals()
    var ranking = Ranking(
      tool: HostFacts.tool, created: Date().formatted(.iso8601), dataset: runs.described,
      runs: scored.sides, method: scored.method(tests: metrics.testCount),
      tests: metrics.testCount,
      notes: scored.notes(notes(runs.stored.map(\.record)), tests: metrics.testCount),
      metrics: metrics.metrics, agreement: try agreement(of: scored))
    ranking.findings = try scored.findings()
    return ranking
  }

  private static func agreement(of scored: ScoredRuns) throws -> Ranking.Agreement {
    let (plan, dataset) = (scored.compared.plan, scored.compared.dataset)
    var agreement = TrackerAgreement(
      hasPositions: scored.opened.map(\.tracker.hasPositions), clusters: scored.clusters)
    for range in try PredictionPass.ranges(
      of: 0..<dataset.frameCount, dataset, scored.opened.map(\.predictions))
    {
      try scored.compared.monitor.check("while comparing")
      let predictions = try scored.opened.map { run in
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

  private static func notes(_ runs: [Record]) -> [String] {
    var notes = [
      "Latencies have no ranks here: runs made one after the other also differ by other load on "
        + "the machine. 'facegauge track' times several trackers alternately."
    ]
    notes += [Record.numericsNote(runs)].compactMap(\.self)
    if Set(runs.map(\.host.kind)).count > 1 {
      notes.append("The records name different machines or settings, as the provenance lists.")
    }
    return notes
  }
}
