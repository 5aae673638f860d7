package import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// An open file, pipe or socket by its number; whoever opens it closes it.
package struct Descriptor: Sendable, Hashable {
  /// The system's number.
  package let number: Int32

  /// Names what is open already.
  package init(_ number: Int32) { self.number = number }

  /// The process's input.
  package static let standardInput = Descriptor(STDIN_FILENO)
  /// Where the process's data goes.
  package static let standardOutput = Descriptor(STDOUT_FILENO)
  /// Where the process's messages go.
  package static let standardError = Descriptor(STDERR_FILENO)

  /// How something is opened.
  package struct Mode: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let reading: Mode = []
    package static let writing = Mode(rawValue: O_WRONLY)
    package static let updating = Mode(rawValue: O_RDWR)
    /// Made where there is none.
    package static let creating = Mode(rawValue: O_CREAT)
    /// Made, and refused where there is one.
    package static let new = Mode(rawValue: O_CREAT | O_EXCL)
    /// Emptied.
    package static let truncating = Mode(rawValue: O_TRUNC)
    /// Every write is at the end.
    package static let appending = Mode(rawValue: O_APPEND)
    /// Opening a pipe waits for nobody.
    package static let nonBlocking = Mode(rawValue: O_NONBLOCK | O_NOCTTY)
    /// Refused unless it is a folder.
    package static let folder = Mode(rawValue: O_DIRECTORY)
    /// Refused if it is a symbolic link.
    package static let notLink = Mode(rawValue: O_NOFOLLOW)
  }

  /// Opens a path; it closes in other programs that are started.
  package init(
    _ path: String, _ mode: Mode, permissions: UInt16 = 0o666
  ) throws(SystemError) {
    number = open(path.pathBytes, mode.rawValue | O_CLOEXEC, mode_t(permissions))
    guard number >= 0 else { throw SystemError.last }
  }

  /// Opens a file or folder, as a path.
  package init(_ url: URL, _ mode: Mode, permissions: UInt16 = 0o666) throws(SystemError) {
    try self.init(url.path, mode, permissions: permissions)
  }

  /// Closes it.
  package func end() throws(SystemError) {
    guard close(number) == 0 else { throw SystemError.last }
  }

  /// Does something with it, and closes it where that fails.
  package func closingOnFailure<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(Failure) {
      return try body()
    } catch {
      _ = close(number)
      throw error
    }
  }

  /// The next bytes, at most `limit`, after waiting for one; none at the end.
  package func bytes(upTo limit: Int) throws(SystemError) -> [UInt8] {
    while true {
      var failure: SystemError?
      let bytes = [UInt8](unsafeUninitializedCapacity: limit) { to, count in
        // Safety: `to` has room for `limit` bytes; `read` returns how many it wrote.
        let got = read(number, to.baseAddress, limit)
        failure = got < 0 ? .last : nil
        count = max(got, 0)
      }
      guard let failure else { return bytes }
      if failure != .interrupted { throw failure }
    }
  }

  /// Fills a buffer from a position of a file on; how many bytes there were.
  package func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from position: Int
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      // Safety: the rest of `buffer` has room for `buffer.count - done` bytes.
      let got = pread(
        number, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(position + done))
      if got == 0 { break }
      if got > 0 { done += got } else if errno != EINTR { throw SystemError.last }
    }
    return done
  }

  /// Replaces the first bytes of an array by those from a position on; how many there were.
  package func fill(
    _ bytes: inout [UInt8], upTo count: Int, from position: Int
  ) throws(SystemError) -> Int {
    let result = bytes.withUnsafeMutableBytes { all -> Result<Int, SystemError> in
      do throws(SystemError) {
        return .success(
          try fill(UnsafeMutableRawBufferPointer(rebasing: all.prefix(count)), from: position))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Writes all bytes; what is not blocking is waited for where it has no room, unless it should not be.
  package func writeAll(
    _ bytes: UnsafeRawBufferPointer, waits: Bool = true
  ) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      // Safety: the pointer and the count stay within `bytes`.
      let count = write(
        number, bytes.baseAddress?.advanced(by: written), bytes.count - written)
      if count >= 0 {
        written += count
      } else if errno == EAGAIN, waits {
        var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, -1)
      } else if errno != EINTR {
        throw SystemError.last
      }
    }
  }

  /// Writes all bytes.
  package func writeAll(_ bytes: [UInt8], waits: Bool = true) throws(SystemError) {
    let problem = bytes.withUnsafeBytes { all -> SystemError? in
      do throws(SystemError) {
        try writeAll(all, waits: waits)
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw problem }
  }

  /// Writes a whole text.
  package func writeAll(_ text: String) throws(SystemError) { try writeAll(Array(text.utf8)) }

  /// The size, by seeking to the end.
  package func seekToEnd() -> Int { Int(lseek(number, 0, SEEK_END)) }

  /// The next stored bytes from a position on, and the hole after them; nil where nothing more is stored.
  ///
  /// Throws where the file system reports no holes.
  package func stored(from position: Int) throws(SystemError) -> Range<Int>? {
    #if canImport(Darwin)
      let (nextHole, nextData) = (SEEK_HOLE, SEEK_DATA)
    #else
      // Names that Glibc's module lacks.
      let (nextHole, nextData): (Int32, Int32) = (4, 3)
    #endif
    let start = Int(lseek(number, off_t(position), nextData))
    guard start >= 0 else {
      if errno == ENXIO { return nil }
      throw SystemError.last
    }
    let end = Int(lseek(number, off_t(start), nextHole))
    guard end > start else { throw SystemError.last }
    return start..<end
  }

  /// Waits until a file's or folder's content has reached the disk, where the file system can do that.
  package func synchronise() throws(SystemError) {
    guard fsync(number) == 0 || errno == EINVAL || errno == EROFS else { throw SystemError.last }
  }

  /// Keeps other processes from locking it; false where one has, nil where the file system has no locks.
  package func lock() -> Bool? {
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      if errno != EINTR { return errno == EWOULDBLOCK ? false : nil }
    }
    return true
  }

  /// Lets other processes lock it.
  package func unlock() { _ = flock(number, LOCK_UN) }

  /// A second descriptor of the same; nil where there is no room for one.
  package func duplicate() -> Descriptor? {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    return copy < 0 ? nil : Descriptor(copy)
  }

  /// Whether it is a terminal.
  package var isTerminal: Bool { isatty(number) == 1 }

  /// Columns of the terminal; nil where it does not tell.
  package var terminalColumns: Int? {
    var size = winsize()
    // Safety: TIOCGWINSZ fills the one winsize that it is given.
    guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
