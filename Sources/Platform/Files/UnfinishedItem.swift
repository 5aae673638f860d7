internal import CProcesses
package import Foundation
internal import Glibc

/// A file or folder that is made next to the one that it will be, under a hidden name: `.NAME.partial`.
///
/// It is locked while its process lives. The next one that writes NAME removes what has such a name and no lock: what a
/// killed process left. On file systems without locks it stays, because nothing tells it from work that goes on.
package final class UnfinishedItem: Sendable {
  /// What it is.
  enum Kind {
    case file, folder
  }

  /// Where it is.
  package let url: URL
  private let descriptor: Int32

  /// Processes that write the same name at once and leave nothing when they are killed.
  private static let nameCount = 4

  /// Makes an empty file.
  package convenience init(of target: URL) throws { try self.init(of: target, .file) }

  /// Makes an empty file or folder. Throws what the system said, which the caller words with `systemReason`.
  init(of target: URL, _ kind: Kind) throws {
    let names = Self.names(of: target)
    Self.removeLeft(of: target)
    for name in names {
      guard let descriptor = try Self.make(name, kind) else { continue }
      (url, self.descriptor) = (name, descriptor)
      return
    }
    url = target.sibling(".\(target.lastPathComponent).\(UUID().uuidString).partial")
    guard let descriptor = try Self.make(url, kind) else { throw SystemError(EEXIST) }
    self.descriptor = descriptor
  }

  deinit {
    // A child that another thread has just forked still holds the descriptor; closing it here would not end the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Adds bytes to a file.
  package func write(_ bytes: some Sequence<UInt8>) throws {
    try URL.write(Array(bytes)[...], to: descriptor)
  }

  /// Gives it its name, in place of what has it.
  package func rename(to target: URL) throws {
    try url.rename(to: target)
  }

  /// Gives a file its name unless something has it, which is false then.
  package func rename(toNew target: URL) throws -> Bool {
    if facegauge_rename_to_new(url.systemPath, target.systemPath) == 0 { return true }
    // Where the file system has no such step, a second name is refused in the same way; without those it has renaming.
    if errno != EEXIST, link(url.systemPath, target.systemPath) != 0, errno != EEXIST {
      try rename(to: target)
      return true
    }
    return false
  }

  /// Removes it with everything in it.
  package func remove() { Self.remove(url) }

  /// Removes what killed processes left of what has this name.
  package static func removeLeft(of target: URL) {
    for name in names(of: target) { removeUnlocked(name) }
  }

  /// `.NAME.partial`, `.NAME.2.partial` and so on.
  static func names(of target: URL) -> [URL] {
    (1...nameCount).map { number in
      target.sibling(".\(target.lastPathComponent)\(number == 1 ? "" : ".\(number)").partial")
    }
  }

  /// Makes and locks it; nil where something has the name, or another process removes it as left over.
  private static func make(_ url: URL, _ kind: Kind) throws -> Int32? {
    var descriptor: Int32 = -1
    switch kind {
    case .file:
      descriptor = open(url.systemPath, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o666)
    case .folder:
      if mkdir(url.systemPath, 0o777) == 0 {
        descriptor = open(url.systemPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
      }
    }
    guard descriptor >= 0 else {
      if errno == EEXIST { return nil }
      throw SystemError.last
    }
    guard isLocked(descriptor) != false, isStill(descriptor, at: url) else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func removeUnlocked(_ url: URL) {
    var status = stat()
    guard lstat(url.systemPath, &status) == 0 else { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    guard isFolder || status.st_mode & S_IFMT == S_IFREG else { return }
    // NFS locks only what is open for writing.
    let descriptor = open(
      url.systemPath, (isFolder ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    // What another process has renamed before it was locked here is no longer at this name.
    if isLocked(descriptor) == true, isStill(descriptor, at: url) { remove(url) }
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Takes the lock; nil where the file system has none.
  private static func isLocked(_ descriptor: Int32) -> Bool? {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    return errno == EWOULDBLOCK ? false : nil
  }

  /// Whether what is open is what has the name.
  private static func isStill(_ descriptor: Int32, at url: URL) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && lstat(url.systemPath, &named) == 0
      && own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  private static func remove(_ url: URL) { try? url.remove() }
}

extension URL {
  /// What has another name in the same folder.
  func sibling(_ name: String) -> URL { deletingLastPathComponent().appendingPathComponent(name) }
}
