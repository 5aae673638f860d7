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
    target = url.resolvingSymlinksInPath()
    let folder = target.deletingLastPathComponent()
    temporary = folder.appendingPathComponent(
      ".\(target.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).partial")
    if url.isFolder {
      isFinished = true
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): expected a file, found a folder")
    }
    var status = stat()
    if lstat(target.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      isFinished = true
      throw FileError(
        .cannotWrite,
        "cannot write \(url.relativePath): expected a regular file, found a device or pipe")
    }
    if !replacing, FileManager.default.fileExists(atPath: url.path) {
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
    if !isFinished { try? FileManager.default.removeItem(at: temporary) }
  }

  /// Gives the finished file its name.
  package func commit() throws(FileError) {
    guard rename(temporary.path, target.path) == 0 else {
      throw FileError(
        .cannotWrite, "cannot write \(url.relativePath): \(String(cString: strerror(errno)))")
    }
    isFinished = true
  }
}
