internal import FaceCore
internal import Foundation
internal import Platform
internal import TFLite
internal import Tensor

/// The bytes of a model, and where they came from.
struct ModelBytes {
  let bytes: [UInt8]
  let sha256: String
  let label: String

  /// Finds a model in a file or folder that the user names, else in the cache.
  ///
  /// Throws `missing` for an existing file or folder without the model.
  init(_ model: ModelDescription, from source: URL?) throws(FileError) {
    guard let source else {
      try self.init(model, in: .standard())
      return
    }
    guard source.isThere else {
      throw FileError(.notFound, "cannot read \(source.relativePath): no such file")
    }
    if source.isFolder {
      try self.init(model, in: ModelStore(folder: source))
      return
    }
    let isBundle = source.pathExtension.lowercased() == "task"
    let member = isBundle ? model.locations.compactMap(\.member).first : nil
    if isBundle, member == nil {
      throw FileError(
        .missing, "cannot load \(model.name) from \(source.relativePath): bundles do not have it")
    }
    try self.init(source, member: member, label: source.relativePath)
  }

  private init(_ url: URL, member: String?, label: String) throws(FileError) {
    bytes = try Self.read(url, member: member)
    sha256 = try Self.digest(bytes)
    self.label = label
  }

  private init(_ model: ModelDescription, in store: ModelStore) throws(FileError) {
    for location in model.locations {
      let url = store.url(of: location.file)
      switch store.state(of: location.file) {
      case .absent: continue
      case .wrong(let found, let cause):
        throw FileError(
          .wrongData,
          "cannot load \(model.name) from \(url.relativePath): expected SHA-256 \(location.file.sha256), "
            + "found \(found) (run 'facegauge models pull')", cause: cause)
      case .present:
        try self.init(url, member: location.member, label: url.path)
        guard sha256 == location.sha256 else {
          throw FileError(
            .wrongData,
            "cannot load \(model.name) from \(url.relativePath): expected SHA-256 \(location.sha256), found "
              + sha256)
        }
        return
      }
    }
    let names = model.locations.map(\.file.name).joined(separator: " or ")
    throw FileError(
      .missing,
      "cannot load \(model.name): expected \(names) in \(store.folder.relativePath), found none "
        + "(run 'facegauge models pull')")
  }

  /// The model as an engine loads it; throws where its inputs and outputs do not have the expected shapes.
  func load(
    _ model: ModelDescription, engine: any InferenceModel.Type, inputs: [[Int]],
    outputs: [[Int]]
  ) throws(FileError) -> any InferenceModel {
    let loaded: any InferenceModel
    do {
      loaded = try engine.init(bytes: bytes)
    } catch {
      throw FileError(.wrongData, "cannot load \(model.name) from \(label): \(error)")
    }
    let foundInputs = loaded.inputs.map(\.shape.dimensions)
    let foundOutputs = loaded.outputs.map(\.shape.dimensions)
    guard foundInputs == inputs, foundOutputs == outputs else {
      let (expected, plural) = (Self.list(outputs), outputs.count == 1 ? "" : "s")
      throw FileError(
        .wrongData,
        "cannot use \(label) as \(model.name): expected input \(Self.list(inputs)) and "
          + "output\(plural) \(expected), found \(foundInputs) and \(foundOutputs)")
    }
    return loaded
  }

  private static func list(_ shapes: [[Int]]) -> String {
    shapes.map { "\($0)" }.joined(separator: ", ")
  }

  /// Whether the bytes are those that the catalogue pins.
  func isPinned(as model: ModelDescription) -> Bool {
    model.locations.contains { $0.sha256 == sha256 }
  }

  /// Maximum size of a model or a bundle.
  static let mebibytes = 512

  /// A file's bytes, or those of one member of a `.task` bundle.
  static func read(
    _ url: URL, member: String? = nil, mebibytes: Int = ModelBytes.mebibytes
  ) throws(FileError) -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = try InputFile.bytes(of: url, mebibytes: mebibytes)
    } catch {
      throw error.ofModel
    }
    guard let member else { return bytes }
    do {
      return [UInt8](try ModelBundle(bytes: bytes, name: url.lastPathComponent).member(member))
    } catch {
      throw FileError(
        error.kind == .notFound ? .missing : .wrongData,
        "cannot read \(member) in \(url.relativePath): \(error)")
    }
  }

  /// SHA-256 in lower-case hexadecimal.
  static func digest(_ bytes: [UInt8]) throws(FileError) -> String {
    do {
      return try SHA256.hexadecimal(of: bytes)
    } catch {
      throw FileError(.wrongData, "\(error)", cause: error.cause)
    }
  }
}

extension FileError {
  /// The same of a model's file, which is not there or wrong.
  var ofModel: FileError {
    FileError(kind == .notFound ? .notFound : .wrongData, description, cause: cause)
  }
}
