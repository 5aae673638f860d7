package import Foundation

/// A file that appears under its name only when it is whole.
package final class AtomicFile {
  /// Where the file will be, as the caller named it.
  package let url: URL
  /// The same without symbolic links.
  package let target: URL
  /// Where it is written until then, in the same folder.
  package let temporary: URL
  private var isFinished = false

  /// Prepares to write; an existing file is an error unless it may be replaced.
  ///
  /// A symbolic link is followed; devices, pipes and folders are never replaced.
  package init(_ url: URL, replacing: Bool) throws(FileError) {
    self.url = url
    target = url.withoutLinks
    let folder = target.deletingLastPathComponent()
    temporary = target.unfinished
    if url.isFolder {
      isFinished = true
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): expected a file, found a folder")
    }
    var status = stat()
    if lstat(target.systemPath, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      isFinished = true
      throw FileError(
        .cannotWrite,
        "cannot write \(url.relativePath): expected a regular file, found a device or pipe")
    }
    if !replacing, url.isThere {
      isFinished = true
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): it exists already (--force replaces it)")
    }
    guard folder.isFolder else {
      isFinished = true
      throw FileError(
        .cannotWrite,
        "cannot write \(url.relativePath): no folder \(url.deletingLastPathComponent().relativePath)"
      )
    }
  }

  deinit {
    if !isFinished { try? temporary.remove() }
  }

  /// Writes the whole file and gives it its name.
  package func write(_ bytes: some Sequence<UInt8>) throws(FileError) {
    do {
      try temporary.write(bytes)
    } catch {
      throw FileError(.cannotWrite, "cannot write \(url.relativePath): \(error.systemReason)")
    }
    try commit()
  }

  /// Writes a whole file in place of what has its name, a symbolic link included; nothing is checked before.
  ///
  /// What fails leaves nothing new. Throws what the system said, which the caller words with `systemReason`.
  package static func write(_ bytes: some Sequence<UInt8>, to url: URL) throws {
    let temporary = url.unfinished
    // An earlier process of the same number may have been killed while it wrote.
    try? temporary.remove()
    do {
      try temporary.write(bytes, isNew: true)
      guard rename(temporary.systemPath, url.systemPath) == 0 else {
        throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
      }
    } catch {
      try? temporary.remove()
      throw error
    }
  }

  /// Gives the finished file its name.
  package func commit() throws(FileError) {
    guard rename(temporary.systemPath, target.systemPath) == 0 else {
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): \(String(cString: strerror(errno)))")
    }
    isFinished = true
  }
}

extension URL {
  /// `.NAME.PID.partial` in the same folder: where what has this name is written until it is whole.
  var unfinished: URL {
    deletingLastPathComponent().appendingPathComponent(
      ".\(lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).partial")
  }
}
