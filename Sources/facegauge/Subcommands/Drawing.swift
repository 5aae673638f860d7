import CommandSyntax
import Foundation
import Platform
import Records
import Scoring

extension Command {
  private static let session = Argument(
    "session.json", .path(extensions: ["json"]), help: "The recorded session, see above.")

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
        """,
      arguments: [session], options: [json])
  ) { arguments in
    let session = try DrawingSession(URL(fileURLWithPath: arguments[session]))
    let measurements = try session.measurements()
    if arguments[json] {
      try StandardOutput.writeJSON(JSONEncoder.document.text(of: measurements))
      return .success
    }
    let drawn = measurements.first?.n ?? 0
    let heading = "\(session.name): \(session.frameCount) frames, \(drawn) drawn points"
    let lines = [heading] + RunSummary.rows(measurements)
    try StandardOutput.writeLines(lines)
    return .success
  }
}
