package import Foundation

/// A regular file, open for reading: the only way in which this program opens what it is given.
///
/// Pipes, sockets, devices and folders are refused at once: opening waits for nobody.
package struct InputFile: ~Copyable, Sendable {
  /// The descriptor, which closes with this value.
  package let descriptor: Descriptor
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
  ) throws(Refusal) -> (descriptor: Descriptor, byteCount: Int) {
    guard !path.utf8.contains(0) else {
      throw Refusal(kind: .notFound, expected: nil, found: "its path holds a NUL")
    }
    let (descriptor, status): (Descriptor, FileStatus)
    do throws(SystemError) {
      descriptor = try Descriptor(path, [.reading, .nonBlocking])
      status = try descriptor.closingOnFailure { () throws(SystemError) in
        try FileStatus(of: descriptor)
      }
    } catch {
      // A socket cannot be opened at all.
      if error == .noSuchDevice, let status = URL(fileURLWithPath: path).status {
        try check(status, limit)
      }
      let isMissing = [.notFound, .notFolder, .nameTooLong].contains(error)
      throw Refusal(
        kind: isMissing ? .notFound : .inputOutput, expected: nil,
        found: isMissing ? "no such file" : "\(error)", cause: error)
    }
    try descriptor.closingOnFailure { () throws(Refusal) in try check(status, limit) }
    return (descriptor, status.byteCount)
  }

  private static func check(_ status: FileStatus, _ limit: Int) throws(Refusal) {
    let found: String
    switch status.kind {
    case .file:
      guard status.byteCount > limit else { return }
      let most = limit % (1 << 20) == 0 ? "\(limit >> 20) MiB" : "\(limit) bytes"
      throw Refusal(
        kind: .wrongData, expected: "at most \(most)", found: "\(status.byteCount) bytes")
    case .folder: throw Refusal(kind: .wrongData, expected: "a file", found: "a folder")
    case .pipe: found = "a pipe"
    case .socket: found = "a socket"
    default: found = "a device"
    }
    throw Refusal(kind: .wrongData, expected: "a regular file", found: found)
  }

  deinit { try? descriptor.end() }

  /// At most `count` bytes from a position on; throws `.inputOutput`.
  package func bytes(
    upTo count: Int = .max, from start: Int = 0
  ) throws(FileError) -> [UInt8] {
    let count = min(count, byteCount - start)
    guard count <= 16 << 20 || FreedMemory.hasRoom(for: count) else { throw failure(.noMemory) }
    var problem: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        filled = try descriptor.fill(UnsafeMutableRawBufferPointer(buffer), from: start)
      } catch {
        problem = error
      }
    }
    if let problem { throw failure(problem) }
    return bytes
  }

  /// Writes all bytes to a file that is not there yet; throws what the system said.
  package func copy(to url: URL) throws {
    let target = try Descriptor(url, [.writing, .new])
    defer { try? target.end() }
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var position = 0
    while true {
      let count = try descriptor.fill(&piece, upTo: piece.count, from: position)
      if count == 0 { return }
      try target.writeAll(Array(piece[..<count]))
      position += count
    }
  }

  private func failure(_ cause: SystemError) -> FileError {
    FileError(.inputOutput, "cannot read \(name): \(cause)", cause: cause)
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
