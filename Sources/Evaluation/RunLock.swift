internal import Foundation
internal import Glibc

/// Keeps a second process out of a partial run; the system lets go of it when the process ends.
final class RunLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock, or throws where another process has it.
  init(_ file: URL, of run: URL) throws(EvaluationError) {
    descriptor = open(file.path, O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw EvaluationError(
        .cannotWrite, "cannot write \(file.relativePath): \(String(cString: strerror(errno)))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      close(descriptor)
      throw EvaluationError(
        .cannotWrite, "cannot write \(run.relativePath): another process is writing it")
    }
  }

  deinit {
    close(descriptor)
  }
}
