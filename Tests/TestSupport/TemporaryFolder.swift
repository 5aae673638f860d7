package import Foundation
internal import Platform

/// A folder of a test's own, removed with its last reference.
package final class TemporaryFolder: Sendable {
  /// Where it is.
  package let url: URL

  /// Makes an empty folder.
  package init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "facegauge-\(UUID().uuidString)", directoryHint: .isDirectory)
      .resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? url.remove() }

  /// The URL of a file, whether it exists or not.
  package func file(_ name: String) -> URL { url.appending(path: name) }

  /// Writes bytes, making the folders on the way.
  @discardableResult
  package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> URL {
    try FileManager.default.createDirectory(
      at: file(name).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file(name))
    return file(name)
  }

  /// Writes a text, making the folders on the way.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> URL {
    try write(text.utf8, to: name)
  }

  /// The bytes of a file.
  package func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: file(name)))
  }

  /// Everything in it, hidden files included, by name.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
