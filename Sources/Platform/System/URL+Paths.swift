internal import CProcesses
package import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// What Foundation does with files, for every name that the system has: Foundation itself finds none that is not UTF-8.
extension URL {
  /// The path as the system takes it.
  package var systemPath: [CChar] { path.pathBytes }

  /// The path to this file from a folder, with `..` where it has to go up.
  package func path(from folder: URL) -> String {
    let own = withoutLinks.standardizedFileURL.pathComponents
    let start = folder.standardizedFileURL.pathComponents
    let shared = zip(own, start).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: start.count - shared) + own[shared...])
      .joined(separator: "/")
  }

  /// The same place without symbolic links, as far as the path exists.
  package var withoutLinks: URL {
    let names = PathText(absoluteURL.path).components
    for count in stride(from: names.count, through: 0, by: -1) {
      // Safety: realpath gives a terminated text of its own, copied and freed here.
      let start = "/" + names.prefix(count).joined(separator: "/")
      guard let found = realpath(start.pathBytes, nil) else { continue }
      defer { free(found) }
      let whole = [String(pathText: found)] + names.dropFirst(count)
      return URL(fileURLWithPath: whole.joined(separator: "/")).standardizedFileURL
    }
    return absoluteURL.standardizedFileURL
  }

  /// Makes a folder, and those above it; one that is there already is no error. Throws `.cannotWrite`.
  package func makeFolder() throws(FileError) {
    do {
      try makeFolders()
    } catch {
      throw FileError(
        .cannotWrite, "cannot make \(relativePath): \(error.systemReason)",
        cause: error.systemError)
    }
  }

  /// Makes a folder, and those above it; throws what the system said.
  package func makeFolders() throws {
    if isFolder { return }
    if mkdir(systemPath, 0o777) == 0 { return }
    var code = errno
    if code == ENOENT {
      try deletingLastPathComponent().makeFolders()
      if mkdir(systemPath, 0o777) == 0 { return }
      code = errno
    }
    // Another process may have made it.
    try Self.check(isFolder, code)
  }

  /// Makes one folder, which must not be there; throws what the system said.
  package func makeNewFolder() throws(SystemError) {
    guard mkdir(systemPath, 0o777) == 0 else { throw SystemError.last }
  }

  /// Whether there is a folder, also by way of a symbolic link.
  package var isFolder: Bool { status?.kind == .folder }

  /// Whether there is anything, also by way of a symbolic link.
  package var isThere: Bool { status != nil }

  /// Whether there is a file that this process may run.
  package var isProgram: Bool { status?.kind == .file && access(systemPath, X_OK) == 0 }

  /// Throws what the system said unless this process may write to it.
  package func checkWritable() throws(SystemError) {
    guard access(systemPath, W_OK) == 0 else { throw SystemError.last }
  }

  /// Bytes that the file system has left for this user; nil where it does not tell.
  package var freeBytes: Int? {
    var facts = statvfs()
    // Safety: statvfs fills the one structure that it is given.
    guard statvfs(systemPath, &facts) == 0 else { return nil }
    return Int(clamping: UInt64(facts.f_bavail) &* UInt64(facts.f_frsize))
  }

  /// Size and times of what is there, at the end of symbolic links; nil where nothing is.
  package var status: FileStatus? { try? FileStatus(self) }

  /// Names of what is in a folder, in no order; throws what the system said.
  package func names() throws -> [String] { try entries().map(\.name) }

  /// What is in a folder, in no order, and whether it is a folder itself rather than a link to one.
  package func entries() throws -> [(name: String, isFolder: Bool)] {
    guard let folder = opendir(systemPath) else { throw SystemError.last }
    defer { closedir(folder) }
    var entries: [(name: String, isFolder: Bool)] = []
    errno = 0
    // Safety: an entry lasts until the next call; its name is terminated, and copied at once.
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(pathText: $0) }
      }
      guard name != ".", name != ".." else { continue }
      var isFolder = Int(entry.pointee.d_type) == Int(DT_DIR)
      if Int(entry.pointee.d_type) == Int(DT_UNKNOWN) {
        let status = try? FileStatus(appendingPathComponent(name), followsLinks: false)
        isFolder = status?.kind == .folder
      }
      entries.append((name, isFolder))
      errno = 0
    }
    try Self.check(errno == 0, errno)
    return entries
  }

  /// Removes a file, a link, or a folder with all that is in it; throws what the system said.
  package func remove() throws {
    if unlink(systemPath) == 0 { return }
    guard errno == EISDIR || errno == EPERM else { throw SystemError.last }
    for name in try names() { try appendingPathComponent(name).remove() }
    try Self.check(rmdir(systemPath) == 0, errno)
  }

  /// Gives a file or folder another name, in place of what has it; throws what the system said.
  package func rename(to other: URL) throws {
    try Self.check(systemRename(systemPath, other.systemPath) == 0, errno)
  }

  /// Writes a file, in place of one that is there unless it must be new; throws what the system said.
  package func write(_ bytes: some Sequence<UInt8>, isNew: Bool = false) throws {
    try write(bytes, isNew ? .new : [.creating, .truncating])
  }

  /// Adds bytes at the end of a file; throws what the system said.
  package func append(_ bytes: some Sequence<UInt8>) throws { try write(bytes, .appending) }

  private func write(_ bytes: some Sequence<UInt8>, _ mode: Descriptor.Mode) throws {
    let descriptor = try Descriptor(self, [.writing, mode])
    defer { try? descriptor.end() }
    try descriptor.writeAll(Array(bytes))
  }

  /// Waits until a file's or folder's content has reached the disk; throws what the system said.
  package func synchronise() throws {
    let descriptor = try Descriptor(self, .reading)
    defer { try? descriptor.end() }
    try descriptor.synchronise()
  }

  /// Gives it another name, which nothing may have; false where that is taken. Throws what the system said.
  func rename(toNew other: URL) throws -> Bool {
    if facegauge_rename_to_new(systemPath, other.systemPath) == 0 { return true }
    if errno == EEXIST { return false }
    // Where the file system has no such step, a second name is refused in the same way; without those it has renaming.
    try Self.check([EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM].contains(errno), errno)
    if link(systemPath, other.systemPath) == 0 {
      try remove()
      return true
    }
    if errno == EEXIST { return false }
    try Self.check([ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM, EMLINK].contains(errno), errno)
    try rename(to: other)
    return true
  }

  /// Exchanges two names in one step; false where the file system has none.
  func exchange(with other: URL) -> Bool {
    facegauge_exchange(systemPath, other.systemPath) == 0
  }

  /// Removes an empty folder, if it is one.
  package func removeEmptyFolder() { rmdir(systemPath) }

  private static func check(_ holds: Bool, _ code: Int32) throws {
    if !holds { throw SystemError(code) }
  }
}

private func systemRename(_ old: [CChar], _ new: [CChar]) -> Int32 { rename(old, new) }
