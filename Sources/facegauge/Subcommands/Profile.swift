import CommandSyntax
import Evaluation
import FacePipeline
import Foundation
import Records
import Reporting

extension Command {
  private typealias Pipeline = PipelineOptions

  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5"]), help: "The dataset; labels are not used.")
  private static let output = Option(
    required: "output", short: "o", valueName: "run", .directory,
    help: "Folder to make for the record, the trace and the reports.")
  private static let schedule = Option(
    "schedule", valueName: "schedule", .choice(ProfilePlan.Schedule.self), default: .closed,
    help: "When frames begin: closed one after another, paced at --fps, offline on all cores.")
  private static let mode = Option(
    "mode", valueName: "mode", .choice(ProfiledMode.self), default: .video,
    help: "How frames are taken: image by itself, video tracked.")
  private static let fps = Option(
    "fps", valueName: "rate", .number(in: 1...1000), default: 60,
    help: "Frames a second: the budget of a frame is 1/rate, and a paced run keeps to it.")
  private static let warmUp = Option(
    "warm-up", valueName: "n", .integer(in: 0...100_000), default: 20,
    help: "Frames behind the first one that are not counted as steady.")
  private static let frames = Option(
    "frames", valueName: "n", .integer(in: 1...Int.max), otherwise: "all",
    help: "How many of the dataset's frames are timed, from the first on.")
  private static let repeats = Option(
    "repeats", valueName: "n", .integer(in: 1...100_000), default: 1,
    help: "How often the frames are gone through; tracking begins anew each time.")
  private static let timeLimit = Option(
    "time-limit", valueName: "seconds", .number(in: 0.1...86400), otherwise: "no limit",
    help: "Seconds after which no further steady frame begins.")
  private static let jobs = Option(
    "jobs", valueName: "n", .integer(in: 1...256), otherwise: "one a core",
    help: "Workers of the offline schedule, at most one a core.")
  private static let budget = Option(
    repeating: "budget", valueName: "stage.p95=4ms", .latencyBudget,
    otherwise: "no budgets", help: "Limit on a percentile, see above; may be repeated.")
  private static let gates = Option(
    "gates", valueName: "gates.json", .path(extensions: ["json"]), otherwise: "no gates",
    help: "Limits that the figures must keep; 'evaluate' shows a file.")
  private static let confidence = Option(
    "confidence", valueName: "share", .number(in: 0.51...0.999999), default: 0.99,
    help: "How sure a verdict on a budget must be.")
  private static let inconclusive = Option(
    "inconclusive", valueName: "verdict", .choice(InconclusiveGates.self), default: .fail,
    help: "What too few frames for a gate mean: fail is status 3, pass is 0.")
  private static let baseline = Option(
    "baseline-out", valueName: "file.json", .path(extensions: ["json"]),
    otherwise: "none is written",
    help: "Small file of this run's medians for 'facegauge history'; replaced if it exists.")
  private static let force = Flag("force", help: "Replace the run if it exists.")
  private static let json = Flag("json", help: "Print the record instead of a summary.")

  private enum ProfiledMode: String, Sendable, CaseIterable {
    case image, video
  }

  /// `facegauge profile`.
  static let profile = Command(
    CommandDeclaration(
      "profile", abstract: "Time the pipeline: stages, percentiles, budgets, cost and start",
      discussion: """
        The pipeline runs over pictures that were read before, and nothing is judged but its time. \
        The start of the process, the loading of the models, the first frame, the warm-up and the \
        steady frames are told apart, and so are frames in which the detector ran and tracked ones.

        In a paced run a frame's response counts from the moment it was due, so that a slow frame \
        is charged to those that waited behind it. An offline run measures throughput.

        A budget such as --budget total.p95=4ms limits a percentile (p50, p90, p95 or p99) of a \
        stage; units are us, ms and s, and tracked:total.p95=4ms limits tracked frames, \
        detector_ran:total.p95=4ms those in which the detector ran. Frames over the limit are \
        counted: few enough for --confidence pass, too many fail with status 2, and between, or \
        with too few frames, it is inconclusive, status 3. In a gates file a limit on \
        latency.total.p95 with "judged_by": "binomial" means the same.

        With --against or --against-commit another build of the program runs beside this one, and \
        again beside itself, on the same frames in turns. For each stage the median of \
        ln(candidate/base) gets a 95 % interval from blocks of 16 pairs, a start of the \
        programs each. What is allowed is \
        --tolerance, or three times the noise of the base against itself where that is more. A \
        stage fails where the whole interval lies above (Holm's adjustment over the stages), \
        passes where it lies below, and else gets twice the pairs, up to --max-pairs; then it is \
        inconclusive. Stages under 1 % of the total are shown and not judged. A stored run as base \
        is compared after division by the reference kernel of both runs, which is advisory. The \
        guide RelativeGates has the method and measured figures.

        RUN gets record.json, trace.json (for chrome://tracing or ui.perfetto.dev), report.html, \
        report.md and junit.xml.
        """,
      arguments: [dataset],
      options: [
        output, schedule, fps, mode, warmUp, frames, repeats, timeLimit, jobs, budget, confidence,
        gates, inconclusive, Pipeline.numFaces, Pipeline.confidence, Pipeline.presence,
        Pipeline.tracking, Pipeline.suppression, Pipeline.rotation, Pipeline.compatibility,
        Pipeline.detector, Pipeline.landmarks, Pipeline.modelsPath, force, json,
      ] + Pipeline.smoothing + RelativeGateOptions.all + [baseline])
  ) { arguments in
    try time(arguments)
  }

  private static func time(_ arguments: ParsedArguments) throws -> ExitStatus {
    if arguments.isGiven(jobs), arguments[schedule] != .offline {
      throw arguments.usageError(
        "'--jobs' is of '--schedule offline'; other schedules use one core")
    }
    let processors = ProcessInfo.processInfo.activeProcessorCount
    if let jobs = arguments[jobs], jobs > processors {
      throw arguments.usageError(
        "'--jobs': expected at most the \(processors) processors here, found \(jobs)")
    }
    try RelativeGateOptions.check(arguments)
    var pipeline = EvaluationPlan(
      dataset: URL(fileURLWithPath: arguments[dataset]),
      run: URL(fileURLWithPath: arguments[output]))
    Pipeline.apply(
      arguments, mode: arguments[mode] == .video ? .video : .image, to: &pipeline)
    pipeline.gates = arguments[gates].map { URL(fileURLWithPath: $0) }
    pipeline.replaces = arguments[force]
    var plan = ProfilePlan(pipeline)
    plan.schedule = arguments[schedule]
    plan.framesPerSecond = arguments[fps]
    plan.warmUpFrames = arguments[warmUp]
    plan.frameLimit = arguments[frames]
    plan.repeats = arguments[repeats]
    plan.timeLimitSeconds = arguments[timeLimit]
    if let jobs = arguments[jobs] { plan.workers = jobs }
    plan.confidence = arguments[confidence]
    plan.budgets = arguments[budget].map { $0.gate(confidence: arguments[confidence]) }
    let progress = PhaseProgress()
    var base: RelativeGateOptions.Base?
    let finished = try stopping {
      try ProfileRun.run(plan, monitor: progress.monitor) {
        base = try RelativeGateOptions.base(
          arguments, dataset: arguments[dataset], isVideo: arguments[mode] == .video,
          frames: arguments[frames], monitor: progress.monitor)
      }
    }
    var record = finished.record
    try finished.folder.commit {
      try stopping { try base?.judge(&record, monitor: progress.monitor) }
      progress.finish()
      try finished.folder.write(try record.json(), to: "record.json")
      try RunReports.write(record, into: finished.folder)
    }
    if let file = arguments[baseline] {
      try OutputFolder.write(
        Data(try Baseline(record, commit: BaseBuild.currentCommit).json()),
        to: URL(fileURLWithPath: file))
    }
    StepSummary.append(Report(record: record).summaryMarkdown())
    if arguments[json] {
      try StandardOutput.writeJSON(String(decoding: try record.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(ProfileSummary.text(record, run: arguments[output]))
    }
    return ExitStatus(record.gates, inconclusive: arguments[inconclusive])
  }
}
