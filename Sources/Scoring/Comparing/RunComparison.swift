internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running
internal import Statistics

/// Compares two runs on the same frames of one dataset.
package enum RunComparison {
  /// Scores both runs' predictions anew, frame by frame, and compares metrics and frames.
  ///
  /// Throws `.wrongData` for runs on different datasets, and where the dataset is another than theirs.
  package static func run(
    _ plan: ComparisonPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Measured<Comparison> {
    let monitor = monitor.keepingNothing
    return try EvaluationError.wrapping {
      let base = try StoredRun(plan.base)
      let candidate = try StoredRun(plan.candidate)
      try check(base, candidate)
      let dataset = try DatasetReader(try candidate.dataset(plan.dataset))
      let rules = try ExpressionRules.read(plan.expressions)
      let predictions = try [base, candidate].map { try PredictionsReader($0.predictions) }
      let attributes = try AttributeRules.of(
        plan.attributes, dataset: dataset, predictions: predictions)
      let gates = try plan.gates.map {
        try GateInputs.gates(
          of: $0, rules: rules ?? .builtIn, attributes: attributes,
          stages: predictions.flatMap(\.header.stages))
      }
      return try Measured(
        into: plan.output, replaces: plan.replaces,
        inputs: [plan.base, plan.candidate, plan.gates].compactMap { $0 } + dataset.files
      ) { folder in
        try compare(
          plan, base, candidate, dataset, gates: gates ?? [], rules: rules,
          attributes: attributes, folder: folder, monitor: monitor)
      }
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

  /// Throws where a dataset is another than that of a run.
  static func checkDataset(
    _ dataset: DatasetReader, of run: StoredRun, monitor: RunMonitor
  ) throws {
    let sha256 = try monitor.hash(dataset)
    guard try monitor.isDigest(run.record.dataset.sha256, of: dataset, sha256: sha256) else {
      throw EvaluationError.wrongData(
        "cannot compare on \(dataset.url.relativePath): expected the dataset of the runs, SHA-256 "
          + "\(run.record.dataset.sha256.prefix(12))…, found \(sha256.prefix(12))…")
    }
  }

  private static func compare(
    _ plan: ComparisonPlan, _ base: StoredRun, _ candidate: StoredRun, _ dataset: DatasetReader,
    gates: [Gate], rules: ExpressionRules?, attributes: AttributeRules, folder: RunFolder?,
    monitor: RunMonitor
  ) throws -> Comparison {
    try checkDataset(dataset, of: candidate, monitor: monitor)
    var runs = [try base.opened(for: dataset), try candidate.opened(for: dataset)]
    let alike =
      BoxComparison.align(&runs)
      + PointComparison.align(&runs, isLabelled: dataset.isLabelled)
    let scorings = try ScoringPass(dataset: dataset, monitor: monitor)
      .scored(runs, rules: rules, attributes: attributes)
    let whole = scorings.map(\.wholeMetrics)
    let sides = whole.map { $0.filter { $0.value != nil } }
    let shared = Set(sides[0].map(\.name)).intersection(sides[1].map(\.name))
    let both = sides[1].filter { shared.contains($0.name) }
    let headlines = MetricCatalog.headlines(
      among: both + PairedLandmarkError.definitions.map { $0.measurement(0, n: 0) },
      comparedOnly: !MetricCatalog.headlines(among: both, comparedOnly: true).isEmpty)
    let gated = Set(gates.map { MeasurementKey(name: $0.metric, slice: $0.slice) })
    let common = PairedLandmarkError(base: scorings[0], candidate: scorings[1])
    var differences = try RunPermutationTest(
      bootstrap: plan.bootstrap, minSliceCount: plan.minSliceCount, monitor: monitor
    ).differences(base: scorings[0], candidate: scorings[1], common: common) { metric in
      guard !Gate.isTime(metric.name), metric.better.isDirected else { return false }
      return gates.isEmpty
        ? metric.slice == nil && headlines.contains(metric.name)
        : gated.contains(MeasurementKey(metric))
    }
    for index in differences.indices {
      let one = differences[index]
      differences[index].baseInterval = base.record.interval(of: one, where: one.base)
      differences[index].candidateInterval = candidate.record.interval(
        of: one, where: one.candidate)
    }
    let leading = headlines.flatMap { name in
      differences.filter { $0.slice == nil && $0.name == name }
    }
    differences =
      leading + differences.filter { $0.slice != nil || !headlines.contains($0.name) }
    let found = note(common, names: [base.name, candidate.name])
    let clusters = scorings[1].clusters.count
    let tests = differences.count { $0.adjustedP != nil }
    let flips = RunPermutationTest.flips(plan.bootstrap, clusters: clusters, tests: tests)
    let alone = LoneMetrics.notes(whole, names: [base.name, candidate.name])
    let few = [RunPermutationTest.note(flips, tests: tests)].compactMap(\.self)
    var comparison = Comparison(
      tool: HostFacts.tool, created: Date().formatted(.iso8601),
      dataset: candidate.record.dataset,
      base: Comparison.Side(name: base.name, record: base.record),
      candidate: Comparison.Side(name: candidate.name, record: candidate.record),
      method: Comparison.Method(plan.bootstrap, flips, clusters: clusters),
      notes: notes(base, candidate, clusters: scorings[1].clusters.sizes) + alone + few + alike
        + found,
      differences: differences)
    comparison.findings = try .of(
      zip([base.name, candidate.name], runs).map { ($0, $1.predictions) }, dataset,
      accepting: plan.accepted)
    comparison.gates = candidate.record.evaluate(
      gates, base: base.record,
      difference: { comparison.difference($0.metric, slice: $0.slice)?.interval },
      times: isAlternating(base.record, candidate.record)
        ? Gate.timesOfTracking : Gate.timesOfTwoRuns
    ).withheld(by: comparison.findings)
    comparison.frames = try ChangedFrames(
      base: scorings[0], candidate: scorings[1], limit: plan.frameCount
    ).shown(runs, dataset, plan.hasImages ? folder : nil, notes: &comparison.notes)
    return comparison
  }

  /// How many faces one run alone found; nothing where both found the same.
  private static func note(_ common: PairedLandmarkError?, names: [String]) -> [String] {
    guard let common, common.foundAlone != (0, 0) else { return [] }
    return [
      "\(names[0]) alone found \(common.foundAlone.base) labelled faces, \(names[1]) alone "
        + "\(common.foundAlone.candidate): NME of found faces is of other faces in each run. The "
        + "NME of common faces is of the same \(common.measurements.candidate.n)."
    ]
  }

  /// Whether one run of 'facegauge track' timed both.
  private static func isAlternating(_ base: Record, _ candidate: Record) -> Bool {
    base.options[TrackerRun.turns].map { $0 == candidate.options[TrackerRun.turns] } ?? false
  }

  /// The stages whose models differ, with both names, or digests where those are the same; nil for none.
  private static func differingModels(_ first: [Record.Model], _ second: [Record.Model]) -> String?
  {
    let stages = (first + second).map(\.stage)
    let words = stages.enumerated().compactMap { index, stage -> String? in
      guard !stages[..<index].contains(stage) else { return nil }
      let sides = [first, second].map { $0.first { $0.stage == stage } }
      guard sides[0]?.sha256 != sides[1]?.sha256 else { return nil }
      let isSame = sides[0]?.name == sides[1]?.name
      let texts = sides.map { model in
        model.map { isSame ? "\($0.name) \($0.sha256.prefix(12))…" : $0.name } ?? "none"
      }
      return "\(stage) \(texts[0]) and \(texts[1])"
    }
    return words.isEmpty ? nil : words.joined(separator: "; ")
  }

  private static func notes(
    _ base: StoredRun, _ candidate: StoredRun, clusters: ClusterSizes
  ) -> [String] {
    var notes = RunPermutationTest.notes(of: clusters)
    let (first, second) = (base.record, candidate.record)
    notes += [Record.numericsNote([first, second])].compactMap(\.self)
    if first.host.kind != second.host.kind {
      notes.append(
        "The records name different machines or settings (\(first.host.kind); "
          + "\(second.host.kind)): latencies cannot be compared.")
    } else if isAlternating(first, second) {
      notes.append(
        "Latencies were measured by one run of 'facegauge track', alternately on each frame. "
          + "'track' prints their ratio with its interval; there is no verdict on them here.")
    } else {
      notes.append("Latencies are advisory and decide nothing: \(Gate.timesOfTwoRuns).")
    }
    if let changed = OptionChanges.text(from: first.options, to: second.options) {
      notes.append("Options differ: \(changed).")
    }
    if let differing = differingModels(first.models, second.models) {
      notes.append("The models differ: \(differing).")
    }
    if first.tool != second.tool {
      notes.append(
        "The programs differ: \(first.tool.version) (\(first.tool.build)) and "
          + "\(second.tool.version) (\(second.tool.build)).")
    }
    return notes
  }
}

extension PairedLandmarkError {
  /// Pairs the faces of two runs; nil where either has no landmarks or the schemes differ.
  init?(base: Scoring, candidate: Scoring) {
    guard let before = base.landmarks, let after = candidate.landmarks else { return nil }
    self.init(base: before, candidate: after, clusters: candidate.clusters)
  }
}

extension Record {
  /// The interval of a metric whose value is that one; nil where the run has another value or no interval.
  fileprivate func interval(of one: Comparison.Difference, where value: Double?) -> Interval? {
    guard let own = measurement(one.name, in: one.slice), own.value == value,
      own.interval.low != nil
    else { return nil }
    return own.interval
  }
}
