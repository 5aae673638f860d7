package import Foundation

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
  private let descriptor: Descriptor

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
    guard let descriptor = try Self.make(url, kind) else { throw SystemError.exists }
    self.descriptor = descriptor
  }

  deinit {
    // A child that another thread has just forked still holds the descriptor; closing it here would not end the lock.
    descriptor.unlock()
    try? descriptor.end()
  }

  /// Adds bytes to a file.
  package func write(_ bytes: some Sequence<UInt8>) throws {
    try descriptor.writeAll(Array(bytes))
  }

  /// Waits until its content has reached the disk.
  package func synchronise() throws { try descriptor.synchronise() }

  /// Gives it its name, in place of what has it. Throws `.notFound` where it is no longer there.
  package func rename(to target: URL) throws {
    try requireStill()
    try url.rename(to: target)
  }

  /// Gives a file its name unless something has it, which is false then. Throws `.notFound` where it is no longer there.
  func rename(toNew target: URL) throws -> Bool {
    try requireStill()
    return try url.rename(toNew: target)
  }

  /// Removes it with everything in it, unless it has got its name.
  package func remove() {
    // Once it has, the hidden name is free for another process, whose work must stay.
    if Self.isStill(descriptor, at: url) { Self.remove(url) }
  }

  /// Where locks do not reach other machines, one of them may have taken it for left over, and may use the name itself.
  private func requireStill() throws(SystemError) {
    guard Self.isStill(descriptor, at: url) else { throw .notFound }
  }

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
  private static func make(_ url: URL, _ kind: Kind) throws -> Descriptor? {
    let descriptor: Descriptor
    do throws(SystemError) {
      switch kind {
      case .file: descriptor = try Descriptor(url, [.updating, .new])
      case .folder:
        try url.makeNewFolder()
        do throws(SystemError) {
          descriptor = try Descriptor(url, [.reading, .folder, .notLink])
        } catch {
          if error == .notFound { return nil }
          throw error
        }
      }
    } catch {
      if error == .exists { return nil }
      throw error
    }
    guard descriptor.lock() != false, isStill(descriptor, at: url) else {
      try? descriptor.end()
      return nil
    }
    return descriptor
  }

  private static func removeUnlocked(_ url: URL) {
    guard let status = try? FileStatus(url, followsLinks: false),
      [.file, .folder].contains(status.kind)
    else { return }
    // NFS locks only what is open for writing.
    guard
      let descriptor = try? Descriptor(
        url, [status.kind == .folder ? .reading : .updating, .notLink, .nonBlocking])
    else { return }
    // What another process has renamed before it was locked here is no longer at this name.
    if descriptor.lock() == true, isStill(descriptor, at: url) { remove(url) }
    descriptor.unlock()
    try? descriptor.end()
  }

  /// Whether what is open is what has the name.
  private static func isStill(_ descriptor: Descriptor, at url: URL) -> Bool {
    guard let own = try? FileStatus(of: descriptor),
      let named = try? FileStatus(url, followsLinks: false)
    else { return false }
    return own.isSame(as: named)
  }

  private static func remove(_ url: URL) { try? url.remove() }
}

extension URL {
  /// What has another name in the same folder.
  func sibling(_ name: String) -> URL { deletingLastPathComponent().appendingPathComponent(name) }
}
