package import Foundation

/// A file that appears under its name only when it is whole.
package final class AtomicFile {
  /// Where the file will be, as the caller named it.
  package let url: URL
  /// The same without symbolic links.
  package let target: URL
  private var unfinished: UnfinishedItem?

  /// Prepares to write, and makes nothing; an existing file is an error unless it may be replaced.
  ///
  /// A symbolic link is followed; devices, pipes and folders are never replaced.
  package init(_ url: URL, replacing: Bool) throws(FileError) {
    self.url = url
    target = url.withoutLinks
    let folder = target.deletingLastPathComponent()
    if url.isFolder {
      throw FileError(writing: url, "expected a file, found a folder")
    }
    if let status = try? FileStatus(target, followsLinks: false), status.kind != .file {
      throw FileError(writing: url, "expected a regular file, found a device or pipe")
    }
    if !replacing, url.isThere {
      throw FileError(writing: url, "it exists already (--force replaces it)")
    }
    guard folder.isFolder else {
      throw FileError(
        writing: url, "no folder \(url.deletingLastPathComponent().relativePath)")
    }
  }

  deinit { unfinished?.remove() }

  /// Makes the file under a hidden name in the same folder, and returns where; it is locked for this process.
  package func begin() throws(FileError) -> URL {
    do {
      let made = try UnfinishedItem(of: target)
      unfinished = made
      return made.url
    } catch {
      throw FileError(writing: url, error)
    }
  }

  /// Writes the whole file and gives it its name.
  package func write(_ bytes: some Sequence<UInt8>) throws(FileError) {
    _ = try begin()
    do {
      try unfinished?.write(bytes)
    } catch {
      throw FileError(writing: url, error)
    }
    try commit()
  }

  /// Writes a whole file in place of what has its name, a symbolic link included; nothing is checked before.
  ///
  /// What fails leaves nothing new. Throws what the system said, which the caller words with `systemReason`.
  package static func write(_ bytes: some Sequence<UInt8>, to url: URL) throws {
    let unfinished = try UnfinishedItem(of: url)
    do {
      try unfinished.write(bytes)
      try unfinished.rename(to: url)
    } catch {
      unfinished.remove()
      throw error
    }
  }

  /// Gives the finished file its name.
  ///
  /// `complete` adds to the file first. With `isDurable` file and name are on the disk afterwards.
  package func commit(
    isDurable: Bool = false, after complete: (URL) throws -> Void = { _ in }
  ) throws(FileError) {
    do {
      if let unfinished { try complete(unfinished.url) }
      if isDurable { try unfinished?.synchronise() }
      try unfinished?.rename(to: target)
      unfinished = nil
      if isDurable { try target.deletingLastPathComponent().synchronise() }
    } catch {
      throw FileError(writing: url, error)
    }
  }

  /// Gives a finished file of the same disk the name.
  package func commit(moving file: URL) throws(FileError) {
    do {
      try file.rename(to: target)
    } catch {
      throw FileError(writing: url, error)
    }
  }
}

extension URL {
  /// Throws `.cannotWrite` where a file to write is an input under any name, by a symbolic or a hard link too.
  ///
  /// Messages name `reported`, or the file itself.
  package func requireOther(than input: URL, reported: URL? = nil) throws(FileError) {
    let isSame =
      withoutLinks.path == input.withoutLinks.path
      || status.flatMap { own in input.status.map { own.isSame(as: $0) } } == true
    guard isSame else { return }
    throw FileError(
      writing: reported ?? self, "expected a file other than the input, found the same")
  }

  /// Whether it lies in a folder or in one of its folders, without symbolic links.
  package func isInside(_ folder: URL) -> Bool {
    withoutLinks.path.hasPrefix(folder.withoutLinks.path + "/")
  }
}
