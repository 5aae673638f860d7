import CommandSyntax
import FacePipeline
import Foundation
import Platform
import Records
import Reporting
import Running
import Scoring
import Timing

extension Command {
  private typealias Pipeline = PipelineOptions

  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5"]), help: "The dataset; labels are not used.")
  private static let output = newRun("the record, the trace and the reports")
  private static let schedule = Option(
    "schedule", valueName: "schedule", .choice(Record.Profile.Schedule.self), default: .closed,
    help: "Frame schedule: closed runs one after another, paced at --fps, offline on all cores.")
  private static let mode = modeOption(
    [.image, .video], default: .video,
    help: "Running mode: image analyses each frame alone, video tracks.")
  private static let fps = Option(
    "fps", valueName: "rate", .number(in: 1...1000), default: 60,
    help: "Frames per second; each frame's budget is 1/rate, and a paced run keeps this rate.")
  private static let warmUp = Option(
    "warm-up", valueName: "n", .integer(in: 0...100_000), default: 20,
    help: "Number of frames after the first one that are not counted as steady.")
  private static let frames = Option(
    "frames", valueName: "n", .integer(in: 1...Int.max), otherwise: "all",
    help: "Number of frames to time, from the dataset's first on.")
  private static let repeats = Option(
    "repeats", valueName: "n", .integer(in: 1...100_000), default: 1,
    help: "Number of passes over the frames; each pass starts tracking again.")
  private static let timeLimit = Option(
    "time-limit", valueName: "seconds", .number(in: 0.1...86400), otherwise: "no limit",
    help: "Seconds after which no further steady frame is started.")
  private static let jobs = Option(
    "jobs", valueName: "n", .integer(in: 1...256), otherwise: "one per core",
    help: "Number of workers of the offline schedule, at most one per core.")
  private static let budget = Option(
    repeating: "budget", valueName: "stage.p95=4ms", .latencyBudget,
    otherwise: "no budgets", help: "Limit on a latency percentile, see above; may be repeated.")
  private static let confidence = Option(
    "confidence", valueName: "share", .number(in: 0.51...0.999999), default: 0.99,
    help: "Confidence required for a verdict on a budget.")
  private static let baseline = Option(
    "baseline-out", valueName: "file.json", .path(extensions: ["json"]),
    otherwise: "none is written",
    help: "File to write this run's medians to, for 'facegauge history'; replaced if it exists.")

  private static let options: [any Parameter] = {
    let parts: [[any Parameter]] = [
      [
        output, schedule, fps, mode, warmUp, frames, repeats, timeLimit, jobs, budget, confidence,
        gates, inconclusive,
      ],
      Pipeline.thresholds, Pipeline.choices, Pipeline.files, [force, json], Pipeline.smoothing,
      RelativeGateOptions.all, [baseline],
    ]
    return parts.flatMap { $0 }
  }()

  /// `facegauge profile`.
  static let profile = Command(
    CommandDeclaration(
      "profile", abstract: "Time the pipeline: stages, percentiles, budgets, cost and startup",
      discussion: """
          facegauge profile faces.h5 -o timing --budget pipeline.p95=4ms

        The images are read before timing starts, and only time is measured. The start of the \
        process, the loading of the models, the first frame, the warm-up and the steady frames are \
        reported separately, and so are frames in which the detector ran and tracked ones.

        In a paced run the response time counts from the moment a frame was due, so a slow frame \
        also delays the frames that wait for it. An offline run measures throughput.

        --budget pipeline.p95=4ms limits a percentile (p50, p90, p95 or p99) of the time of a \
        frame without decoding its file, as an app gets it from a camera; total.p95=4ms counts \
        decoding, detect.infer.p95=4ms limits a stage. Units are us, ms and s. \
        tracked:pipeline.p95=4ms limits tracked frames, detector_ran:pipeline.p95=4ms frames in \
        which the detector ran. The frames over the limit are counted. With \
        --confidence, few enough pass and too many fail with status 2; otherwise, or with too few \
        frames, the budget is inconclusive with status 3. In a gates file a limit on \
        latency.pipeline.p95 with "evaluated_by": "binomial" means the same.

        --against times another build of the program and this one on the same frames, \
        alternating, and also the other build against itself. For each stage the median of \
        ln(candidate/base) gets a 95 % interval from blocks of 16 pairs; the programs are started \
        again for each block. The allowed slow-down is --tolerance, or three times the noise of \
        the base against itself if that is more. A stage fails if the whole interval is above it \
        (with Holm's adjustment over the stages) and passes if the whole interval is below it, but \
        not if noise allows more than twice --tolerance. \
        Otherwise the number of pairs doubles, up to --max-pairs; then the stage is inconclusive. \
        All looks together err in 2.5 %, by Pocock's spending function (Lan and DeMets 1983). \
        Stages under 1 % of the total are shown and not evaluated. A stored run as base is \
        compared after division by the reference kernel of each run; this is advisory. The guide \
        RelativeGates describes the method and its measured metrics.

        RUN contains record.json, trace.json (for chrome://tracing or ui.perfetto.dev), \
        report.html, report.md and junit.xml.
        """,
      arguments: [dataset],
      options: options,
      essentials: [
        "output", "mode", "schedule", "frames", "budget", "gates", "against", "baseline-out",
      ],
      elsewhere: [
        "--base": "'--against' names another build to be timed alternating, or a stored run"
      ])
  ) { arguments in
    try time(arguments)
  }

  private static func time(_ arguments: ParsedArguments) throws -> ExitStatus {
    if arguments.isGiven(jobs), arguments[schedule] != .offline {
      throw arguments.usageError(
        "'--jobs' requires '--schedule offline'; other schedules use one core")
    }
    let processors = ProcessInfo.processInfo.activeProcessorCount
    if let jobs = arguments[jobs], jobs > processors {
      throw arguments.usageError(
        "'--jobs': expected at most \(processors), the number of processors, found \(jobs)")
    }
    try RelativeGateOptions.check(arguments)
    if let file = arguments[baseline] {
      try OutputFolder.check(
        URL(fileURLWithPath: file), besides: URL(fileURLWithPath: arguments[dataset]))
    }
    var pipeline = RunPlan(
      dataset: URL(fileURLWithPath: arguments[dataset]),
      run: URL(fileURLWithPath: arguments[output]))
    try Pipeline.apply(arguments, mode: arguments[mode], to: &pipeline)
    pipeline.replaces = arguments[force]
    var plan = ProfilePlan(pipeline)
    plan.gates = arguments[gates].map { URL(fileURLWithPath: $0) }
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
      try stopping { try base?.evaluate(&record, monitor: progress.monitor) }
      progress.finish()
      try finished.folder.write(try record.json(), to: "record.json")
      try RunReports.write(record, into: finished.folder)
    }
    if let file = arguments[baseline] {
      try OutputFolder.write(
        Data(try Baseline(record).json()), to: URL(fileURLWithPath: file))
    }
    StepSummary.append(Report(record: record).summaryMarkdown())
    try arguments.print(record, text: ProfileSummary.text(record, run: arguments[output]))
    return ExitStatus(record.gates, inconclusive: arguments[inconclusive])
  }
}
