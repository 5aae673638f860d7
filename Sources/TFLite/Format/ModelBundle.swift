import Foundation

/// A `.task` bundle, a ZIP whose members are stored without compression, or one bare `.tflite` model.
///
/// Bytes in front of the archive are tolerated. Contents are not trusted.
package struct ModelBundle: Sendable {
  /// The whole file.
  package let bytes: [UInt8]
  /// Name of the file in errors.
  package let name: String
  /// Whether the file is a bare `.tflite` model, which has no members.
  package let isSingleModel: Bool
  private let members: [(name: String, position: Range<Int>)]

  /// Names of the members, in the order of the archive's directory.
  package var memberNames: [String] { members.map(\.name) }

  /// Reads a file; throws if it is missing, or neither a bundle nor a model.
  package init(path: String) throws(ModelError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ModelError(.notFound, "cannot read model '\(path)': no such readable file")
    }
    try self.init(bytes: [UInt8](data), name: path)
  }

  /// Reads the directory of a bundle in memory; throws if it is neither a bundle nor a model.
  package init(bytes: [UInt8], name: String) throws(ModelError) {
    self.bytes = bytes
    self.name = name
    isSingleModel = TFLiteSchema.isIdentified(bytes[...])
    do {
      members = isSingleModel ? [] : try StoredZip(bytes: bytes).members()
    } catch {
      throw error.during("cannot read model bundle '\(name)'")
    }
  }

  /// The bytes of a member, without a copy; if it is missing, throws with the names of the members.
  package func member(_ member: String) throws(ModelError) -> ArraySlice<UInt8> {
    guard let found = members.first(where: { $0.name == member }) else {
      let others = memberNames.isEmpty ? "none" : memberNames.joined(separator: ", ")
      throw ModelError(
        .notFound, "no file '\(member)' in model bundle '\(name)'; its files are: \(others)")
    }
    return bytes[found.position]
  }
}
