import Calibration
import CommandSyntax
import Evaluation
import FacePipeline
import Foundation
import Metrics
import Records
import Reporting

extension Command {
  private typealias Pipeline = PipelineOptions

  private static let dataset = Argument(
    "dataset.h5|run", .path(extensions: ["h5"]),
    help: "A dataset, or a run of 'evaluate', whose dataset and settings are taken.")
  private static let run = Option(
    required: "output", short: "o", valueName: "run", .directory,
    help: "Folder to make for the record and the reports.")
  private static let thresholds = Option(
    repeating: "threshold", valueName: "name=low:high:step", .sweptValues, minimum: 1,
    help: "A setting to vary and where, or NAME=V1,V2,…; several make a grid. Names see above.")
  private static let objectives = Option(
    repeating: "objective", valueName: "text", .string,
    otherwise: "max f1 with labels, min jitter where lag <= 20 of smoothing alone, else none",
    help: "What to recommend a setting for, see above; may be given several times.")
  private static let oneAtATime = Flag(
    "one-at-a-time", help: "Vary one setting while the others keep theirs, in place of a grid.")
  private static let folds = Option(
    "folds", valueName: "n", .integer(in: 2...100), default: 5,
    help: "Parts of the data; each judges the setting that is chosen on the others.")
  private static let resamples = Option(
    "resamples", valueName: "n", .integer(in: 0...10_000), default: 200,
    help: "Resamples of subjects, videos or stills behind the 95 % intervals; 0 for none.")
  private static let seed = Option(
    "seed", valueName: "n", .integer(in: 0...Int.max), default: 1,
    help: "Where resampling and folds start; the same seed gives the same result.")
  private static let expressions = Flag(
    "blendshapes", help: "Run the blendshape net too, for coefficient_error of labelled ones.")
  private static let mode = Option(
    "mode", valueName: "mode", .choice(RunningMode.self), default: .image,
    help: "How frames are taken: image by itself, video tracked; live cannot be swept.")
  private static let jobs = Option(
    "jobs", valueName: "n", .integer(in: 1...256), default: 1,
    help: "Clips, or groups of stills, worked on at once; more than 1 blurs latency.")
  private static let maxBadFrames = Option(
    "max-bad-frames", valueName: "n", .integer(in: 0...Int.max), default: 0,
    help: "How many broken pictures may be skipped; one more ends the run with status 65.")
  private static let resume = Flag(
    "resume", help: "Go on with an interrupted sweep of the same settings.")
  private static let force = Flag(
    "force", help: "Replace the run if it exists, and an interrupted one.")
  private static let json = Flag("json", help: "Print the record instead of a summary.")

  private static let ofPipeline: [(any Parameter, String)] = [
    (mode, "mode"), (Pipeline.numFaces, "num-faces"),
    (Pipeline.confidence, "min-face-detection-confidence"),
    (Pipeline.presence, "min-face-presence-confidence"),
    (Pipeline.tracking, "min-tracking-confidence"),
    (Pipeline.suppression, "min-suppression-threshold"), (Pipeline.rotation, "rotation"),
    (Pipeline.compatibility, "compatibility"), (Pipeline.detector, "detector"),
    (Pipeline.landmarks, "landmarks"), (Pipeline.minCutoff, "smoothing-min-cutoff"),
    (Pipeline.beta, "smoothing-beta"),
    (Pipeline.derivativeCutoff, "smoothing-derivative-cutoff"),
  ]

  /// `facegauge sweep`.
  static let sweep = Command(
    CommandDeclaration(
      "sweep", abstract: "Try many settings and recommend one, with its uncertainty",
      discussion: """
        Every setting is judged on the same frames by figures of what the whole pipeline gives \
        out. In video mode thresholds feed back into tracking; all settings follow the clips side by \
        side and share every run of a net that they have in common, so that each does exactly what \
        'evaluate' would do with it, for a small part of the inferences. A RUN of image mode has \
        stored what the models said, and they run, and are needed, only for what it lacks. A run with \
        --calibration is refused: thresholds are of raw scores.

        Settings that can be varied, also several together:

          min-face-detection-confidence   min-face-presence-confidence
          min-tracking-confidence         min-suppression-threshold
          smoothing-min-cutoff (Hz)       smoothing-beta
          smoothing-derivative-cutoff (Hz)

        An objective is 'max FIGURE' or 'min FIGURE', then 'where FIGURE <= NUMBER', with more \
        limits after 'and':

          max recall where fp_per_minute <= 2
          min nme where tracked_share >= 0.98 and detector_rate <= 0.1
          max recall where precision >= 0.9 with 95 %

        'with 95 %' takes a setting that keeps the limit on other data of this kind with that \
        confidence; without it, a limit that is just met here is broken there about every second time.

        \(SweepRun.figureList)

        The setting without what is varied, the default, is always tried too, and kept unless \
        another one is shown to be better. The best values carry the interval of the choices on \
        resampled data, the figure its value on folds that the choice did not see. RUN gets \
        record.json, report.html and report.md. Status 3 where no setting meets an objective.
        """,
      arguments: [dataset],
      options: [
        run, thresholds, objectives, mode, oneAtATime, folds, resamples, seed,
        Pipeline.numFaces, Pipeline.confidence, Pipeline.presence, Pipeline.tracking,
        Pipeline.suppression, Pipeline.rotation, Pipeline.compatibility, Pipeline.detector,
        Pipeline.landmarks, expressions, Pipeline.modelsPath, jobs, maxBadFrames,
        resume, force, json,
      ] + Pipeline.smoothing)
  ) { arguments in
    let values = arguments[thresholds]
    if let twice = Dictionary(grouping: values, by: \.knob).first(where: { $0.value.count > 1 }) {
      throw arguments.usageError("'--threshold \(twice.key.rawValue)' is given twice")
    }
    let input = URL(fileURLWithPath: arguments[dataset])
    let run = URL(fileURLWithPath: arguments[run])
    var plan: SweepPlan
    if FileManager.default.fileExists(atPath: input.appendingPathComponent("record.json").path) {
      for (parameter, name) in ofPipeline where arguments.isGiven(parameter) {
        throw arguments.usageError("'--\(name)' has no place here: a run has its own settings")
      }
      plan = try SweepPlan(ofRun: input, into: run, values: values)
      plan.evaluation.models = arguments[Pipeline.modelsPath].map { URL(fileURLWithPath: $0) }
    } else {
      plan = SweepPlan(EvaluationPlan(dataset: input, run: run), values: values)
      Pipeline.apply(arguments, mode: arguments[mode], to: &plan.evaluation)
    }
    guard plan.evaluation.settings.runningMode != .live else {
      throw arguments.usageError("live mode drops frames by chance and cannot be swept")
    }
    plan.evaluation.settings.outputFaceBlendshapes = arguments[expressions]
    plan.evaluation.settings.outputFacialTransformationMatrixes = false
    plan.evaluation.jobs = arguments[jobs]
    plan.evaluation.maxBadFrames = arguments[maxBadFrames]
    plan.evaluation.resumes = arguments[resume]
    plan.evaluation.replaces = arguments[force]
    plan.isOneAtATime = arguments[oneAtATime]
    do {
      plan.objectives = try arguments[objectives].map { text throws(CalibrationError) in
        let objective = try Objective(parsing: text)
        try objective.checkFigures(among: SweepRun.figureNames)
        return objective
      }
    } catch {
      throw arguments.usageError("\(error)")
    }
    plan.folds = arguments[folds]
    plan.bootstrap = ClusterBootstrap(
      resamples: arguments[resamples], seed: UInt64(arguments[seed]))
    let progress = PhaseProgress()
    let finished = try stopping { try SweepRun.run(plan, monitor: progress.monitor) }
    progress.finish()
    try finished.folder.commit {
      try RunReports.write(finished.record, into: finished.folder)
    }
    if arguments[json] {
      try StandardOutput.writeJSON(String(decoding: try finished.record.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(SweepSummary.text(finished.record, run: run.relativePath))
    }
    let isMet = finished.record.sweep?.advice.allSatisfy { $0.setting != nil } ?? true
    return isMet ? .success : .gateInconclusive
  }
}

extension ValueSyntax<SweptValues> {
  /// `NAME=LOW:HIGH:STEP` or `NAME=V1,V2`.
  fileprivate static var sweptValues: Self {
    Self(completion: .words(SweepKnob.allCases.map { "\($0.rawValue)=" })) {
      word throws(ValueMismatch) in
      do throws(SweptValues.Mismatch) {
        return try SweptValues(parsing: word)
      } catch {
        throw ValueMismatch(expected: error.expected)
      }
    }
  }
}
