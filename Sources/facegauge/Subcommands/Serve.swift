import CommandSyntax
import Evaluation
import FacePipeline
import Foundation
import Glibc

extension Command {
  private static let mode = Option(
    "mode", valueName: "mode", .choice(Mode.self), default: .video,
    help: "How frames of videos are taken: video tracked, image each by itself.")

  private enum Mode: String, Sendable, CaseIterable {
    case video, image
  }

  /// `facegauge serve`.
  static let serve = Command(
    CommandDeclaration(
      "serve", abstract: "Run the pipeline as a tracker behind standard input and output",
      discussion: """
        Reads frames from standard input and writes what the pipeline says of them to standard \
        output, a line of JSON each, in the protocol that 'facegauge track' and 'facegauge profile \
        --against' speak with trackers. The guide TrackerProtocol describes it. Ends with the input.

        Loading and warming up happen before the first line, so that no frame's time holds them.
        """,
      arguments: [], options: [mode] + PipelineOptions.all)
  ) { arguments in
    let nowhere = URL(fileURLWithPath: "-")
    var plan = EvaluationPlan(dataset: nowhere, run: nowhere)
    PipelineOptions.apply(arguments, mode: arguments[mode] == .video ? .video : .image, to: &plan)
    try PipelineServer(plan).run(from: STDIN_FILENO) { try StandardOutput.write($0) }
    return .success
  }
}
