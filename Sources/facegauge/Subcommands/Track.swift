import CommandSyntax
import Datasets
import FacePipeline
import Foundation
import Records
import Running
import Scoring
import Timing

extension Command {
  private static let dataset = datasetArgument("The dataset; its labels are not used.")
  private static let trackers = Option(
    repeating: "tracker", valueName: "command", .string, minimum: 1,
    help: """
      Shell command line of a tracker, tcp://host:port of one that listens, or listen://host:port \
      to wait for one. May be repeated; trackers then alternate.
      """)
  private static let outputs = Option(
    repeating: "output", short: "o", valueName: "file.h5", .path(extensions: ["h5"]),
    otherwise: "with --gates nothing is written",
    help: "Predictions file to write, one per tracker in the same order.")
  private static let mode = modeOption(
    [.video, .image], default: .video,
    help: "Running mode for frames of videos: video in order, image each frame alone.")
  private static let input = Option(
    "input", valueName: "way", .choice(TrackerRun.Input.self),
    otherwise: "the tracker's preference; of several, one that all support, rgb first",
    help: "Form of frames: dataset is an index into the file, image a JPEG or PNG, rgb pixels.")
  private static let timeLimit = Option(
    "time-limit", valueName: "seconds", .integer(in: 1...86_400), default: 60,
    help: "Maximum time to start, to answer a frame and to end, in seconds.")
  private static let starts = Option(
    "starts", valueName: "n", .integer(in: 1...1000), default: 12,
    help: "Maximum number of starts of several trackers; an interval of the time ratio needs 6.")

  private static let paced = Flag(
    "paced",
    help: "Offer the frames of videos at their times, as a camera does; the newest waits.")
  private static let rate = Option(
    "fps", valueName: "rate", .number(in: 0.1...1000), otherwise: "the times of the dataset",
    help: "Frames per second of a paced run.")

  /// `facegauge track`.
  static let track = Command(
    CommandDeclaration(
      "track", abstract: "Let other programs track a dataset, and time them",
      discussion: """
          facegauge track c.h5 --tracker ./ours -o a.h5 --tracker ./theirs -o b.h5
          facegauge evaluate c.h5 --predictions a.h5 -o ours

        Each tracker is a program that reads frames from its standard input and writes one line of \
        JSON per frame to its standard output. The guide TrackerProtocol describes the protocol, \
        with an example in Python. 'facegauge serve' is our own pipeline as such a program. The \
        output becomes predictions of the dataset: 'facegauge evaluate --predictions' evaluates \
        their accuracy, jitter and latency, and 'facegauge compare' compares them.

        A tracker on a phone or another machine connects to --tracker listen://host:port, or runs \
        in a page of its browser with --tracker 'python3 -m facegauge.web mine.js'. The guide \
        Devices describes both.

        With several trackers each frame goes to all of them, one after the other. The first \
        tracker changes with each frame, so other load on the machine affects all of them equally. \
        All are started again up to --starts times, before a video, or in image mode before any frame, because two starts \
        of the same program differ by a few percent; each start begins with three frames that are \
        not timed. The interval of the time ratio is over starts.

        --paced lets the clock run on: a frame that comes while the tracker is busy waits, a newer one \
        replaces it, and what was replaced is dropped. The predictions then have live mode's frames \
        and, as the stage response, the time from the moment that a frame was due to its answer, \
        which 'facegauge evaluate' reports and gates as latency.response.p95.

        --gates times two trackers, such as two builds of your own, and fails if the second takes \
        longer than the first by more than a gate allows:

          facegauge track c.h5 --tracker ./base --tracker ./ours --gates gates.json

          {"schema": "facegauge.gates", "version": 2, "gates": [
            {"metric": "latency.total.p50", "max_relative_worsening": 0.05}]}

        The verdicts are those of 'facegauge profile --against': the first tracker also runs \
        against itself, all are started again after every 16 pairs of frames, and a gate fails or \
        passes by the 95 % interval of the ratio. A stage that the trackers report can be named \
        instead of total, and p90 or p95 instead of p50. The exit status is 2 if a gate fails, and \
        3 if the pairs do not decide. The guide RelativeGates describes the method.

        If a tracker is missing, ends early, gives no answer in time or gives an invalid one, the \
        run ends with status 65 and one line. Of one tracker that is not paced, parts of 256 \
        frames are kept, also after an interruption, and --resume goes on after them. A paced run \
        writes the frames until then, and the finding frames.missing counts the others. Several \
        trackers write nothing.
        """,
      arguments: [dataset],
      options: [
        trackers, outputs, mode, paced, rate, input, starts, timeLimit, maxBadFrames, gates,
        inconclusive, RelativeGateOptions.maxPairs, RelativeGateOptions.maxSeconds, resume, force,
        json,
      ],
      essentials: ["tracker", "output", "mode", "time-limit", "gates", "force"])
  ) { arguments in
    try check(arguments)
    let progress = PhaseProgress()
    let timing = try stopping { try relativeTiming(arguments, progress) }
    var trackers: TrackingSummary?
    if !arguments[outputs].isEmpty {
      let plan = trackerRun(arguments)
      trackers = TrackingSummary(
        summaries: try stopping { try plan.run(monitor: progress.monitor) })
    }
    let timed = try timing.map { timing, gates in
      let outcome = try stopping { try measure(timing, after: trackers, progress.monitor) }
      return TimingSummary(outcome: outcome, results: gates.results(of: outcome.findings))
    }
    progress.finish()
    for output in arguments[outputs] {
      let dataset = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
      let findings = try [Finding].of(URL(fileURLWithPath: output), dataset).filter(\.isOpen)
      for line in RunSummary.findings(findings) {
        Diagnostics.standardError.print("\(output): \(line)".withoutControlCharacters)
      }
    }
    if let timed { StepSummary.append(timed.markdown) }
    if arguments[json] {
      try StandardOutput.writeJSON(try timed?.json(trackers) ?? trackers?.json() ?? "")
    } else {
      try StandardOutput.write((trackers?.text ?? "") + (timed?.text ?? ""))
    }
    return timed.map { ExitStatus($0.results, inconclusive: arguments[inconclusive]) } ?? .success
  }

  private static func check(_ arguments: ParsedArguments) throws {
    let (commands, files) = (arguments[trackers], arguments[outputs])
    let isTimed = arguments.isGiven(gates)
    guard commands.count == files.count || isTimed && files.isEmpty else {
      throw arguments.usageError(
        "expected one '--output' per '--tracker', found \(files.count) for \(commands.count)")
    }
    if arguments[paced] {
      try arguments.refuse(paced, with: gates)
      guard commands.count == 1 else {
        throw arguments.usageError("'--paced' runs one tracker: found \(commands.count)")
      }
      guard arguments[mode] == .video else {
        throw arguments.usageError("'--paced' cannot be combined with '--mode image'")
      }
    }
    try arguments.require(paced, for: rate)
    if arguments[resume], commands.count > 1 || isTimed || arguments[paced] {
      throw arguments.usageError("'--resume' continues a run of one tracker that is not paced")
    }
    if isTimed, commands.count != 2 {
      throw arguments.usageError(
        "'--gates' compares two trackers, base and candidate: found \(commands.count)")
    }
    try arguments.require(
      gates, for: inconclusive, RelativeGateOptions.maxPairs, RelativeGateOptions.maxSeconds)
    // Timing starts both as it needs, and skips broken images.
    try arguments.require(outputs, for: starts, maxBadFrames)
  }

  private static func trackerRun(_ arguments: ParsedArguments) -> TrackerRun {
    var plan = TrackerRun(
      dataset: URL(fileURLWithPath: arguments[dataset]),
      trackers: zip(arguments[trackers], arguments[outputs]).map {
        TrackerRun.Tracker(command: $0, output: URL(fileURLWithPath: $1))
      })
    plan.isVideo = arguments[mode] == .video
    if arguments[paced] { plan.pace = .paced(framesPerSecond: arguments[rate]) }
    plan.input = arguments[input]
    plan.starts = arguments[starts]
    plan.secondsToAnswer = arguments[timeLimit]
    plan.maxBadFrames = arguments[maxBadFrames]
    plan.replaces = arguments[force]
    plan.resumes = arguments[resume]
    return plan
  }

  /// Times both; what was tracked before stays where the timing is interrupted.
  private static func measure(
    _ timing: ABTiming, after tracked: TrackingSummary?, _ monitor: RunMonitor
  ) throws(EvaluationError) -> ABTiming.Outcome {
    do throws(EvaluationError) {
      return try timing.run(monitor: monitor)
    } catch {
      guard tracked != nil else { throw error }
      throw EvaluationError(
        error.kind,
        error.description.replacing(
          RunMonitor.nothingKept, with: "the predictions are written, the verdict is not"),
        cause: error.cause)
    }
  }

  /// What is to be timed, and the gates; both trackers are started once, so that problems are reported early.
  private static func relativeTiming(
    _ arguments: ParsedArguments, _ progress: PhaseProgress
  ) throws -> (ABTiming, RelativeGates)? {
    guard let file = arguments[gates] else { return nil }
    let commands = arguments[trackers]
    var timing = try ABTiming(
      dataset: URL(fileURLWithPath: arguments[dataset]), base: commands[0], candidate: commands[1])
    timing.isVideo = arguments[mode] == .video
    timing.secondsToAnswer = arguments[timeLimit]
    timing.maxPairs = arguments[RelativeGateOptions.maxPairs]
    timing.secondsLimit = arguments[RelativeGateOptions.maxSeconds]
    timing.input = arguments[input]
    let both = try timing.tryBoth(monitor: progress.monitor)
    timing.input = both.input
    let gates = try RelativeGates(URL(fileURLWithPath: file), stages: both.stages)
    timing.ask(for: gates)
    return (timing, gates)
  }
}
