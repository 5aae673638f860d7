package import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// What the system says of a file or folder.
package struct FileStatus: Sendable, Hashable {
  /// What it is.
  package enum Kind: Sendable {
    case file, folder, pipe, socket, link, device
  }

  /// A moment, to the nanosecond.
  package struct Time: Sendable, Hashable {
    /// Whole seconds since 1970.
    package let seconds: Int
    package let nanoseconds: Int

    /// Seconds since 1970.
    package var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }
  }

  package let kind: Kind
  package let byteCount: Int
  /// With `device`, what no two files have.
  package let inode: UInt64
  package let device: UInt64
  /// When its content changed last.
  package let modified: Time
  /// When its content, name or rights changed last.
  package let changed: Time

  /// Of what has a name, at the end of symbolic links or not.
  package init(_ url: URL, followsLinks: Bool = true) throws(SystemError) {
    var status = stat()
    // Safety: fstatat fills the one structure that it is given.
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    guard fstatat(AT_FDCWD, url.systemPath, &status, flags) == 0 else { throw SystemError.last }
    self.init(status)
  }

  /// Of what is open.
  package init(of descriptor: Descriptor) throws(SystemError) {
    var status = stat()
    // Safety: fstat fills the one structure that it is given.
    guard fstat(descriptor.number, &status) == 0 else { throw SystemError.last }
    self.init(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      case S_IFLNK: .link
      default: .device
      }
    byteCount = Int(status.st_size)
    inode = UInt64(status.st_ino)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    self.modified = Time(seconds: modified.tv_sec, nanoseconds: modified.tv_nsec)
    self.changed = Time(seconds: changed.tv_sec, nanoseconds: changed.tv_nsec)
  }

  /// Whether there is anything of this path.
  package static func isThere(_ path: String) -> Bool { access(path.pathBytes, F_OK) == 0 }

  /// Whether both are the same file.
  package func isSame(as other: FileStatus) -> Bool {
    inode == other.inode && device == other.device
  }
}
