package import Foundation
package import Platform
internal import Tensor

/// What the cards of detectors and landmark models share: a name, the model's file and its input.
package struct ModelCard: Sendable, Hashable {
  /// The model's name in records.
  package let name: String
  /// The card's path as the user gave it.
  package let path: String
  /// SHA-256 of the card, in lower-case hexadecimal.
  package let sha256: String
  /// The model's file, relative to the card's folder unless it is absolute.
  let file: String
  let input: ModelInput

  /// Maximum size of a card.
  fileprivate static let mebibytes = 1

  /// Reads what cards share; `required` and `optional` are the keys of the card's own parts.
  static func read(
    json: [UInt8], path: String, schema: String, required: [String], optional: [String],
    hasFit: Bool = false
  ) throws(FileError) -> (card: ModelCard, root: JSONNode) {
    let root = try JSONNode(
      json, source: path, header: JSONHeader(schema, version: 1),
      keys: ["name", "file", "input"] + required, optional: optional)
    let card = ModelCard(
      name: try root["name"].text(), path: path, sha256: try ModelBytes.digest(json),
      file: try root["file"].text(), input: try ModelInput(root["input"], hasFit: hasFit))
    return (card, root)
  }

  /// Loads the model and compares its input with the card.
  func load(
    engine: any InferenceModel.Type
  ) throws(FileError) -> (model: any InferenceModel, sha256: String) {
    let url = URL(
      fileURLWithPath: file,
      relativeTo: URL(fileURLWithPath: path).deletingLastPathComponent())
    let bytes = try ModelBytes.read(url)
    let model: any InferenceModel
    do {
      model = try engine.init(bytes: bytes)
    } catch {
      throw FileError(.wrongData, "cannot load \(name) from \(url.relativePath): \(error)")
    }
    let found = model.inputs.map(\.shape.dimensions)
    guard found == [input.shape] else {
      throw wrong("input", "\(found)", "\(input.shape)")
    }
    return (model, try ModelBytes.digest(bytes))
  }

  /// The error for a card that does not fit its model.
  func wrong(_ position: String, _ model: String, _ card: String) -> FileError {
    FileError(
      .wrongData, "cannot use \(path), \(position): expected \(model) as in \(file), found \(card)")
  }

  /// What records tell of the model.
  var remark: String {
    "an own model, described by \(URL(fileURLWithPath: path).lastPathComponent) with SHA-256 "
      + sha256
  }
}

/// A card of one kind of models of the user's.
package protocol CardOfModel {
  /// Reads a card; `path` names it in messages and leads to its model.
  init(json: [UInt8], path: String) throws(FileError)
}

extension CardOfModel {
  /// Reads a card that the user names; throws `.notFound` and `.wrongData`.
  package init(_ url: URL) throws(FileError) {
    let bytes = try ModelBytes.read(url, mebibytes: ModelCard.mebibytes)
    do {
      try self.init(json: bytes, path: url.relativePath)
    } catch {
      throw error.ofModel
    }
  }
}
