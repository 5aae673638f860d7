import CommandSyntax
import Foundation
import Scoring

extension Command {
  private static let run = Argument("run", .directory, help: "The folder of a finished run.")
  private static let output = Option(
    required: "output", short: "o", valueName: "folder", .directory,
    help: "Folder to create for the images, one PNG per frame.")
  private static let frames = Option(
    "frames", valueName: "first:end:step", .frames, otherwise: "all frames",
    help: "Frames to draw, without END; each part may be empty, one number is one frame.")
  private static let parts = Option(
    "parts", valueName: "names", .list(of: OverlayPlan.partNames),
    default: OverlayPlan.defaultParts, help: "What to draw.")
  private static let canvas = Option(
    "canvas", valueName: "ground", .choice(OverlayPlan.Canvas.self),
    otherwise: "the dataset's images",
    help: "Draw on an empty background without photographs; only labels then need the dataset.")

  /// `facegauge overlay`.
  static let overlay = Command(
    CommandDeclaration(
      "overlay", abstract: "Draw a run's predictions on the images of its dataset",
      discussion: """
          facegauge overlay run -o drawn --frames 0:100:5 --parts contours,axes

        mesh draws the triangles of the canonical face, or dots if that model is missing. contours \
        draws lips, eyes, brows, irises and the oval of the face. axes draws the head's axes from \
        the tip of the nose, 6 cm long: x red, y green, z blue. blendshapes adds a panel of bars \
        next to the image. detections draws the detector's boxes with scores, regions the landmark \
        model's input rectangles with presence, labels the dataset's labels.
        """,
      arguments: [run],
      options: [output, datasetOfRun, frames, parts, canvas, PipelineOptions.modelsPath, force])
  ) { arguments in
    var plan = OverlayPlan(
      run: URL(fileURLWithPath: arguments[run], isDirectory: true),
      folder: URL(fileURLWithPath: arguments[output], isDirectory: true))
    plan.dataset = arguments[datasetOfRun].map { URL(fileURLWithPath: $0) }
    plan.frames = arguments[frames] ?? .all
    plan.parts = arguments[parts]
    plan.canvas = arguments[canvas]
    plan.models = arguments[PipelineOptions.modelsPath].map { URL(fileURLWithPath: $0) }
    plan.replaces = arguments[force]
    let summary = try PhaseProgress.run { try OverlayPass(plan, monitor: $0).run() }
    if let note = summary.meshNote { Diagnostics.standardError.note(note) }
    ShapedDataset.warn(summary.leftOut, "frames without a prediction left out")
    Diagnostics.standardError.print("\(arguments[output]): \(summary.images) images")
    return .success
  }
}
