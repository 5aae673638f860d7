internal import FaceCore
internal import Foundation
internal import Platform

/// A folder that gets its final name only when it is complete.
final class OutputLocation {
  private let url: URL
  private let temporary: URL
  private var isMade = false

  /// Prepares to write; throws `.cannotWrite` if the path exists or its parent folder does not.
  init(_ url: URL) throws(FileError) {
    self.url = url
    let parent = url.deletingLastPathComponent()
    temporary = parent.appendingPathComponent(
      ".\(url.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).partial")
    var status = stat()
    guard lstat(url.path, &status) != 0 else {
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): expected a new folder, found one or a file"
      )
    }
    guard parent.isFolder else {
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): no folder \(parent.relativePath)")
    }
  }

  deinit {
    if isMade { try? FileManager.default.removeItem(at: temporary) }
  }

  /// Makes the folder under its temporary name.
  func make() throws(FileError) {
    guard mkdir(temporary.path, 0o777) == 0 else { throw failure() }
    isMade = true
  }

  /// Writes a file below the folder, and the folders above it.
  func write(_ bytes: [UInt8], to name: String) throws(FileError) {
    let file = temporary.appendingPathComponent(name)
    do {
      if name.contains("/") {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      }
      try Data(bytes).write(to: file, options: .withoutOverwriting)
    } catch {
      throw FileError(
        .cannotWrite,
        "cannot write \(url.appendingPathComponent(name).relativePath): \(error.systemReason)"
      )
    }
  }

  /// A new file below the folder to append to.
  func handle(_ name: String) throws(FileError) -> FileHandle {
    try write([], to: name)
    do {
      return try FileHandle(forWritingTo: temporary.appendingPathComponent(name))
    } catch {
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
  }

  /// Adds text to a file.
  func append(_ text: String, to handle: FileHandle) throws(FileError) {
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
  }

  /// Gives the finished folder its name.
  func commit(closing handle: FileHandle) throws(FileError) {
    do {
      try handle.close()
    } catch {
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
    guard rename(temporary.path, url.path) == 0 else { throw failure() }
    isMade = false
  }

  private func failure() -> FileError {
    FileError(
      .cannotWrite, "cannot write \(url.relativePath): \(String(cString: strerror(errno)))")
  }
}
