internal import Checking
internal import Datasets
internal import Metrics
internal import Platform
internal import Records
internal import Running
internal import Statistics

/// Runs that were made comparable and scored anew, frame by frame.
struct ScoredRuns {
  let compared: ComparedRuns
  let opened: [StoredRun.Opened]
  let scorings: [Scoring]
  /// The metrics of each run over the whole dataset, undefined ones too.
  let metrics: [[Measurement]]
  /// What a reader must know of how boxes and points were made the same thing.
  private let alignment: [String]

  init(_ runs: ComparedRuns, attributes: AttributeRules) throws {
    compared = runs
    var opened = try runs.stored.map { try $0.opened(for: runs.dataset) }
    let names = opened.count == 2 ? BoxComparison.pairNames : runs.names
    alignment =
      BoxComparison.align(&opened, names: names)
      + PointComparison.align(&opened, names: names, isLabelled: runs.dataset.isLabelled)
    self.opened = opened
    scorings = try ScoringPass(dataset: runs.dataset, monitor: runs.monitor)
      .scored(opened, rules: runs.rules, attributes: attributes)
    metrics = scorings.map(\.wholeMetrics)
  }

  /// The clusters that are drawn and swapped.
  var clusters: FrameClusters { scorings[0].clusters }

  /// Each run as results describe it.
  var sides: [Comparison.Side] {
    zip(compared.names, compared.stored).map { Comparison.Side(name: $0, record: $1.record) }
  }

  /// The metrics of the last run that all runs have, with a value.
  var shared: [Measurement] {
    let own = metrics.map { Set($0.filter { $0.value != nil }.map(\.name)) }
    return metrics[metrics.count - 1].filter { metric in
      own.allSatisfy { $0.contains(metric.name) }
    }
  }

  /// The headline metrics among those that all runs have and `more`: the compared ones, or all where none is.
  func headlines(and more: [Measurement] = []) -> [String] {
    let shared = shared
    let hasCompared = !MetricCatalog.headlines(among: shared, comparedOnly: true).isEmpty
    return MetricCatalog.headlines(among: shared + more, comparedOnly: hasCompared)
  }

  /// What is found in the predictions of each run, each finding with the name of its run.
  func findings() throws -> [Finding] {
    let found = try zip(compared.names, opened).flatMap { name, run in
      try Findings.of(SampleReader.sample(of: compared.dataset, run.predictions)).map {
        var finding = $0
        finding.run = name
        return finding
      }
    }
    return found.accepting(compared.plan.accepted)
  }

  /// The permutations of so many differences that are tested together.
  private func flips(tests: Int) -> SignFlips {
    RunPermutationTest.flips(compared.plan.bootstrap, clusters: clusters.count, tests: tests)
  }

  /// How intervals and p of so many tests together were made.
  func method(tests: Int) -> Comparison.Method {
    Comparison.Method(compared.plan.bootstrap, flips(tests: tests), clusters: clusters.count)
  }

  /// That not all runs analysed the same frames; empty where they did.
  private var skipped: [String] {
    let skipped = scorings.map(\.skippedFrames)
    guard Set(skipped).count > 1 else { return [] }
    let counts = zip(compared.names, skipped).map { "\($0) \($1.count.groupedText)" }
    return [
      "Not all runs analysed the same frames (broken or dropped: "
        + "\(counts.joined(separator: ", "))). No metric of a run counts the frames that it did not "
        + "analyse, so differences are not over the same frames."
    ]
  }

  /// What a reader must know: of the clusters, the facts of the runs, what was not compared, and how.
  func notes(_ facts: [String], tests: Int) -> [String] {
    RunPermutationTest.notes(of: clusters.sizes) + facts + skipped
      + LoneMetrics.notes(metrics, names: compared.names)
      + [RunPermutationTest.note(flips(tests: tests), tests: tests)].compactMap(\.self) + alignment
  }
}
