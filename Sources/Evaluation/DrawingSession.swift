internal import Datasets
internal import FaceCore
package import Foundation
internal import Metrics
package import Records

/// A recorded session of drawing with a fingertip on a plane, as its JSON file says; the guide has the format.
package struct DrawingSession: Sendable {
  /// What the session is called.
  package let name: String
  private let plane: Plane
  private let reference: [SIMD3<Double>]
  private let frames: [(camera: PinholeCamera, fingertip: Point?)]

  /// Most frames, and most points of the reference, of a session.
  static let most = 20_000

  /// Reads a file; throws for one that is not there and for whatever is not as the format wants it.
  package init(_ url: URL) throws(EvaluationError) {
    let bytes = try InputFile.bytes(of: url)
    do {
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
      let place = try reader.plane(members["plane"])
      plane = place.plane
      reference = try reader.reference(members["reference"], on: place)
      frames = try reader.frames(members["frames"])
    } catch {
      throw EvaluationError(error)
    }
  }

  /// How many frames there are.
  package var frameCount: Int { frames.count }

  /// The figures of `drawing.…`.
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
