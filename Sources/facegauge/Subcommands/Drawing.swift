import CommandSyntax
import Evaluation
import Foundation
import Records

extension Command {
  private static let session = Argument(
    "session.json", .path(extensions: ["json"]), help: "The recorded session, see above.")
  private static let json = Flag("json", help: "Print the measurements as JSON instead of a table.")

  /// `facegauge drawing`.
  static let drawing = Command(
    CommandDeclaration(
      "drawing", abstract: "Measure how near a fingertip's drawing on a plane comes to its model",
      discussion: """
        The ray through the fingertip's pixel meets the plane in a point of the drawn path, in \
        every frame that has a fingertip. The path is compared with the reference path: distances \
        in mm, from points to lines and as Hausdorff and discrete Fréchet distance.

          {"schema": "facegauge.drawing", "version": 1, "name": "spiral",
           "plane": {"transform": [[1,0,0,0], [0,1,0,0], [0,0,1,0], [0,0,-0.5,1]]},
           "reference": [[0, 0], [0.1, 0], [0.1, 0.1]],
           "frames": [{"timestamp": 12.5, "fingertip": [710.5, 512],
             "camera": {"transform": [[1,0,0,0], [0,0,-1,0], [0,1,0,0], [0,0.4,-0.5,1]],
                        "intrinsics": [[1500,0,0], [0,1500,0], [960,540,1]]}}]}

        Matrices are lists of columns in metres, as ARKit has them. The camera looks along its -z, \
        y up; pixels are counted from the top-left corner. A plane is an anchor's transform, whose y \
        axis stands on it, with reference points along its x and z axes; or a point and a normal, \
        with reference points in the world. A frame without a fingertip has null.
        """,
      arguments: [session], options: [json])
  ) { arguments in
    let session = try DrawingSession(URL(fileURLWithPath: arguments[session]))
    let measurements = try session.measurements()
    if arguments[json] {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      let data = try encoder.encode(measurements)
      try StandardOutput.writeJSON(String(decoding: data, as: UTF8.self) + "\n")
      return .success
    }
    let drawn = measurements.first?.n ?? 0
    let heading = "\(session.name): \(session.frameCount) frames, \(drawn) drawn points"
    let lines = [heading] + RunSummary.rows(measurements)
    try StandardOutput.writeLines(lines)
    return .success
  }
}
