import CommandSyntax
import Foundation
import Records
import Scoring

extension Command {
  private static let session = Argument(
    "session.json", .path(extensions: ["json"]), help: "The recorded session, see above.")

  private static let run = Option(
    "run", valueName: "run", .directory, otherwise: "the session has the fingertips",
    help: "Run on the recorded session: its predictions are the fingertips, see above.")
  private static let point = Option(
    "point", valueName: "index", .integer(in: 0...10_000), otherwise: "the centre of the box",
    help: "Index of the predicted point that is the fingertip, from 0.")

  /// `facegauge drawing`.
  static let drawing = Command(
    CommandDeclaration(
      "drawing", abstract: "Measure how closely a fingertip's path follows a reference path",
      discussion: """
        In each frame with a fingertip, the ray through the fingertip's pixel meets the plane in \
        one point of the drawn path. The drawn path is compared with the reference path. Distances \
        are in mm: from points to lines, Hausdorff and discrete Fréchet.

          {"schema": "facegauge.drawing", "version": 1, "name": "spiral",
           "plane": {"transform": [[1,0,0,0], [0,1,0,0], [0,0,1,0], [0,0,-0.5,1]]},
           "reference": [[0, 0], [0.1, 0], [0.1, 0.1]],
           "frames": [{"timestamp": 12.5, "fingertip": [710.5, 512],
             "camera": {"transform": [[1,0,0,0], [0,0,-1,0], [0,1,0,0], [0,0.4,-0.5,1]],
                        "intrinsics": [[1500,0,0], [0,1500,0], [960,540,1]]}}]}

        Matrices are lists of columns in metres, as in ARKit. The camera looks along its -z axis \
        with y up; pixels are counted from the top-left corner. A plane is either the transform of \
        an anchor, with its y axis as the normal and reference points along its x and z axes, or a \
        point and a normal, with reference points in world coordinates. In a frame without a \
        fingertip "fingertip" is null.

        A plane with a transform may have an extent: rays beyond it do not meet the plane. "planes" \
        lists other planes: of all the nearest hit counts. With "display" fingertips are points of \
        a display that the image fills.

          facegauge drawing square.json --run run --point 8

        With --run the fingertips are predictions: a point of the first face of each frame, or \
        the centre of its box. Cameras are those of the run's dataset ('facegauge import \
        arkit'). \
        The session then has a plane and a reference, and no frames.
        """,
      arguments: [session], options: [run, point, Command.datasetOfRun, json])
  ) { arguments in
    try arguments.require(run, for: point, datasetOfRun)
    let source = arguments[run].map { run in
      DrawingSession.Source(
        run: URL(fileURLWithPath: run),
        dataset: arguments[Command.datasetOfRun].map { URL(fileURLWithPath: $0) },
        point: arguments[point])
    }
    let session = try DrawingSession(
      URL(fileURLWithPath: arguments[session]), fingertips: source)
    let measurements = try session.measurements()
    let drawn = measurements.first?.n ?? 0
    let heading = "\(session.name): \(session.frameCount) frames, \(drawn) drawn points"
    let lines = [heading] + RunSummary.rows(measurements)
    try arguments.print(measurements, text: lines.printed)
    return .success
  }
}
