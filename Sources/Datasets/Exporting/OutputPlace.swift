internal import FaceCore
internal import Foundation

/// A folder that appears under its name only when it is whole.
final class OutputPlace {
  private let url: URL
  private let temporary: URL
  private var isMade = false

  /// Prepares to write; throws `.cannotWrite` where something is there already, or no folder to make it in.
  init(_ url: URL) throws(DatasetError) {
    self.url = url
    let parent = url.deletingLastPathComponent()
    temporary = parent.appendingPathComponent(
      ".\(url.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).partial")
    var status = stat()
    guard lstat(url.path, &status) != 0 else {
      throw DatasetError(
        .cannotWrite, "cannot write \(url.relativePath): expected a new folder, found one or a file"
      )
    }
    guard SourceFiles.isFolder(parent) else {
      throw DatasetError(
        .cannotWrite, "cannot write \(url.relativePath): no folder \(parent.relativePath)")
    }
  }

  deinit {
    if isMade { try? FileManager.default.removeItem(at: temporary) }
  }

  /// Makes the folder under its temporary name.
  func make() throws(DatasetError) {
    guard mkdir(temporary.path, 0o777) == 0 else { throw failure() }
    isMade = true
  }

  /// Writes a file below the folder, and the folders above it.
  func write(_ bytes: [UInt8], to name: String) throws(DatasetError) {
    let file = temporary.appendingPathComponent(name)
    do {
      if name.contains("/") {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      }
      try Data(bytes).write(to: file, options: .withoutOverwriting)
    } catch {
      throw DatasetError(
        .cannotWrite,
        "cannot write \(url.appendingPathComponent(name).relativePath): \(error.systemReason)"
      )
    }
  }

  /// A new file below the folder to append to.
  func handle(_ name: String) throws(DatasetError) -> FileHandle {
    try write([], to: name)
    do {
      return try FileHandle(forWritingTo: temporary.appendingPathComponent(name))
    } catch {
      throw DatasetError(
        .cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
  }

  /// Adds text to a file.
  func append(_ text: String, to handle: FileHandle) throws(DatasetError) {
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      throw DatasetError(
        .cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
  }

  /// Gives the finished folder its name.
  func commit(closing handle: FileHandle) throws(DatasetError) {
    do {
      try handle.close()
    } catch {
      throw DatasetError(
        .cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
    guard rename(temporary.path, url.path) == 0 else { throw failure() }
    isMade = false
  }

  private func failure() -> DatasetError {
    DatasetError(
      .cannotWrite, "cannot write \(url.relativePath): \(String(cString: strerror(errno)))")
  }
}
