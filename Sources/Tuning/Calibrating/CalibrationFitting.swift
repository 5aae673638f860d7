internal import Calibration
internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
internal import Running
internal import Scoring

/// Fits one subject after the other; what was not asked for by name may fail, and is noted.
struct CalibrationFitting {
  private let plan: CalibrationPlan
  private let dataset: DatasetReader
  private let run: StoredRun.Opened
  private let rules: ExpressionRules
  private let search: ThresholdSearch
  private let monitor: RunMonitor
  private let recordings: ReferenceRecordings?
  private let prompts: PromptSchedule?
  private let earlier: [PromptedSession]
  /// What was found.
  private(set) var file: CalibrationFile
  /// The curves and tables of what was found.
  private(set) var series: [Series] = []
  /// Why subjects were left out.
  private var failures: [String] = []
  /// Whether a threshold was looked for and none meets the objective.
  private(set) var hasUnmetObjective = false
  /// What is suspect about a recording's coefficients.
  var findings: [Finding] { recordings?.findings ?? [] }

  init(
    _ plan: CalibrationPlan, _ stored: StoredRun, _ dataset: DatasetReader, rules: ExpressionRules,
    search: ThresholdSearch, monitor: RunMonitor
  ) throws {
    self.plan = plan
    self.dataset = dataset
    self.rules = rules
    self.search = search
    self.monitor = monitor
    run = try stored.opened(for: dataset)
    let header = run.predictions.header
    if let earlier = header.options[AppliedCalibration.option] {
      throw EvaluationError.wrongData(
        "cannot calibrate \(stored.url.relativePath): expected raw scores, found those of \(earlier)"
      )
    }
    guard plan.folds >= 2 else {
      throw EvaluationError.wrongData(
        "cannot cross-fit: expected 2 folds or more, found \(plan.folds)")
    }
    recordings = try plan.recording.map {
      try ReferenceRecordings(
        $0, of: stored.opened(for: dataset), on: dataset, timeOffset: plan.timeOffset,
        maxTimeOffset: plan.maxTimeOffset, monitor: monitor)
    }
    prompts = try plan.prompts.map { try PromptedCalibration.schedule($0, for: dataset) }
    earlier = try plan.against.map { try PromptedCalibration.sessions(of: $0) } ?? []
    file = CalibrationFile(
      tool: HostFacts.tool, created: Date().formatted(.iso8601),
      dataset: .init(
        name: dataset.name, sha256: header.datasetSHA256, frames: dataset.frameCount,
        sketch: try monitor.sketch(of: dataset)),
      tracker: header.options[RunOption.tracker],
      models: header.models.map { Record.Model($0) },
      options: header.options.merging([RunOption.mode: header.mode]) { $1 })
    file.settings = try plan.sweep.map {
      try SweptSettings.recommended(by: $0, for: file)
    }
    file.timeOffsets = recordings?.offsets ?? [:]
    file.notes = recordings?.notes ?? []
  }

  /// Fits all that is wanted; throws where something asked for cannot be, or nothing can.
  mutating func fit() throws {
    let raw = try cases(correcting: nil)
    if let reason = raw.noDetections, plan.wants(.detection) {
      file.notes.append(
        "Scores of detections come only from frames in which the detector ran: \(reason).")
    }
    try findDetectionThreshold(raw)
    try attempt(.detection) { fitting throws(CalibrationError) in
      try fitting.fitScores(.detection, raw.cases(raw.detection.outcomes))
    }
    try attempt(.presence) { fitting throws(CalibrationError) in
      try fitting.fitScores(.presence, raw.cases(raw.presence.outcomes))
    }
    if plan.wants(.blendshapes) { try fitBlendshapes(raw) }
    let corrected =
      file.blendshapes != nil && raw.expressions.hasLabels
      ? try cases(correcting: file.blendshapes) : raw
    if plan.wants(.expressions) { try fitExpressions(corrected) }
    series += CalibrationSeries.tables(of: file)
    let isEmpty =
      file.scores.isEmpty && file.thresholds.isEmpty && file.blendshapes == nil
      && file.settings == nil && file.detectionThreshold == nil
    guard !isEmpty else {
      throw EvaluationError(
        hasUnmetObjective ? .objectiveUnmet : .wrongData,
        "cannot calibrate \(plan.run.relativePath): "
          + (failures.isEmpty
            ? "the dataset has no labels of it" : failures.joined(separator: "; ")))
    }
    file.notes += failures.map { "Left out: \($0)." }
    let choosesDetections = plan.wants(.detection) && run.tracker.isForeign
    if plan.objective != CalibrationPlan.defaultObjective, !choosesDetections,
      file.thresholds.isEmpty, !hasUnmetObjective
    {
      file.notes.append(
        "The objective '\(plan.objective)' chose no threshold: it is for labelled expressions and for "
          + "scores of another tracker ('facegauge sweep' chooses the thresholds of the pipeline).")
    }
  }

  private func cases(correcting blendshapes: BlendshapeCalibration?) throws -> CalibrationCases {
    var cases = CalibrationCases(
      run.tracker, isLabelled: dataset.isLabelled, rules: rules, recordings: recordings,
      prompts: prompts, clusters: try monitor.clusters(of: dataset))
    monitor.begin(.scoring, dataset.frameCount)
    for range in try PredictionPass.ranges(of: 0..<dataset.frameCount, dataset, [run.predictions]) {
      try monitor.check("while scoring")
      let (frames, labels) = (try dataset.frames(range), try dataset.faces(range))
      for (offset, raw) in try run.predictions.predictions(range).enumerated() {
        let sequence = dataset.sequence(frames[offset].sequence)
        var prediction = raw
        if let correction = blendshapes?.correction(of: sequence?.subject ?? "") {
          for face in raw.faces.indices {
            prediction.faces[face].blendshapes = raw.faces[face].blendshapes.map(
              correction.corrected)
          }
        }
        try cases.add(
          frames[offset], sequence: sequence, labels: labels[offset], prediction: prediction)
      }
      monitor.advance(by: range.count)
    }
    return cases
  }

  /// Runs a fit that is wanted; a failure is an error where it was asked for by name.
  private mutating func attempt(
    _ subject: CalibrationPlan.Subject,
    _ work: (inout CalibrationFitting) throws(CalibrationError) -> Void
  ) throws {
    guard plan.wants(subject) else { return }
    do throws(CalibrationError) {
      try work(&self)
    } catch {
      let isAnswered = subject == .detection && file.detectionThreshold != nil
      let earlier = failures
      failures.append(error.description)
      guard plan.subjects != nil, !isAnswered else { return }
      // Of detections the threshold may have failed before, for another reason.
      guard subject == .detection, earlier.contains(where: { $0 != error.description }) else {
        throw error
      }
      throw EvaluationError(
        hasUnmetObjective ? .objectiveUnmet : .wrongData,
        "cannot calibrate detection: \(failures.joined(separator: "; "))")
    }
  }

  /// The best threshold of another tracker's scores; our own pipeline's is for `sweep`, which runs it.
  private mutating func findDetectionThreshold(_ raw: CalibrationCases) throws {
    guard plan.wants(.detection), run.tracker.isForeign, dataset.isLabelled else { return }
    if let reason = raw.noDetections ?? run.tracker.noRanking {
      failures.append("detection threshold: \(reason)")
      return
    }
    try monitor.check("while searching thresholds")
    do throws(CalibrationError) {
      file.detectionThreshold = try ScoreThreshold(
        of: .detection, cases: raw.detectionsAndMisses,
        present: run.tracker.settings.minFaceDetectionConfidence, search: search,
        minutes: raw.minutes, folds: plan.folds, bootstrap: plan.bootstrap)
    } catch {
      hasUnmetObjective = hasUnmetObjective || error.isUnmetObjective
      failures.append(error.description)
    }
  }

  private mutating func fitScores(
    _ kind: ScoreKind, _ cases: [ScoredCase]
  ) throws(CalibrationError) {
    let fit = try ScoreFit(
      of: kind, cases: cases, by: plan.choice, folds: plan.folds, seed: plan.bootstrap.seed)
    if let gain = fit.calibration.gain, !gain.isShown {
      file.notes.append(
        "The map of \(fit.calibration.of) is kept because its method was requested: on held-out "
          + "folds it is not shown to predict better than the raw scores (the negative "
          + "log-likelihood falls by \(gain.value.shortText())).")
    }
    file.scores.append(fit.calibration)
    series.append(CalibrationSeries.reliability(of: fit))
  }

  private mutating func fitExpressions(_ cases: CalibrationCases) throws {
    guard cases.expressions.hasLabels else {
      guard plan.subjects == nil else {
        throw EvaluationError.wrongData("cannot calibrate expressions: no labelled face has one")
      }
      return
    }
    let known = file.thresholds.count
    for rule in rules.rules {
      try monitor.check("while searching thresholds")
      let outcomes = cases.expressions.outcomes(of: rule)
      do throws(CalibrationError) {
        file.thresholds.append(
          try ExpressionThreshold(
            rule, outcomes: outcomes, cluster: cases.cluster, search: search, folds: plan.folds,
            bootstrap: plan.bootstrap))
      } catch {
        hasUnmetObjective = hasUnmetObjective || error.isUnmetObjective
        failures.append("\(rule.name): \(error.description)")
        continue
      }
      do throws(CalibrationError) {
        try fitScores(
          .expression(rule.name),
          ExpressionThreshold.scored(rule, outcomes, cluster: cases.cluster))
      } catch {
        failures.append(error.description)
      }
    }
    guard file.thresholds.count > known || plan.subjects == nil else {
      throw EvaluationError(
        hasUnmetObjective ? .objectiveUnmet : .wrongData,
        "cannot calibrate expressions: \(failures.joined(separator: "; "))")
    }
  }

  private mutating func fitBlendshapes(_ raw: CalibrationCases) throws {
    let pairs = raw.pairs
    var (folds, heldOut) = (plan.folds, BlendshapeFit.HeldOut?.none)
    if prompts != nil {
      let found = try PromptedCalibration(raw.prompted, against: earlier, run: plan.run)
      file.sessions = found.sessions
      file.notes += found.notes
      series += found.tables
      (folds, heldOut) = (min(folds, raw.prompted.repetitionCount), .repetitions)
    }
    let rest = try restingFaces()
    if pairs.isEmpty, let rest {
      file.blendshapes = BlendshapeCalibration(
        resting: rest.bySubject[""].map { BlendshapeCorrection(rest: $0) },
        subjects: rest.bySubject.filter { !$0.key.isEmpty }.mapValues {
          BlendshapeCorrection(rest: $0)
        }, faces: rest.count)
      return
    }
    guard !pairs.isEmpty else {
      guard plan.subjects == nil, recordings == nil else {
        throw EvaluationError.wrongData(
          "cannot correct blendshapes: no face has labelled and predicted ones (--recording, "
            + "--neutral and --neutral-run need no labels in the dataset)")
      }
      return
    }
    var rests: [String: [String: Double]] = [:]
    if let rest, rest.bySubject.count > 1 { rests = rest.bySubject.filter { !$0.key.isEmpty } }
    try attempt(.blendshapes) { fitting throws(CalibrationError) in
      let fit = try BlendshapeFit(
        pairs, scope: fitting.plan.scope, folds: folds, heldOut: heldOut,
        rest: rest?.bySubject.count == 1 ? rest?.bySubject.first?.value : nil,
        restOfSubjects: rests, seed: fitting.plan.bootstrap.seed)
      var calibration = fit.calibration
      if let shared = calibration.shared {
        for (subject, own) in rests where calibration.subjects[subject] == nil {
          calibration.subjects[subject] = BlendshapeCorrection(channels: shared.channels, rest: own)
        }
      }
      fitting.file.blendshapes = calibration
      fitting.file.notes += calibration.worsening.map { [$0] } ?? []
      fitting.series.append(CalibrationSeries.channels(of: fit))
    }
  }

  private func restingFaces() throws -> NeutralBaseline? {
    guard let other = plan.restingRun else {
      return try plan.rest.map {
        try NeutralBaseline(run, of: self.dataset, seconds: $0, monitor: monitor)
      }
    }
    let stored = try StoredRun(other)
    let ofRest = try DatasetReader(try stored.dataset(nil))
    try stored.check(ofRest, to: "calibrate", of: "the run at rest", monitor)
    return try NeutralBaseline(
      stored.opened(for: ofRest), of: ofRest, seconds: plan.rest, monitor: monitor)
  }
}
