package import Foundation
internal import TFLite
internal import Tensor

/// A detector's net, loaded and checked; shared by any number of `FaceDetector`s.
package struct DetectorNet: Sendable {
  /// Name in the catalogue.
  package let name: String
  /// SHA-256 of the net's bytes, in lower-case hexadecimal.
  package let sha256: String
  /// Whether the bytes are the pinned ones.
  package let isPinned: Bool
  /// What its numbers mean.
  package let geometry: DetectorGeometry
  let model: Model

  /// Position of the boxes and points among the outputs.
  static let regressors = 0
  /// Position of the scores among the outputs.
  static let logits = 1

  /// Loads a net from the user's cache, or from a file or folder that the user names.
  package init(_ variant: DetectorVariant, from models: URL?) throws(ModelStoreError) {
    let net = try NetBytes(variant.model, from: models)
    let geometry = variant.geometry
    name = variant.model.name
    sha256 = net.sha256
    isPinned = variant.model.places.contains { $0.sha256 == net.sha256 }
    self.geometry = geometry
    do {
      model = try Model(bytes: net.bytes[...])
    } catch {
      throw ModelStoreError(.wrongData, "cannot load \(variant.model.name): \(error)")
    }
    let inputs = model.inputs.map(\.shape.dimensions)
    let outputs = model.outputs.map(\.shape.dimensions)
    let side = geometry.inputSide
    let count = geometry.anchorCount
    guard inputs == [[1, side, side, 3]], outputs == [[1, count, 16], [1, count, 1]] else {
      throw ModelStoreError(
        .wrongData,
        "cannot use \(net.label) as \(variant.model.name): expected input [1, \(side), \(side), 3] "
          + "and outputs [1, \(count), 16], [1, \(count), 1], found \(inputs) and \(outputs)")
    }
  }

  /// Multiplications with addition that one run takes.
  package var multiplyAccumulates: Int { model.multiplyAccumulates }
}
