import Foundation

/// A folder of a test's own, removed with its last reference.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "datasets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name) }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> URL {
    try FileManager.default.createDirectory(
      at: file(name).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file(name))
    return file(name)
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> URL {
    try write(Array(text.utf8), to: name)
  }

  /// Everything in the folder, hidden files included, by name.
  var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
