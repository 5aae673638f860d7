package import Foundation
internal import Synchronization

/// A folder that appears under its name only when it is whole.
///
/// Until then it is one of two kinds:
/// * A temporary folder is `.NAME.partial`. It is removed with the last reference unless it was committed; what a killed
///   process left goes with the next one. Nothing that exists is replaced.
/// * A resumable folder is `NAME.partial`. It stays after a failure and after a kill, so that another process can go on
///   with it; the file `lock` in it keeps a second process out. `commit` may replace a folder of the name.
///
/// A resumable folder is interrupted work as long as its plan is in it. The plan is therefore the first file that goes: a
/// process that is killed while it removes the others leaves a folder that the next one starts with again.
package final class AtomicFolder: Sendable {
  /// How work begins in a resumable folder.
  package enum Beginning: Sendable {
    /// With nothing.
    case new
    /// With what an earlier process has finished.
    case resumed
    /// With nothing, though it should be resumed: the earlier process had finished nothing.
    case again
  }

  private struct Kind {
    /// What messages call it, such as `run`.
    var work: String
    /// The file that says what the work is.
    var plan: String
  }

  /// Where the folder will be, as the caller named it.
  package let url: URL
  /// The same, for a resumable folder without symbolic links.
  package let target: URL
  /// Nil for a temporary folder.
  private let kind: Kind?
  private let state = Mutex(State())

  private struct State {
    var lock: FolderLock?
    var unfinished: UnfinishedItem?
  }

  private static let lockName = "lock"

  /// Where it is written until then, next to the final one.
  package var partial: URL {
    guard kind == nil else {
      return target.deletingLastPathComponent().appendingPathComponent(
        "\(target.lastPathComponent).partial", isDirectory: true)
    }
    return state.withLock { $0.unfinished?.url } ?? UnfinishedItem.names(of: target)[0]
  }

  /// Prepares a temporary folder; makes nothing.
  ///
  /// Throws `.cannotWrite` where something has the name, or no folder is there to hold it.
  package init(temporary url: URL) throws(FileError) {
    self.url = url
    target = url
    kind = nil
    guard (try? FileStatus(url, followsLinks: false)) == nil else {
      throw FileError(writing: url, "expected a new folder, found one or a file")
    }
    let parent = url.deletingLastPathComponent()
    guard parent.isFolder else { throw FileError(writing: url, "no folder \(parent.relativePath)") }
  }

  /// Prepares a resumable folder; makes nothing.
  ///
  /// `work` is what messages call it, such as `run`, and `plan` the file in it that says what the work is.
  package init(resumable url: URL, of work: String, plan: String) {
    self.url = url
    target = url.withoutLinks
    kind = Kind(work: work, plan: plan)
  }

  deinit {
    if kind == nil { discard() }
  }

  /// Makes a temporary folder. Throws `.cannotWrite`.
  package func make() throws(FileError) {
    do {
      let made = try UnfinishedItem(of: target, .folder)
      state.withLock { $0.unfinished = made }
    } catch {
      throw FileError(writing: url, error)
    }
  }

  /// Makes a resumable folder, or opens that of an earlier process, and keeps other processes out of it.
  ///
  /// Unless it is resumed, the folder is empty then. Throws `.notFound` where nothing can be resumed, and `.cannotWrite`
  /// where the folder is not this program's own, where a process is in it, and where it holds interrupted work that
  /// is neither resumed nor replaced.
  package func begin(
    resumes: Bool, replaces: Bool, isOwn: () -> Bool
  ) throws(FileError) -> Beginning {
    let work = kind?.work ?? "folder"
    let name = partial.lastPathComponent
    let isThere = partial.isThere
    guard isThere || !resumes else {
      throw FileError(
        .notFound,
        "cannot resume \(url.relativePath): no interrupted \(work) in \(partial.relativePath)")
    }
    guard !isThere || isOwn() else {
      throw FileError(writing: url, "\(name) exists and is not an interrupted \(work)")
    }
    do {
      try partial.makeFolders()
    } catch {
      throw FileError(writing: url, error)
    }
    let lock = try FolderLock(partial.appendingPathComponent(Self.lockName), of: url)
    state.withLock { $0.lock = lock }
    let isInterrupted = kind.map { partial.appendingPathComponent($0.plan).isThere } ?? false
    if isInterrupted, resumes { return .resumed }
    guard !isInterrupted || replaces else {
      throw FileError(
        writing: url,
        "\(name) holds an interrupted \(work) (--resume continues it, --force starts again)")
    }
    try clear()
    return resumes ? .again : .new
  }

  /// Removes a resumable folder that no process is in and that this says of.
  package func remove(where isRemoved: (URL) -> Bool) {
    guard isRemoved(partial),
      let lock = try? FolderLock(partial.appendingPathComponent(Self.lockName), of: url)
    else { return }
    // Another process may have begun before the lock was taken.
    if isRemoved(partial) { discard() }
    withExtendedLifetime(lock) {}
  }

  /// What says that a folder that should be resumed begins with nothing.
  package var notice: String {
    "\(partial.lastPathComponent) has nothing finished, so the \(kind?.work ?? "work") starts from the beginning"
  }

  /// Removes what is in the unfinished folder except the lock and these names. Throws `.cannotWrite`.
  package func clear(keeping names: Set<String> = []) throws(FileError) {
    let found = (try? partial.names()) ?? []
    let plans = found.filter { $0 == kind?.plan }
    for name in plans + found where name != Self.lockName && !names.contains(name) {
      try Self.delete(partial.appendingPathComponent(name))
    }
  }

  /// Gives the finished folder its name, after removing the plan, the lock and these names, which only unfinished
  /// folders have.
  ///
  /// With `replacing`, the new folder takes the name of an earlier one in one step, and the earlier one is deleted then.
  /// Where the file system has no such step, the earlier one is `.NAME.replaced` in between. Throws `.cannotWrite`.
  package func commit(without names: [String] = [], replacing: Bool = false) throws(FileError) {
    for name in kind.map({ [$0.plan] + names + [Self.lockName] }) ?? names {
      try Self.delete(partial.appendingPathComponent(name))
    }
    guard replacing, target.isThere else {
      return try rename(partial, to: target)
    }
    if partial.exchange(with: target) {
      return try Self.delete(partial)
    }
    try rename(target, to: replaced)
    do {
      try rename(partial, to: target)
    } catch {
      try? rename(replaced, to: target)
      throw error
    }
    try Self.delete(replaced)
  }

  fileprivate static func isResumable(_ folder: URL) -> Bool {
    folder.lastPathComponent.hasSuffix(".partial") && folder.isFolder
      && folder.appendingPathComponent(lockName).isThere
  }

  private var replaced: URL { target.sibling(".\(target.lastPathComponent).replaced") }

  /// Gives an earlier folder its name back that a process was replacing when it was killed. Throws `.cannotWrite`.
  package func restore(isOwn: (URL) -> Bool) throws(FileError) {
    guard replaced.isThere, isOwn(replaced) else { return }
    if target.isThere {
      try Self.delete(replaced)
    } else {
      try rename(replaced, to: target)
    }
  }

  /// Removes the unfinished folder with everything in it.
  package func discard() {
    if let kind { try? Self.delete(partial.appendingPathComponent(kind.plan)) }
    guard kind != nil || state.withLock({ $0.unfinished }) != nil else { return }
    try? partial.remove()
    state.withLock { $0.unfinished = nil }
  }

  private func rename(_ old: URL, to new: URL) throws(FileError) {
    do {
      try old.rename(to: new)
    } catch {
      throw FileError(writing: target, error)
    }
    state.withLock { $0.unfinished = nil }
  }

  private static func delete(_ item: URL) throws(FileError) {
    guard item.isThere else { return }
    do {
      try item.remove()
    } catch {
      throw FileError(
        .cannotWrite, "cannot remove \(item.relativePath): \(error.systemReason)",
        cause: error.systemError)
    }
  }
}

extension URL {
  /// Whether it has the name and the content of work that has no end yet: `NAME.partial` with a lock, or `.NAME.partial`.
  package var isUnfinished: Bool {
    let name = lastPathComponent
    guard name.hasSuffix(".partial") else { return false }
    return name.hasPrefix(".") || AtomicFolder.isResumable(self)
  }
}
