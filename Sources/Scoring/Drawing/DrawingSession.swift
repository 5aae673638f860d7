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
      let bytes = try InputFile.bytes(of: url)
      let reader = DrawingReader(source: url.relativePath)
      let root = try DrawingReader.Value(JSONValue(bytes: bytes, source: url.relativePath), "")
      let members = try reader.object(
        root, required: ["schema", "version", "plane", "reference", "frames"], optional: ["name"])
      guard case .string("facegauge.drawing")? = members["schema"]?.json else {
        throw reader.error(members["schema"], expected: "\"facegauge.drawing\"")
      }
      guard case .number(1)? = members["version"]?.json else {
        throw reader.error(members["version"], expected: "1")
      }
      name = try members["name"].map(reader.text) ?? url.deletingPathExtension().lastPathComponent
      let position = try reader.plane(members["plane"])
      plane = position.plane
      reference = try reader.reference(members["reference"], on: position)
      frames = try reader.frames(members["frames"])
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
