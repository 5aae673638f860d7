internal import Datasets
internal import FaceCore
package import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running

/// A recorded session of drawing with a fingertip on a plane, read from JSON; the guide describes the format.
package struct DrawingSession: Sendable {
  /// What the session is called.
  package let name: String
  private let plane: Plane
  private let reference: [SIMD3<Double>]
  private let frames: [(camera: PinholeCamera, fingertip: Point?)]

  /// Maximum number of frames, and of points of the reference, in a session.
  static let maxEntries = 20_000

  /// Reads a file; throws if it is missing or does not follow the format.
  package init(_ url: URL) throws(EvaluationError) {
    do {
      let root = try JSONNode(
        InputFile.bytes(of: url), source: url.relativePath,
        header: JSONHeader("facegauge.drawing", version: 1),
        keys: ["plane", "reference", "frames"], optional: ["name"])
      name = try root["name"].given?.text() ?? url.deletingPathExtension().lastPathComponent
      let position = try DrawingReader.plane(root["plane"])
      plane = position.plane
      reference = try DrawingReader.reference(root["reference"], on: position)
      frames = try DrawingReader.frames(root["frames"])
    } catch {
      throw EvaluationError(error)
    }
  }

  /// How many frames there are.
  package var frameCount: Int { frames.count }

  /// The metrics of `drawing.…`.
  package func measurements() throws(EvaluationError) -> [Records.Measurement] {
    var path = DrawnPath(along: reference)
    do {
      for (index, frame) in frames.enumerated() {
        try path.add(frame: index, fingertip: frame.fingertip, camera: frame.camera, plane: plane)
      }
    } catch {
      throw EvaluationError(error)
    }
    return path.summarize()
  }
}
