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
    try EvaluationError.wrapping {
      let runs = try ComparedRuns(plan, monitor: monitor.keepingNothing)
      let predictions = try runs.stored.map { try PredictionsReader($0.predictions) }
      let attributes = try AttributeRules.of(
        plan.attributes, dataset: runs.dataset, predictions: predictions)
      let gates = try plan.gates.map {
        try GateInputs.gates(
          of: $0, rules: runs.rules ?? .builtIn, attributes: attributes,
          stages: predictions.flatMap(\.header.stages))
      }
      return try runs.measured(attributes: attributes) { scored, folder in
        try compare(scored, gates: gates ?? [], folder: folder)
      }
    }
  }

  private static func compare(
    _ scored: ScoredRuns, gates: [Gate], folder: RunFolder?
  ) throws -> Comparison {
    let (plan, names) = (scored.compared.plan, scored.compared.names)
    let (base, candidate) = (scored.compared.stored[0].record, scored.compared.stored[1].record)
    let headlines = scored.headlines(
      and: PairedLandmarkError.definitions.map { $0.measurement(0, n: 0) })
    let gated = Set(gates.map { MeasurementKey(name: $0.metric, slice: $0.slice) })
    let (before, after) = (scored.scorings[0], scored.scorings[1])
    let common = PairedLandmarkError(
      base: before, candidate: after,
      haveSameLabels: scored.opened.allSatisfy { $0.tracker.comparedSchemes?.isEmpty == false })
    var differences = try RunPermutationTest(
      bootstrap: plan.bootstrap, minSliceCount: plan.minSliceCount,
      monitor: scored.compared.monitor
    ).differences(base: before, candidate: after, common: common) { metric in
      guard !Gate.isTime(metric.name), metric.better.isDirected else { return false }
      return gates.isEmpty
        ? metric.slice == nil && headlines.contains(metric.name)
        : gated.contains(MeasurementKey(metric))
    }
    for index in differences.indices {
      let one = differences[index]
      differences[index].baseInterval = base.interval(of: one, where: one.base)
      differences[index].candidateInterval = candidate.interval(of: one, where: one.candidate)
    }
    let leading = headlines.flatMap { name in
      differences.filter { $0.slice == nil && $0.name == name }
    }
    differences =
      leading + differences.filter { $0.slice != nil || !headlines.contains($0.name) }
    let tests = differences.count { $0.adjustedP != nil }
    let sides = scored.sides
    var comparison = Comparison(
      tool: HostFacts.tool, created: Date().formatted(.iso8601), dataset: scored.compared.described,
      base: sides[0], candidate: sides[1], method: scored.method(tests: tests),
      notes: scored.notes(notes(base, candidate), tests: tests) + note(common, names: names),
      differences: differences)
    comparison.findings = try scored.findings()
    comparison.gates = candidate.evaluate(
      gates, base: base,
      difference: { comparison.difference($0.metric, slice: $0.slice)?.interval },
      compared: { gate in
        comparison.difference(gate.metric, slice: gate.slice).flatMap(scored.values)
      },
      times: isAlternating(base, candidate) ? Gate.timesOfTracking : Gate.timesOfTwoRuns
    ).withheld(by: comparison.findings ?? [], base: names[0])
    comparison.frames = try ChangedFrames(
      base: before, candidate: after, limit: plan.frameCount
    ).shown(
      scored.opened, scored.compared.dataset, plan.hasImages ? folder : nil,
      notes: &comparison.notes)
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
    let words = (first + second).map(\.stage).uniqued.compactMap { stage -> String? in
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

  private static func notes(_ first: Record, _ second: Record) -> [String] {
    var notes = [Record.numericsNote([first, second])].compactMap(\.self)
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

extension ScoredRuns {
  /// Both values of a metric as they are compared, where the records have others; nil elsewhere.
  ///
  /// Records decide on times, and on slices that have no difference here, such as those that are too small.
  fileprivate func values(
    _ one: Comparison.Difference
  ) -> (base: Records.Measurement, candidate: Records.Measurement)? {
    guard !Gate.isTime(one.name), one.slice == nil || one.difference != nil else { return nil }
    let stored = compared.stored.map { $0.record.measurement(one.name, in: one.slice) }
    guard stored[0]?.value != one.base || stored[1]?.value != one.candidate else { return nil }
    func measurement(_ run: Int, _ value: Double?) -> Records.Measurement {
      let reason = metrics[run].first { $0.name == one.name }?.reason
      return Records.Measurement(
        name: one.name, title: one.title, stage: one.stage, value: value,
        reason: value == nil ? reason ?? one.reason : nil, needs: stored[run]?.needs,
        unit: one.unit, better: one.better, target: one.target,
        n: value == nil ? 0 : max(one.n, 1), slice: one.slice)
    }
    return (measurement(0, one.base), measurement(1, one.candidate))
  }
}

extension PairedLandmarkError {
  /// Pairs the faces of two runs; nil where either has no landmarks, or the schemes differ and the labels too.
  init?(base: Scoring, candidate: Scoring, haveSameLabels: Bool) {
    guard let before = base.landmarks, let after = candidate.landmarks else { return nil }
    self.init(
      base: before, candidate: after, clusters: candidate.clusters, haveSameLabels: haveSameLabels)
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
