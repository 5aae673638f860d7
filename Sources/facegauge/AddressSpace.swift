import CommandSyntax
import Glibc

/// The limit on the process's address space.
enum AddressSpace {
  /// Below this limit OpenBLAS and Swift's thread pool wait forever for memory and threads.
  private static let minBytes = 1 << 30

  /// Ends the process with one line if the limit on its address space (`ulimit -v`) is too low.
  static func require() {
    var limit = rlimit()
    // Safety: getrlimit fills the one structure that it is given.
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur < rlim_t(minBytes)
    else { return }
    Diagnostics.standardError.error(
      "cannot run in an address space of \(limit.rlim_cur >> 20) MiB: expected at least "
        + "\(minBytes >> 20) MiB ('ulimit -v' shows the limit)")
    // An ordinary exit would wait for OpenBLAS's threads.
    _exit(ExitStatus.failure.rawValue)
  }
}
