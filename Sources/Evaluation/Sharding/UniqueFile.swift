internal import Foundation
internal import Glibc
internal import Platform

/// A file that several processes, of other machines too, may write at once: each writes aside, and the last rename wins.
enum UniqueFile {
  /// A hidden name in the folder of a file, which no other process has.
  static func temporary(for file: URL) -> URL {
    file.deletingLastPathComponent().appendingPathComponent(
      ".\(file.lastPathComponent).\(UUID().uuidString)")
  }

  /// Brings a finished file to disk and gives it its name.
  static func commit(_ temporary: URL, as file: URL) throws(EvaluationError) {
    try synchronise(temporary)
    guard rename(temporary.systemPath, file.systemPath) == 0 else {
      throw failure("cannot write \(file.relativePath)")
    }
    try synchronise(file.deletingLastPathComponent())
  }

  /// Writes a whole file unless another process has.
  static func write(_ bytes: [UInt8], unlessThere file: URL) throws {
    let temporary = temporary(for: file)
    defer { try? temporary.remove() }
    do {
      try temporary.write(bytes)
    } catch {
      throw EvaluationError(
        .cannotWrite, "cannot write \(file.relativePath): \(error.systemReason)")
    }
    try synchronise(temporary)
    // A hard link is refused where the name exists; file systems without links have only the rename.
    guard link(temporary.systemPath, file.systemPath) != 0, errno != EEXIST else { return }
    try commit(temporary, as: file)
  }

  /// Waits until a file's or folder's content has reached the disk.
  private static func synchronise(_ url: URL) throws(EvaluationError) {
    let descriptor = open(url.systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("cannot open \(url.relativePath)") }
    defer { close(descriptor) }
    // Some file systems cannot synchronise folders.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
      throw failure("cannot write \(url.relativePath)")
    }
  }

  private static func failure(_ what: String) -> EvaluationError {
    EvaluationError(.inputOutput, "\(what): \(String(cString: strerror(errno)))")
  }
}
