import CommandSyntax
import Evaluation
import Foundation

extension Command {
  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5", "json"]), help: "The dataset; its labels are not used.")
  private static let trackers = Option(
    repeating: "tracker", valueName: "command", .string, minimum: 1,
    help: "Command line of a tracker, for the shell; given again, the trackers take turns.")
  private static let outputs = Option(
    repeating: "output", short: "o", valueName: "file.h5", .path(extensions: ["h5"]), minimum: 1,
    help: "Predictions file to write, one for each tracker in their order.")
  private static let mode = Option(
    "mode", valueName: "mode", .choice(Mode.self), default: .video,
    help: "How frames of videos are handed over: video in their order, image each by itself.")
  private static let input = Option(
    "input", valueName: "way", .choice(TrackerRun.Input.self),
    otherwise: "what the tracker prefers; of several, one that all take, rgb first",
    help: "How frames come: dataset as a place in the file, rgb as decoded pixels.")
  private static let timeLimit = Option(
    "time-limit", valueName: "seconds", .integer(in: 1...86_400), default: 60,
    help: "Longest time to start, to answer a frame and to end, in seconds.")
  private static let maxBadFrames = Option(
    "max-bad-frames", valueName: "n", .integer(in: 0...Int.max), default: 0,
    help: "How many broken pictures may be skipped; one more ends the run with status 65.")
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
        Each tracker is a program that reads frames from its standard input and answers on its \
        standard output, a line of JSON each; the guide TrackerProtocol describes it, with an \
        example in Python. 'facegauge serve' is our own pipeline as such a program. What it says \
        becomes predictions of the dataset, which 'facegauge evaluate DATASET.h5 --predictions \
        FILE.h5' judges and 'facegauge compare' compares: accuracy, jitter and latency.

        With several trackers each frame goes to all of them, one after the other, and another one \
        begins each time, so that what the machine does meanwhile hits them alike:

          facegauge track c.h5 --tracker ./ours -o a.h5 --tracker ./theirs -o b.h5

        A tracker that is not there, ends early, keeps silent, hangs or says something else ends \
        the run with status 65 and one line; nothing is written.
        """,
      arguments: [dataset],
      options: [trackers, outputs, mode, input, timeLimit, maxBadFrames, force, json])
  ) { arguments in
    let commands = arguments[trackers]
    guard commands.count == arguments[outputs].count else {
      throw arguments.usageError(
        "expected an '--output' for each '--tracker', found \(arguments[outputs].count) for "
          + "\(commands.count)")
    }
    var plan = TrackerRun(
      dataset: URL(fileURLWithPath: arguments[dataset]),
      trackers: zip(commands, arguments[outputs]).map {
        TrackerRun.Tracker(command: $0, output: URL(fileURLWithPath: $1))
      })
    plan.isVideo = arguments[mode] == .video
    plan.input = arguments[input]
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
