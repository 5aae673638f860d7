package import Foundation
internal import Synchronization

/// A folder that appears under its name only when it is whole.
///
/// Until then it is one of two kinds:
/// * A temporary folder is `.NAME.PID.partial`. It is removed with the last reference unless it was committed. Nothing
///   that exists is replaced.
/// * A resumable folder is `NAME.partial`. It stays after a failure and after a kill, so that another process can go on
///   with it; the file `lock` in it keeps a second process out. `commit` may replace a folder of the name.
package final class AtomicFolder: Sendable {
  /// Where the folder will be, as the caller named it.
  package let url: URL
  /// The same, for a resumable folder without symbolic links.
  package let target: URL
  /// Where it is written until then, next to the final one.
  package let partial: URL
  /// What messages call the work that can go on; nil for a temporary folder.
  private let work: String?
  private let state = Mutex(State())

  private struct State {
    var lock: FolderLock?
    var isLeftOver = false
  }

  private static let lockName = "lock"

  /// Prepares a temporary folder; makes nothing.
  ///
  /// Throws `.cannotWrite` where something has the name, or no folder is there to hold it.
  package init(temporary url: URL) throws(FileError) {
    self.url = url
    target = url
    partial = url.unfinished
    work = nil
    var status = stat()
    guard lstat(url.systemPath, &status) != 0 else {
      throw refusal("expected a new folder, found one or a file")
    }
    let parent = url.deletingLastPathComponent()
    guard parent.isFolder else { throw refusal("no folder \(parent.relativePath)") }
  }

  /// Prepares a resumable folder; makes nothing. `work` is what messages call it, such as `run`.
  package init(resumable url: URL, of work: String) {
    self.url = url
    target = url.withoutLinks
    partial = target.deletingLastPathComponent().appendingPathComponent(
      "\(target.lastPathComponent).partial", isDirectory: true)
    self.work = work
  }

  deinit {
    if state.withLock({ $0.isLeftOver }) { discard() }
  }

  /// Throws `.cannotWrite` where the unfinished folder is not this program's own, or holds work of an earlier process
  /// that is neither resumed nor replaced.
  package func check(
    isOwn: Bool, isInterrupted: Bool, resumes: Bool, replaces: Bool
  ) throws(FileError) {
    let name = partial.lastPathComponent
    if partial.isThere, !isOwn {
      throw refusal("\(name) exists and is not an interrupted \(work ?? "folder")")
    }
    if isInterrupted, !resumes, !replaces {
      throw refusal(
        "\(name) holds an interrupted \(work ?? "folder") (--resume continues it, --force starts "
          + "again)")
    }
  }

  /// Makes the unfinished folder. A temporary one must not exist yet. Throws `.cannotWrite`.
  package func make() throws(FileError) {
    do {
      if work == nil { try partial.makeNewFolder() } else { try partial.makeFolders() }
    } catch {
      throw refusal(error.systemReason)
    }
    state.withLock { $0.isLeftOver = work == nil }
  }

  /// Keeps other processes out of the unfinished folder; throws `.cannotWrite` where one is in it.
  package func lock() throws(FileError) {
    let lock = try FolderLock(partial.appendingPathComponent(Self.lockName), of: url)
    state.withLock { $0.lock = lock }
  }

  /// Removes what is in the unfinished folder except the lock and these names. Throws `.cannotWrite`.
  package func clear(keeping names: Set<String> = []) throws(FileError) {
    let found = (try? partial.names()) ?? []
    for name in found where name != Self.lockName && !names.contains(name) {
      try Self.delete(partial.appendingPathComponent(name))
    }
  }

  /// Gives the finished folder its name, after removing the lock and these names, which only unfinished folders have.
  ///
  /// With `replacing`, an earlier folder is moved aside as `NAME.replaced-PID` and then deleted; it gets its name back
  /// where the new one cannot have it. Throws `.cannotWrite`.
  package func commit(without names: [String] = [], replacing: Bool = false) throws(FileError) {
    for name in work == nil ? names : names + [Self.lockName] {
      try Self.delete(partial.appendingPathComponent(name))
    }
    guard replacing, target.isThere else {
      guard rename(partial.systemPath, target.systemPath) == 0 else { throw cannotRename() }
      state.withLock { $0.isLeftOver = false }
      return
    }
    let old = target.deletingLastPathComponent().appendingPathComponent(
      "\(target.lastPathComponent).replaced-\(ProcessInfo.processInfo.processIdentifier)")
    guard rename(target.systemPath, old.systemPath) == 0 else { throw cannotRename() }
    guard rename(partial.systemPath, target.systemPath) == 0 else {
      let error = cannotRename()
      rename(old.systemPath, target.systemPath)
      throw error
    }
    try Self.delete(old)
  }

  /// Removes the unfinished folder with everything in it.
  package func discard() { try? partial.remove() }

  private func refusal(_ what: String) -> FileError {
    FileError(.cannotWrite, "cannot write \(url.relativePath): \(what)")
  }

  private func cannotRename() -> FileError {
    FileError(
      .cannotWrite, "cannot write \(target.relativePath): \(String(cString: strerror(errno)))")
  }

  private static func delete(_ item: URL) throws(FileError) {
    guard item.isThere else { return }
    do {
      try item.remove()
    } catch {
      throw FileError(
        .cannotWrite, "cannot remove \(item.relativePath): \(error.systemReason)")
    }
  }
}
