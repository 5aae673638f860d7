internal import Metrics
internal import Records
internal import Running
internal import Statistics

/// The metrics of several runs side by side, with tests of all pairs and ranks.
struct MetricTable {
  /// All metrics, those that are tested first.
  private(set) var metrics: [Ranking.Metric]
  /// How many differences are tested together.
  private(set) var testCount = 0
  private let runs: ScoredRuns
  private let testedNames: Set<String>
  /// Why there is no interval of a value that the run's record does not have.
  private static let notInRecord = "the run's record has another value or none"

  /// Sets the metrics of runs on the same frames side by side, slices left out.
  init(_ runs: ScoredRuns) {
    self.runs = runs
    let all = runs.metrics
    let byName = all.map { Dictionary($0.map { ($0.name, $0) }) { first, _ in first } }
    let directed = Set(runs.shared.filter(\.better.isDirected).map(\.name))
    let tested = runs.headlines().filter { !Gate.isTime($0) && directed.contains($0) }
    let names = Set(tested)
    testedNames = names
    let order = all.joined().inGroups(by: \.name).map { $0.elements[0] }
    metrics =
      (tested.compactMap { name in order.first { $0.name == name } }
      + order.filter { !names.contains($0.name) }).map { metric in
        Ranking.Metric(
          name: metric.name, title: metric.title, unit: metric.unit, better: metric.better,
          target: metric.target,
          entries: zip(byName, runs.compared.stored).map { own, run in
            guard let own = own[metric.name] else {
              return Ranking.Entry(
                value: nil, reason: "it was not measured", n: 0,
                interval: .none("the metric is undefined"))
            }
            let stored = run.record.measurement(metric.name)
            return Ranking.Entry(
              value: own.value, reason: own.reason, n: own.n,
              interval: stored.flatMap { $0.value == own.value ? $0.interval : nil }
                ?? .none(Self.notInRecord))
          })
      }
  }

  private var count: Int { runs.scorings.count }
  private var bootstrap: ClusterBootstrap { runs.compared.plan.bootstrap }
  private var monitor: RunMonitor { runs.compared.monitor }

  private var canResample: Bool {
    bootstrap.resamples > 0 && runs.clusters.count >= ClusterBootstrap.minClusters
  }

  /// Resamples each run whose record gives no interval for a value, as where runs were aligned with each other.
  mutating func completeIntervals() throws {
    guard canResample else { return }
    let pass = IntervalPass(bootstrap: bootstrap, minSliceCount: 1, monitor: monitor)
    for (run, scoring) in runs.scorings.enumerated() {
      let missing = metrics.indices.filter { index in
        let entry = metrics[index].entries[run]
        return entry.value != nil
          && [Self.notInRecord, ClusterBootstrap.noResamples].contains(entry.interval.reason)
      }
      guard !missing.isEmpty else { continue }
      let own = Dictionary(
        try pass.results(of: scoring, names: Set(missing.map { metrics[$0].name }))
          .measurements.map { ($0.name, $0.interval) }
      ) { first, _ in first }
      for index in missing {
        if let interval = own[metrics[index].name] {
          metrics[index].entries[run].interval = interval
        }
      }
    }
  }

  /// Tests the differences of all pairs in all tested metrics together, by Holm's adjustment, and ranks the runs in the
  /// same resamples.
  mutating func test() throws {
    let tested = testedNames
    var test = RunPermutationTest(bootstrap: bootstrap, minSliceCount: 1, monitor: monitor)
    test.pairsOfRuns = count * (count - 1) / 2
    let drawn = try drawnValues()
    for base in 0..<count {
      for candidate in base + 1..<count {
        test.drawn = (drawn[base], drawn[candidate])
        let differences = try test.differences(
          base: runs.scorings[base], candidate: runs.scorings[candidate], common: nil
        ) { $0.slice == nil && tested.contains($0.name) }
        for difference in differences where difference.slice == nil {
          guard let index = metrics.firstIndex(where: { $0.name == difference.name }),
            tested.contains(difference.name)
          else { continue }
          metrics[index].pairs.append(Ranking.Pair(base: base, candidate: candidate, difference))
        }
      }
    }
    decide()
    for index in metrics.indices where !metrics[index].pairs.isEmpty {
      let values = drawn.compactMap { $0[metrics[index].name] }
      guard values.count == count else { continue }
      takeRanks(values[0].indices.map { draw in values.map { $0[draw] } }, of: index)
    }
  }

  /// Adjusts all p together, and takes outcomes and ranks from that.
  private mutating func decide() {
    let positions = metrics.indices.flatMap { metric in
      metrics[metric].pairs.indices.filter { metrics[metric].pairs[$0].p != nil }
        .map { (metric, $0) }
    }
    let adjusted = MultipleTesting.holm(positions.compactMap { metrics[$0].pairs[$1].p })
    testCount = adjusted.count
    for ((metric, pair), p) in zip(positions, adjusted) {
      metrics[metric].pairs[pair].adjustedP = p
    }
    for index in metrics.indices where !metrics[index].pairs.isEmpty {
      var decided: [(better: Int, worse: Int)] = []
      for pair in metrics[index].pairs.indices {
        let outcome = Self.outcome(metrics[index].pairs[pair], better: metrics[index].better)
        metrics[index].pairs[pair].outcome = outcome
        let (base, candidate) = (
          metrics[index].pairs[pair].base, metrics[index].pairs[pair].candidate
        )
        if outcome == .better { decided.append((candidate, base)) }
        if outcome == .worse { decided.append((base, candidate)) }
      }
      let isTested = metrics[index].pairs.allSatisfy {
        $0.outcome != nil && $0.outcome != .notTested
      }
      guard isTested else { continue }
      for (run, ranks) in RankShares.ranges(of: count, better: decided).enumerated() {
        metrics[index].entries[run].ranks = [ranks.lowerBound, ranks.upperBound]
      }
    }
  }

  /// The outcome by the p adjusted over all pairs; `equal` and `not tested` stay.
  private static func outcome(
    _ pair: Ranking.Pair, better: Direction
  ) -> Comparison.Outcome? {
    guard let value = pair.difference, let former = pair.outcome else { return pair.outcome }
    guard former != .equal, former != .notTested else { return former }
    return RunPermutationTest.outcome(
      of: value, interval: pair.interval, adjustedP: pair.adjustedP, better: better)
  }

  /// The values of the tested metrics of each run in the same resamples, by name.
  private func drawnValues() throws -> [[String: [Double?]]] {
    guard canResample else { return runs.scorings.map { _ in [:] } }
    let names = testedNames.sorted()
    let resampling = ResamplingPass(bootstrap, of: runs.clusters, monitor: monitor)
    monitor.begin(.resampling, count * bootstrap.resamples)
    return try runs.scorings.map { scoring in
      let scores = try scoring.parts()[0].made().resampled(by: runs.clusters) { name, slice in
        slice == nil ? names.firstIndex(of: name) : nil
      }
      let drawn = try resampling.drawn([scores])[0]
      return Dictionary(uniqueKeysWithValues: drawn.map { (names[$0], $1) })
    }
  }

  /// Ranks of a metric in the draws; none where it is undefined in more of them than an interval allows.
  private mutating func takeRanks(_ draws: [[Double?]], of index: Int) {
    let metric = metrics[index]
    let known = draws.compactMap { draw -> [Double]? in
      let values = draw.compactMap { $0 }.filter { !$0.isNaN }
      guard values.count == count else { return nil }
      return values.map { value in
        if let target = metric.target { return -abs(value - target) }
        return metric.better == .lower ? -value : value
      }
    }
    let undefined = Double(draws.count - known.count)
    guard undefined <= ClusterBootstrap.maxUndefinedShare * Double(draws.count),
      let shares = RankShares.shares(ofDraws: known)
    else { return }
    for run in metrics[index].entries.indices {
      metrics[index].entries[run].rankShares = shares[run]
    }
  }
}
