package import Foundation

/// Keeps a second process out of a folder that is being written; the system lets go of it when the process ends.
package final class FolderLock: Sendable {
  private let descriptor: Descriptor

  /// Takes the lock, or throws where another process has it.
  package init(_ file: URL, of output: URL) throws(FileError) {
    do throws(SystemError) {
      descriptor = try Descriptor(file, [.updating, .creating], permissions: 0o644)
    } catch {
      throw FileError(writing: file, error)
    }
    // A process that has just ended may have given the folder another name, with the file in it.
    guard descriptor.lock() != false, let own = try? FileStatus(of: descriptor),
      let named = file.status, own.isSame(as: named)
    else {
      try? descriptor.end()
      throw FileError(writing: output, "another process is writing it")
    }
  }

  deinit {
    // A child that another thread has just forked still holds the descriptor; closing it here would not end the lock.
    descriptor.unlock()
    try? descriptor.end()
  }
}
