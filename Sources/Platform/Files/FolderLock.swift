package import Foundation
internal import Glibc

/// Keeps a second process out of a folder that is being written; the system lets go of it when the process ends.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock, or throws where another process has it.
  package init(_ file: URL, of output: URL) throws(FileError) {
    descriptor = open(file.systemPath, O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let cause = SystemError.last
      throw FileError(
        .cannotWrite, "cannot write \(file.relativePath): \(cause)", cause: cause)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      close(descriptor)
      throw FileError(
        .cannotWrite, "cannot write \(output.relativePath): another process is writing it")
    }
    // A process that has just ended may have given the folder another name, with the file in it.
    var (own, named) = (stat(), stat())
    guard fstat(descriptor, &own) == 0, stat(file.systemPath, &named) == 0,
      own.st_ino == named.st_ino
    else {
      close(descriptor)
      throw FileError(
        .cannotWrite, "cannot write \(output.relativePath): another process is writing it")
    }
  }

  deinit {
    // A child that another thread has just forked still holds the descriptor; closing it here would not end the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
