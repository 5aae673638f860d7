import CommandSyntax
import FacePipeline
import Foundation
import Platform
import Running

extension Command {
  private static let mode = modeOption(
    [.video, .image], default: .video,
    help: "Running mode for frames of videos: video tracks, image analyses each frame alone.")

  private static let connect = Option(
    "connect", valueName: "tcp://host:port", .string,
    otherwise: "standard input and output",
    help: "Connect to a 'facegauge track' that waits with --tracker listen://host:port.")

  /// `facegauge serve`.
  static let serve = Command(
    CommandDeclaration(
      "serve", abstract: "Run the pipeline as a tracker on standard input and output",
      discussion: """
          facegauge track clips.h5 --tracker 'facegauge serve' -o predictions.h5

        Reads frames from standard input and writes one line of JSON per frame to standard output, \
        in the protocol that 'facegauge track' and 'facegauge profile --against' use with \
        trackers. The guide TrackerProtocol describes it. The program ends at the end of the \
        input.

        The models are loaded and warmed up before the first line, so no frame's time includes it.

        --connect measures this machine from another one. 'facegauge track' shows the address to \
        give here:

          facegauge track clips.h5 --tracker listen://192.168.1.5:7000 -o predictions.h5
          facegauge serve --connect tcp://192.168.1.5:7000/2f9c51e07ab3d846
        """,
      arguments: [], options: [mode, connect] + PipelineOptions.all,
      essentials: ["mode", "connect", "num-faces", "models", "detector-model", "landmark-model"])
  ) { arguments in
    let nowhere = URL(fileURLWithPath: "-")
    var plan = RunPlan(dataset: nowhere, run: nowhere)
    try PipelineOptions.apply(arguments, mode: arguments[mode], to: &plan)
    guard let place = arguments[connect] else {
      try PipelineServer(plan).run(from: .standardInput) { try StandardOutput.write($0) }
      return .success
    }
    guard let address = NetworkAddress(place) else {
      throw arguments.usageError("expected '--connect tcp://host:port', found '\(place)'")
    }
    try PipelineServer(plan).run(at: address)
    return .success
  }
}
