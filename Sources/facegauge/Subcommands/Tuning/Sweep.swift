import Calibration
import CommandSyntax
import FacePipeline
import Foundation
import Metrics
import Platform
import Records
import Reporting
import Running
import Scoring
import Tuning

extension Command {
  private typealias Pipeline = PipelineOptions

  private static let dataset = Argument(
    "dataset.h5|run", .path(extensions: ["h5"]),
    help: "A dataset, or a run of 'evaluate' whose dataset and settings to use.")
  private static let predictions = Option(
    "predictions", valueName: "file.h5", .path(extensions: ["h5"]), otherwise: "the pipeline runs",
    help: "Sweep these stored predictions of the dataset, of any tracker, see above.")
  private static let run = newRun("the record and the reports")
  private static let thresholds = Option(
    repeating: "threshold", valueName: "name=low:high:step", .sweptValues, minimum: 1,
    help: "Setting to vary and its values, or NAME=V1,V2,…; several form a grid, see above.")
  private static let objectives = Option(
    repeating: "objective", valueName: "text", .string,
    otherwise: "max f1 with labels, min jitter where lag <= 20 for smoothing alone, else none",
    help: "Objective to recommend a setting for, see above; may be repeated.")
  private static let oneAtATime = Flag(
    "one-at-a-time", help: "Vary one setting at a time instead of a grid.")
  private static let folds = Option(
    "folds", valueName: "n", .integer(in: 2...100), default: 5,
    help: "Number of folds; each evaluates the setting that is chosen on the others.")
  private static let sweptResamples = Option(
    "resamples", valueName: "n", .integer(in: 0...10_000), default: 200,
    help:
      "Number of resamples of subjects, videos, stills or stretches of a clip for the 95 % intervals; "
      + "0 for none.")
  private static let coefficients = Flag(
    "with-blendshapes",
    help: "Also run the blendshape model, for coefficient_error of labelled blendshapes.")
  private static let mode = modeOption(
    RunningMode.allCases, default: .image,
    help: "Running mode: image analyses each frame alone, video tracks; live cannot be swept.")
  private static let jobs = Option(
    "jobs", valueName: "n", .integer(in: 1...256), default: 1,
    help: "Number of clips, or groups of stills, to process at once; above 1 blurs latencies.")

  private static let ofPipeline: [any Parameter] =
    [mode] + Pipeline.thresholdsOfAnyTracker + Pipeline.choices + Pipeline.smoothing
  private static let score = Pipeline.thresholdsOfAnyTracker.filter {
    $0.specification.name == PipelineSetting.detectionConfidence
  }

  /// `facegauge sweep`.
  static let sweep = Command(
    CommandDeclaration(
      "sweep", abstract: "Try many settings and recommend one, with its uncertainty",
      discussion: """
          facegauge sweep run -o sweep --threshold min-suppression-threshold=0.3,0.5

        Every setting is evaluated on the same frames, with metrics of the whole pipeline's \
        output. In video mode thresholds affect tracking: all settings advance through the clips \
        together and share common inferences, so each gets exactly the results of 'evaluate' with \
        a small part of the inferences. A RUN of image mode contains stored model outputs; models \
        are needed and run only for missing ones. A run with --calibration is refused, because \
        thresholds apply to raw scores.

        The output of another tracker is swept without models: give its run, or the dataset with \
        --predictions. Thresholds then apply to the stored faces: the minimum score (any scale) \
        and presence, and the IoU above which of two faces the one with the lower score is \
        removed. What the tracker itself did not output stays unknown.

        Thresholds of expressions, such as expression:happy=0.1:0.6:0.05, apply to stored \
        blendshapes of any run, or to those of the pipeline.

        Settings that can be varied, also several together:

          \(PipelineSetting.swept.map { $0.unit == "1" ? $0.name : "\($0.name) (\($0.unit))" }
            .joined(separator: "\n  "))
          expression:NAME, the threshold of a rule such as happy

        An objective is 'max METRIC' or 'min METRIC', then 'where METRIC <= NUMBER', with more \
        limits after 'and':

          max recall where fp_per_minute <= 2
          min nme where tracked_share >= 0.98 and detector_rate <= 0.1
          max recall where precision >= 0.9 with 95 %

        'with 95 %' chooses a setting that keeps the limit on other data of this kind with that \
        confidence. Without it the setting just meets the limit on this data and breaks it on \
        about half of other data.

        \(SweepRun.metricList)

        The default setting, without any varied value, is always tried too, and kept unless \
        another one is shown to be better. The best values have the interval of the choices on \
        resampled data, and the metric has its value on held-out folds. RUN contains record.json, \
        report.html and report.md. The status is 3 if no setting meets an objective.

        --shard 17/256 tries all settings on one of 256 parts of the dataset and writes \
        RUN.shards/00017.h5 alone; with auto/256 an array job of Slurm, Kubernetes or AWS Batch \
        names the part. 'facegauge join RUN' makes of all parts the sweep that one machine would \
        have made.
        """,
      arguments: [dataset],
      options: [
        run, thresholds, predictions, expressions, objectives, mode, oneAtATime, folds,
        sweptResamples, seed,
      ] + Pipeline.thresholdsOfAnyTracker + Pipeline.choices + [
        coefficients, Pipeline.modelsPath, Pipeline.blendshapes, jobs, maxBadFrames, resume,
        force, ShardPart.choice, ShardPart.mixedNumerics, json,
      ] + Pipeline.smoothing,
      essentials: [
        "output", "threshold", "predictions", "objective", "mode", "one-at-a-time", "num-faces",
        "resume",
      ])
  ) { arguments in
    try ShardPart.check(arguments, excluded: [resume])
    if let choice = arguments[ShardPart.choice] {
      return try ShardPart.make(choice, arguments) {
        try ShardRun.run(sweepPlan(from: arguments), $0, monitor: $1)
      }
    }
    return try finishSweep(sweepPlan(from: arguments), arguments)
  }

  /// Sweeps, or joins the parts of a sweep, and prints the result.
  static func finishSweep(_ plan: SweepPlan, _ arguments: ParsedArguments) throws -> ExitStatus {
    let finished = try PhaseProgress.run { try SweepRun.run(plan, monitor: $0) }
    try finished.folder.commit {
      try RunReports.write(finished.record, into: finished.folder)
    }
    try arguments.print(
      finished.record,
      text: SweepSummary.text(finished.record, run: plan.evaluation.run.relativePath))
    let isMet = finished.record.sweep?.advice.allSatisfy { $0.setting != nil } ?? true
    return isMet ? .success : .gateInconclusive
  }

  /// What the options ask for.
  private static func sweepPlan(from arguments: ParsedArguments) throws -> SweepPlan {
    let values = arguments[thresholds]
    let repeated = Dictionary(grouping: values, by: \.parameter).filter { $0.value.count > 1 }
    if let twice = repeated.keys.map(\.name).min() {
      throw arguments.usageError("'--threshold \(twice)' is given twice")
    }
    let run = URL(fileURLWithPath: arguments[run])
    var plan = try plan(from: arguments, into: run)
    if plan.runsModels, let wrong = values.lazy.compactMap(\.mismatch).first {
      throw arguments.usageError("invalid value for '--threshold': expected \(wrong.expected)")
    }
    guard plan.evaluation.settings.runningMode != .live else {
      throw arguments.usageError("live mode drops frames by chance and cannot be swept")
    }
    plan.evaluation.settings.outputFaceBlendshapes =
      arguments[coefficients] || values.contains { $0.parameter.expression != nil }
    plan.evaluation.settings.outputFacialTransformationMatrixes = false
    plan.evaluation.jobs = arguments[jobs]
    // Broken images of stored predictions were accepted when they were made.
    plan.evaluation.maxBadFrames = plan.runsModels ? arguments[maxBadFrames] : Int.max
    plan.evaluation.resumes = arguments[resume]
    plan.evaluation.replaces = arguments[force]
    plan.isOneAtATime = arguments[oneAtATime]
    do {
      plan.objectives = try arguments[objectives].map { text throws(CalibrationError) in
        try Objective(text, of: plan)
      }
    } catch {
      throw arguments.usageError("\(error)")
    }
    plan.folds = arguments[folds]
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[sweptResamples], seed: UInt64(arguments[seed]))
    return plan
  }

  /// The settings of a sweep whose shards are joined, from the options that its shards were given.
  static func sweepPlan(
    joining known: ShardPlan, in shards: ShardFolder, run: String
  ) throws -> SweepPlan {
    let arguments = try ShardPart.arguments(of: known, in: shards, for: sweep.declaration, run: run)
    do {
      var plan = try sweepPlan(from: arguments)
      plan.evaluation.shards = shards
      return plan
    } catch let error as UsageError {
      throw ShardPart.wrongPlan(shards, error)
    }
  }

  /// The plan over a dataset, a run, or stored predictions.
  private static func plan(
    from arguments: ParsedArguments, into run: URL
  ) throws -> SweepPlan {
    let input = URL(fileURLWithPath: arguments[dataset])
    let values = arguments[thresholds]
    let isRun = input.appendingPathComponent("record.json").isThere
    let stored = arguments[predictions].map { URL(fileURLWithPath: $0) }
    var plan: SweepPlan
    if isRun {
      try arguments.refuse(
        ofPipeline + [predictions], "does not apply here: a run has its own settings")
      plan = try SweepPlan(ofRun: input, into: run, values: values)
    } else if let stored {
      let names = Set(score.map(\.specification.name))
      try arguments.refuse(
        ofPipeline.filter { !names.contains($0.specification.name) },
        "does not apply here: stored predictions have their own settings")
      var evaluation = EvaluationPlan(dataset: input, run: run)
      try Pipeline.apply(arguments, mode: .image, to: &evaluation.running)
      evaluation.isMinScoreGiven = score.contains { arguments.isGiven($0) }
      plan = try SweepPlan(evaluation, predictions: stored, values: values)
    } else {
      plan = SweepPlan(EvaluationPlan(dataset: input, run: run), values: values)
      try Pipeline.apply(arguments, mode: arguments[mode], to: &plan.evaluation.running)
    }
    if !plan.runsModels {
      try arguments.refuse(
        [maxBadFrames, Pipeline.blendshapes],
        "does not apply here: no model runs over stored predictions")
    }
    if isRun || stored != nil {
      plan.evaluation.models = arguments[Pipeline.modelsPath].map { URL(fileURLWithPath: $0) }
      plan.evaluation.blendshapeHead = arguments[Pipeline.blendshapes].map {
        URL(fileURLWithPath: $0)
      }
    }
    let rules = arguments[expressions].map { URL(fileURLWithPath: $0) }
    if let rules = try ExpressionRules.read(rules) { plan.rules = rules }
    return plan
  }
}

extension ValueSyntax<SweptValues> {
  /// `NAME=LOW:HIGH:STEP` or `NAME=V1,V2`.
  fileprivate static var sweptValues: Self {
    Self(completion: .words(PipelineSetting.swept.map { "\($0.name)=" })) {
      word throws(ValueMismatch) in
      do throws(SweptValues.Mismatch) {
        return try SweptValues(parsing: word, anyScore: true)
      } catch {
        throw ValueMismatch(expected: error.expected)
      }
    } write: {
      "\($0.parameter.name)=\($0.values.map(\.plainText).joined(separator: ","))"
    }
  }
}
