package import Foundation
internal import Glibc

/// A regular file, open for reading: the only way in which this program opens what it is given.
///
/// Pipes, sockets, devices and folders are refused at once: opening waits for nobody.
package struct InputFile: ~Copyable, Sendable {
  /// The descriptor, which closes with this value.
  package let descriptor: Int32
  /// Size of the file in bytes when it was opened.
  package let byteCount: Int
  private let name: String

  /// Why a file is not opened.
  package struct Refusal: Error {
    /// Whether it is not there, is something else, or is kept by the system.
    package let kind: FileError.Kind
    /// What it should be; nil where the system refused.
    package let expected: String?
    /// What it is, or what the system said.
    package let found: String
    /// What the system said; nil where it has no part in it.
    package var cause: SystemError?

    /// Both, as messages end.
    package var words: String { expected.map { "expected \($0), found \(found)" } ?? found }
  }

  /// Opens a file of at most `limit` bytes; a link is followed. Throws `.notFound`, `.wrongData` or `.inputOutput`.
  package init(_ url: URL, limit: Int = .max) throws(FileError) {
    do throws(Refusal) {
      (descriptor, byteCount) = try Self.open(url.path, limit)
    } catch {
      throw FileError(
        error.kind, "cannot read \(url.relativePath): \(error.words)", cause: error.cause)
    }
    name = url.relativePath
  }

  /// Opens the file of a path, which later messages call `name`.
  package init(path: String, name: String, limit: Int = .max) throws(Refusal) {
    (descriptor, byteCount) = try Self.open(path, limit)
    self.name = name
  }

  private static func open(
    _ path: String, _ limit: Int
  ) throws(Refusal) -> (descriptor: Int32, byteCount: Int) {
    guard !path.utf8.contains(0) else {
      throw Refusal(kind: .notFound, expected: nil, found: "its path holds a NUL")
    }
    let descriptor = Glibc.open(path.pathBytes, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
      let code = errno
      if descriptor >= 0 { close(descriptor) }
      // A socket cannot be opened at all.
      if code == ENXIO, stat(path.pathBytes, &status) == 0 { try check(status, limit) }
      let isMissing = [ENOENT, ENOTDIR, ENAMETOOLONG].contains(code)
      throw Refusal(
        kind: isMissing ? .notFound : .inputOutput, expected: nil,
        found: isMissing ? "no such file" : "\(SystemError(code))", cause: SystemError(code))
    }
    do throws(Refusal) {
      try check(status, limit)
    } catch {
      close(descriptor)
      throw error
    }
    return (descriptor, Int(status.st_size))
  }

  private static func check(_ status: stat, _ limit: Int) throws(Refusal) {
    let found: String
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      guard status.st_size > limit else { return }
      let most = limit % (1 << 20) == 0 ? "\(limit >> 20) MiB" : "\(limit) bytes"
      throw Refusal(
        kind: .wrongData, expected: "at most \(most)", found: "\(status.st_size) bytes")
    case S_IFDIR: throw Refusal(kind: .wrongData, expected: "a file", found: "a folder")
    case S_IFIFO: found = "a pipe"
    case S_IFSOCK: found = "a socket"
    default: found = "a device"
    }
    throw Refusal(kind: .wrongData, expected: "a regular file", found: found)
  }

  deinit { close(descriptor) }

  /// At most `count` bytes from a position on; throws `.inputOutput`.
  package func bytes(
    upTo count: Int = .max, from start: Int = 0
  ) throws(FileError) -> [UInt8] {
    let count = min(count, byteCount - start)
    guard Self.hasRoom(for: count) else { throw failure(ENOMEM) }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        // Safety: `buffer` has room for `count` bytes, of which `filled` are there.
        let read = pread(
          descriptor, buffer.baseAddress?.advanced(by: filled), count - filled,
          off_t(start + filled))
        if read > 0 {
          filled += read
        } else if read == 0 || errno != EINTR {
          code = read == 0 ? 0 : errno
          return
        }
      }
    }
    guard code == 0 else { throw failure(code) }
    return bytes
  }

  /// Writes all bytes to a file that is not there yet; throws what the system said.
  package func copy(to url: URL) throws {
    let target = Glibc.open(url.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard target >= 0 else { throw SystemError.last }
    defer { close(target) }
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var position = 0
    while true {
      let count = pread(descriptor, &piece, piece.count, off_t(position))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError.last }
      if count == 0 { return }
      try URL.write(piece[..<count], to: target)
      position += count
    }
  }

  /// Whether there is memory for so many bytes: an array that gets none ends the process.
  private static func hasRoom(for count: Int) -> Bool {
    guard count > 16 << 20 else { return true }
    let room = malloc(count)
    defer { free(room) }
    return room != nil
  }

  private func failure(_ code: Int32) -> FileError {
    let cause = SystemError(code)
    return FileError(.inputOutput, "cannot read \(name): \(cause)", cause: cause)
  }

  /// All bytes of a file of at most so many MiB.
  package static func bytes(of url: URL, mebibytes: Int = 64) throws(FileError) -> [UInt8] {
    try InputFile(url, limit: mebibytes << 20).bytes()
  }

  /// The first bytes of a file, at most `count`; nil where it cannot be read.
  package static func head(of url: URL, _ count: Int) -> [UInt8]? {
    guard let file = try? InputFile(url) else { return nil }
    return try? file.bytes(upTo: count)
  }
}
