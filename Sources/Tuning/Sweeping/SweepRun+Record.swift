internal import Calibration
internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
package import Running
package import Scoring

extension SweepRun {
  /// Sweeps, and leaves the record in the run's partial folder.
  ///
  /// An interrupted or resumed sweep keeps its partial folder; any other failure deletes it.
  package static func run(
    _ plan: SweepPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Evaluation.Finished {
    let monitor = plan.evaluation.shards == nil ? monitor : monitor.keepingNothing
    return try EvaluationError.wrapping {
      try check(plan)
      let evaluation = plan.evaluation
      let dataset = try DatasetReader(evaluation.dataset)
      let stills =
        plan.runsModels ? dataset.noteOnStills(in: evaluation.settings.runningMode) : nil
      if let stills { monitor.note(stills) }
      let joined = try evaluation.shards.map { try JoinedParts($0) }
      let host = HostFacts.host()
      let began = Date()
      let folder = try RunFolder(
        evaluation.run, replaces: evaluation.replaces, resumes: evaluation.resumes,
        inputs: [evaluation.dataset] + dataset.files
          + [evaluation.models, plan.predictions].compactMap { $0 }, monitor: monitor)
      return try folder.filling(canResume: joined == nil) {
        let sha256 = try monitor.hash(dataset)
        try plan.check(dataset, sha256, monitor: monitor)
        let findings =
          try joined.map {
            try find(plan, in: dataset, sha256: sha256, joining: $0, monitor: monitor)
          } ?? find(plan, in: dataset, sha256: sha256, folder: folder, monitor: monitor)
        var record = Record(
          tool: HostFacts.tool, created: began.formatted(.iso8601),
          dataset: Record.DatasetSummary(
            name: dataset.name, file: evaluation.dataset.path(from: folder.url), sha256: sha256,
            frames: dataset.frameCount, faces: dataset.faceCount - findings.unlabelledFrames,
            sequences: dataset.sequenceCount, badFrames: findings.outcome.bad.count),
          models: findings.models, stages: findings.stages,
          options: plan.recordOptions(of: findings.stored),
          host: joined?.host ?? host)
        if let file = plan.predictions {
          record.findings = try [Finding].of(file, dataset).accepting(evaluation.accepted)
        }
        record.notes += [stills].compactMap { $0 } + plan.cautions + (joined?.notes ?? [])
        if let kinds = joined?.kinds, kinds > 1 {
          record.notes.append(
            "The frames ran on \(kinds) kinds of machine, whose times are not pooled: model_time is "
              + "undefined.")
        }
        monitor.begin(.choosing, 1)
        record.sweep = try conclude(plan, findings, frames: dataset.frameCount)
        record.sweep?.wrongFrames = try findings.outcome.wrong.recorded { index in
          try dataset.frames(index..<index + 1).first?.name ?? "frame \(index)"
        }
        record.measurements = findings.measurements(record.sweep, plan.bootstrap)
        record.headlines = MetricCatalog.headlines(among: record.measurements)
        record.series = try findings.outcome.scores.series()
        record.notes += notes(plan, findings)
        try folder.write(try record.json(), to: "record.json")
        return Evaluation.Finished(record: record, folder: folder)
      }
    }
  }

  /// Throws for rules and metrics that are asked for and not there.
  static func check(_ plan: SweepPlan) throws {
    try plan.checkRules()
    let names = plan.metrics.map(\.name)
    for objective in plan.objectives { try objective.checkMetrics(among: names) }
  }

  /// Parameters, tables and all that follows from them.
  private static func conclude(
    _ plan: SweepPlan, _ findings: Findings, frames: Int
  ) throws -> Sweep {
    let metrics = findings.metrics(besides: plan.objectives)
    let parameters = plan.values.map { values in
      Sweep.Parameter(
        name: values.parameter.name, unit: values.parameter.unit, values: values.values,
        lowest: plan.limits(of: values.parameter)?.lowerBound,
        highest: plan.limits(of: values.parameter)?.upperBound,
        rule: plan.rule(of: values.parameter))
    }
    let sums = findings.outcome.sums
    let grid = try SweepGrid(
      parameters: parameters, metrics: metrics,
      all: try findings.table(of: metrics) { sums.whole($0) },
      draws: try (0..<sums.drawCount).map { draw in
        try findings.table(of: metrics) { sums.draw(draw, $0) }
      },
      folds: try (0..<sums.foldCount).map { fold in
        SweepGrid.Fold(
          rest: try findings.table(of: metrics) { sums.rest(fold, $0) },
          heldOut: try findings.table(of: metrics) { sums.fold(fold, $0) })
      }, clusters: findings.clusters, bootstrap: plan.bootstrap)
    let standard = findings.settings.firstIndex(of: findings.defaults)
    let cost = findings.outcome.cost
    var sweep = Sweep(
      mode: plan.evaluation.settings.runningMode.rawValue, parameters: parameters, metrics: metrics,
      settings: findings.settings, columns: grid.all.columns, defaultSetting: standard,
      cost: Sweep.Cost(
        settings: findings.settings.count, frames: frames,
        detectorInferences: cost.detectorInferences, landmarkInferences: cost.landmarkInferences,
        blendshapeInferences: cost.blendshapeInferences,
        inferencesOfFullRuns: cost.inferencesOfFullRuns,
        distinctTracks: plan.runsModels && plan.evaluation.settings.tracks ? cost.tracks : nil))
    sweep.intervals = findings.intervals(of: metrics, grid.all.columns, plan.bootstrap)
    let withoutInterval = findings.known.reduce(into: [String: String]()) {
      $0[$1.name] = $1.noInterval
    }
    for objective in findings.objectives(of: plan) {
      var advice = try grid.advice(for: objective, default: standard)
      for position in advice.metrics.indices {
        guard let reason = withoutInterval[advice.metrics[position].name] else { continue }
        advice.metrics[position].interval = .none(reason)
      }
      if let name = grid.undrawn(among: objective.names), let reason = withoutInterval[name] {
        for position in advice.parameters.indices {
          advice.parameters[position].interval = .none(reason)
        }
        if name == objective.metric, advice.gain?.conclusion == .unknown {
          advice.gain?.interval = .none(reason)
        }
      }
      for name in Set(objective.names).sorted() {
        guard let warning = findings.known.first(where: { $0.name == name })?.warning else {
          continue
        }
        advice.warnings.append(warning)
      }
      if let reason = advice.reason, reason.hasPrefix("\(objective.metric) is undefined in "),
        let more = findings.known.first(where: { $0.name == objective.metric })?.alternative
      {
        advice.reason = "\(reason): \(more)"
      }
      advice.warnings += objective.remoteLimits(in: grid.all.columns)
      sweep.advice.append(advice)
    }
    let defined = Set(metrics.map(\.name)).intersection(findings.definedMetrics)
    for names in SweepMetric.tradeOffs where defined.isSuperset(of: names) {
      let front = try grid.front(over: names)
      if front.settings.count > 1 { sweep.fronts.append(front) }
    }
    let headlines = findings.known.filter(\.isHeadline).map(\.name).filter(defined.contains)
    let position = sweep.advice.first?.setting ?? standard ?? 0
    let reasons = plan.values.compactMap { values in
      values.parameter.setting?.idleReason(with: plan.evaluation.settings).map {
        (values.parameter.name, $0)
      }
    }
    sweep.effects = try grid.effects(
      on: headlines, at: position, reasons: Dictionary(reasons, uniquingKeysWith: { $1 }))
    return sweep
  }

  private static func notes(_ plan: SweepPlan, _ findings: Findings) -> [String] {
    var notes: [String] = []
    if let stored = findings.stored {
      notes.append(
        "No model ran: the settings were applied to the faces in \(stored.file)"
          + (stored.options[RunOption.tracker].map { ", the output of \($0)." } ?? "."))
      if plan.values.contains(where: { $0.parameter.name == PipelineSetting.suppressionThreshold })
      {
        notes.append(
          "Suppression of stored faces can only remove more of them: the faces that the tracker "
            + "itself suppressed are not stored.")
      }
      let scores = findings.outcome.scores.detections.map(\.score).filter(\.isFinite)
      if let lowest = scores.min() {
        notes.append(
          "The lowest stored score is \(lowest.shortText()): lower thresholds keep the same faces.")
      }
    }
    if !findings.isLabelled {
      notes.append("The dataset has no labels: metrics that need them are undefined.")
    }
    if findings.objectives(of: plan).isEmpty {
      notes.append(
        findings.isLabelled
          ? "Nothing is recommended: the metrics of the default objective are undefined here."
          : "Nothing is recommended: without labels an objective must be given.")
    }
    if findings.outcome.sums.foldCount == 0 {
      notes.append(
        "There are no held-out metrics: \(plan.folds) folds need at least as many subjects, videos "
          + "or stills, and there are \(findings.clusters.count).")
    }
    if plan.bootstrap.resamples > 0, let caution = ClusterBootstrap.caution(findings.clusters) {
      notes.append(caution)
    }
    let bad = findings.outcome.bad
    if !bad.isEmpty {
      notes.append("\(bad.count) broken images were skipped, the first in frame \(bad[0].frame).")
    }
    return notes
  }
}

extension SweepPlan {
  /// Throws where the stored predictions are of another dataset.
  func check(_ dataset: DatasetReader, _ sha256: String, monitor: RunMonitor) throws {
    guard let predictions else { return }
    let found = try PredictionsReader(predictions).header.datasetSHA256
    guard try monitor.isDigest(found, of: dataset, sha256: sha256) else {
      throw EvaluationError.wrongData(
        "cannot sweep over \(predictions.relativePath): expected predictions of the dataset with "
          + "SHA-256 \(sha256.prefix(12))…, found \(found.prefix(12))…")
    }
  }

  /// What to recommend for: what was asked, else a default that goes with labels and parameters.
  func objectives(isLabelled: Bool) -> [Objective] {
    guard objectives.isEmpty else { return objectives }
    let smooths = values.allSatisfy { $0.parameter.setting?.scope == .smoothing }
    let names = values.compactMap(\.parameter.expression)
    let goal =
      names.count < values.count
      ? "f1" : names.count > 1 ? SweepMetric.meanExpressionF1 : "expressions.\(names[0]).f1"
    let text = smooths ? "min jitter where lag <= 20" : isLabelled ? "max \(goal)" : nil
    return text.flatMap { try? Objective(parsing: $0) }.map { [$0] } ?? []
  }

  /// The values that a parameter may take; nil for any.
  func limits(of parameter: SweepParameter) -> ClosedRange<Double>? {
    !runsModels && parameter.name == PipelineSetting.detectionConfidence ? nil : parameter.range
  }

  /// The rule whose threshold a parameter is; nil for a setting.
  func rule(of parameter: SweepParameter) -> Sweep.Parameter.Rule? {
    rules.rules.first { $0.name == parameter.expression }.map {
      Sweep.Parameter.Rule(value: $0.formula.description, side: $0.side.rawValue)
    }
  }

  /// All settings of the run, by option name; `stored` is the output that settings were applied to.
  func recordOptions(of stored: SharedPredictions?) -> [String: String] {
    let applied = runsModels ? nil : stored
    var options = applied?.options ?? evaluation.running.predictionOptions
    if let stored = applied {
      options[RunOption.mode] = evaluation.settings.runningMode.rawValue
      options[RunOption.predictions] = predictions?.lastPathComponent
      if stored.origin.isForeign {
        options[PipelineSetting.detectionConfidence] =
          "\(evaluation.settings.minFaceDetectionConfidence)"
      }
    }
    for values in values {
      options[values.parameter.name] =
        values.values.count > 8
        ? "\(values.values[0].plainText) to \(values.values[values.values.count - 1].plainText) in "
          + "\(values.values.count) steps"
        : values.values.map(\.plainText).joined(separator: ", ")
    }
    options["one-at-a-time"] = "\(isOneAtATime)"
    options["folds"] = "\(folds)"
    options["resamples"] = "\(bootstrap.resamples)"
    options["seed"] = "\(bootstrap.seed)"
    options["jobs"] = "\(evaluation.jobs)"
    if applied == nil { options["max-bad-frames"] = "\(evaluation.maxBadFrames)" }
    options["blendshapes"] = "\(evaluation.settings.outputFaceBlendshapes)"
    return options.merging(evaluation.pairing.options) { $1 }
  }
}

extension SweepRun.Findings {
  /// The objectives that were given, else the default one if the data have its metrics.
  func objectives(of plan: SweepPlan) -> [Objective] {
    guard plan.objectives.isEmpty else { return plan.objectives }
    let defined = definedMetrics
    return plan.objectives(isLabelled: isLabelled).filter { defined.isSuperset(of: $0.names) }
  }

  /// Frames whose faces are not labelled: the ignored region of each is none of the labelled faces.
  var unlabelledFrames: Int {
    guard isLabelled else { return 0 }
    let sums = outcome.sums.whole(0)
    return Int(sums[.analysed] - sums[.evaluated])
  }

  /// The metrics that some setting has, and those that objectives name.
  func metrics(besides objectives: [Objective]) -> [Sweep.Metric] {
    let asked = Set(objectives.flatMap(\.names))
    let defined = definedMetrics
    return known.filter { defined.contains($0.name) || asked.contains($0.name) }.map {
      Sweep.Metric(
        name: $0.name, title: $0.title, unit: $0.unit, better: $0.better, target: $0.target,
        note: $0.formula)
    }
  }

  /// The names of the metrics that some setting has.
  var definedMetrics: Set<String> {
    let tallies = settings.indices.map { outcome.sums.whole($0) }
    return Set(
      known.filter { metric in
        tallies.contains { metric.value($0, outcome.costs) != nil }
      }.map(\.name))
  }

  /// The metrics of some of the frames at every setting.
  func table(
    of metrics: [Sweep.Metric], _ sums: (_ setting: Int) -> SweepCounts
  ) throws(CalibrationError) -> SettingTable {
    let tallies = settings.indices.map(sums)
    let names = Set(metrics.map(\.name))
    var columns: [String: [Double?]] = [:]
    for metric in known where names.contains(metric.name) {
      columns[metric.name] = tallies.map { metric.value($0, outcome.costs) }
    }
    return try SettingTable(settings: settings, columns: columns)
  }

  /// Sweeps of more settings have intervals only of what is recommended.
  private static let mostSettings = 500

  /// The ends of each metric's interval at each setting, by resamples of clusters; nil where there are none.
  func intervals(
    of metrics: [Sweep.Metric], _ columns: [String: [Double?]], _ bootstrap: ClusterBootstrap
  ) -> [String: [[Double]?]]? {
    let sums = outcome.sums
    guard sums.drawCount > 0, settings.count <= Self.mostSettings else { return nil }
    var intervals: [String: [[Double]?]] = [:]
    let names = Set(metrics.map(\.name))
    let sources = known.filter { names.contains($0.name) && $0.noInterval == nil }
    for setting in settings.indices {
      let draws = (0..<sums.drawCount).map { sums.draw($0, setting) }
      for source in sources {
        let interval = (columns[source.name]?[setting] ?? nil).map { value in
          bootstrap.interval(
            of: draws.map { source.value($0, outcome.costs) }, about: value, in: source.range,
            sizes: clusters)
        }
        let ends = interval?.low.flatMap { low in interval?.high.map { [low, $0] } }
        intervals[source.name, default: []].append(ends)
      }
    }
    return intervals.values.joined().contains { $0 != nil } ? intervals : nil
  }

  /// What the first recommendation reaches, at the setting that its verdict names, as metrics of the run.
  func measurements(_ sweep: Sweep?, _ bootstrap: ClusterBootstrap) -> [Records.Measurement] {
    guard let sweep, let advice = sweep.advice.first(where: { $0.setting != nil }),
      let setting = sweep.verdict(of: advice)?.setting
    else { return [] }
    let shown = Set([advice.metric] + known.filter(\.isHeadline).map(\.name))
    let sums = outcome.sums
    let draws = setting == advice.setting ? [] : (0..<sums.drawCount).map { sums.draw($0, setting) }
    return advice.metrics.filter { shown.contains($0.name) }.compactMap { choice in
      guard let metric = sweep.metrics.first(where: { $0.name == choice.name }),
        let value = sweep.columns[choice.name]?[setting] ?? nil,
        let source = known.first(where: { $0.name == choice.name })
      else { return nil }
      let interval =
        setting == advice.setting || source.noInterval != nil
        ? choice.interval
        : bootstrap.interval(
          of: draws.map { source.value($0, outcome.costs) }, about: value, in: source.range,
          sizes: clusters)
      return Records.Measurement(
        name: "sweep.recommended.\(choice.name)", title: "\(metric.title), recommended setting",
        stage: "sweep", value: value, unit: metric.unit, better: metric.better,
        target: source.target, n: clusters.count, interval: interval)
    }
  }
}
