import CommandSyntax
import Evaluation
import Foundation

extension Command {
  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5", "json"]), help: "The dataset; its labels are not used.")
  private static let trackers = Option(
    repeating: "tracker", valueName: "command", .string, minimum: 1,
    help: "Shell command line of a tracker; may be repeated, the trackers then alternate.")
  private static let outputs = Option(
    repeating: "output", short: "o", valueName: "file.h5", .path(extensions: ["h5"]), minimum: 1,
    help: "Predictions file to write, one per tracker in the same order.")
  private static let mode = Option(
    "mode", valueName: "mode", .choice(Mode.self), default: .video,
    help: "Running mode for frames of videos: video in order, image each frame alone.")
  private static let input = Option(
    "input", valueName: "way", .choice(TrackerRun.Input.self),
    otherwise: "the tracker's preference; of several, one that all support, rgb first",
    help: "Form of the frames: dataset sends an index into the file, rgb decoded pixels.")
  private static let timeLimit = Option(
    "time-limit", valueName: "seconds", .integer(in: 1...86_400), default: 60,
    help: "Maximum time to start, to answer a frame and to end, in seconds.")
  private static let maxBadFrames = Option(
    "max-bad-frames", valueName: "n", .integer(in: 0...Int.max), default: 0,
    help: "Maximum number of broken images to skip; one more ends the run with status 65.")
  private static let starts = Option(
    "starts", valueName: "n", .integer(in: 1...1000), default: 12,
    help: "Maximum number of starts of several trackers; an interval of the time ratio needs 6.")
  private static let force = Flag("force", help: "Replace the files if they exist.")
  private static let json = Flag("json", help: "Print the counts and times as JSON.")

  private enum Mode: String, Sendable, CaseIterable {
    case video, image
  }

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

        With several trackers each frame goes to all of them, one after the other. The first \
        tracker changes with each frame, so other load on the machine affects all of them equally. \
        All are started again up to --starts times, before a video, or in image mode before any frame, because two starts \
        of the same program differ by a few percent; each start begins with three frames that are \
        not timed. The interval of the time ratio is over starts.

        If a tracker is missing, ends early, gives no answer in time or gives an invalid one, the \
        run ends with status 65 and one line, and nothing is written.
        """,
      arguments: [dataset],
      options: [trackers, outputs, mode, input, starts, timeLimit, maxBadFrames, force, json])
  ) { arguments in
    let commands = arguments[trackers]
    guard commands.count == arguments[outputs].count else {
      throw arguments.usageError(
        "expected one '--output' per '--tracker', found \(arguments[outputs].count) for "
          + "\(commands.count)")
    }
    var plan = TrackerRun(
      dataset: URL(fileURLWithPath: arguments[dataset]),
      trackers: zip(commands, arguments[outputs]).map {
        TrackerRun.Tracker(command: $0, output: URL(fileURLWithPath: $1))
      })
    plan.isVideo = arguments[mode] == .video
    plan.input = arguments[input]
    plan.starts = arguments[starts]
    plan.secondsToAnswer = arguments[timeLimit]
    plan.maxBadFrames = arguments[maxBadFrames]
    plan.replaces = arguments[force]
    let progress = PhaseProgress()
    let summaries = try stopping { try plan.run(monitor: progress.monitor) }
    progress.finish()
    let text = TrackingSummary(summaries: summaries)
    if arguments[json] {
      try StandardOutput.writeJSON(text.json())
    } else {
      try StandardOutput.write(text.text)
    }
    return .success
  }
}
