package import Foundation
internal import Glibc

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
  package func makeNewFolder() throws { try Self.check(mkdir(systemPath, 0o777) == 0, errno) }

  /// Whether there is a folder, also by way of a symbolic link.
  package var isFolder: Bool { kind == S_IFDIR }

  /// Whether there is anything, also by way of a symbolic link.
  package var isThere: Bool { kind != nil }

  /// Whether there is a file that this process may run.
  package var isProgram: Bool { kind == S_IFREG && access(systemPath, X_OK) == 0 }

  /// Size and times of what is there, at the end of symbolic links; nil where nothing is.
  package var status: stat? {
    var status = stat()
    // Safety: fstatat fills the one structure that it is given.
    return fstatat(AT_FDCWD, systemPath, &status, 0) == 0 ? status : nil
  }

  private var kind: mode_t? { status.map { $0.st_mode & S_IFMT } }

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
        var status = stat()
        isFolder =
          lstat(appendingPathComponent(name).systemPath, &status) == 0
          && status.st_mode & S_IFMT == S_IFDIR
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
    try Self.check(Glibc.rename(systemPath, other.systemPath) == 0, errno)
  }

  /// Writes a file, in place of one that is there unless it must be new; throws what the system said.
  package func write(_ bytes: some Sequence<UInt8>, isNew: Bool = false) throws {
    try write(bytes, flags: O_CREAT | (isNew ? O_EXCL : O_TRUNC))
  }

  /// Adds bytes at the end of a file; throws what the system said.
  package func append(_ bytes: some Sequence<UInt8>) throws { try write(bytes, flags: O_APPEND) }

  private func write(_ bytes: some Sequence<UInt8>, flags: Int32) throws {
    let descriptor = open(systemPath, O_WRONLY | O_CLOEXEC | flags, 0o666)
    guard descriptor >= 0 else { throw SystemError.last }
    defer { close(descriptor) }
    try Self.write(Array(bytes)[...], to: descriptor)
  }

  /// Writes all bytes; throws what the system said.
  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws {
    var rest = bytes
    while !rest.isEmpty {
      // Safety: the pointer and the count are those of `rest`, which outlives the call.
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 { rest = rest.dropFirst(count) } else { try check(errno == EINTR, errno) }
    }
  }

  private static func check(_ holds: Bool, _ code: Int32) throws {
    if !holds { throw SystemError(code) }
  }
}
