import CommandSyntax
import Glibc

/// How much the program may map.
enum AddressSpace {
  /// Below this OpenBLAS and Swift's thread pool wait for ever for memory and threads that they do not get.
  private static let minBytes = 1 << 30

  /// Ends the process with one line where the limit on its address space (`ulimit -v`) is too low to run in.
  static func require() {
    var limit = rlimit()
    // Safety: getrlimit fills the one structure that it is given.
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur < rlim_t(minBytes)
    else { return }
    Diagnostics.standardError.error(
      "cannot run in an address space of \(limit.rlim_cur >> 20) MiB: expected at least "
        + "\(minBytes >> 20) MiB ('ulimit -v' says what the limit is)")
    // An ordinary exit would wait for OpenBLAS's threads.
    _exit(ExitStatus.failure.rawValue)
  }
}
