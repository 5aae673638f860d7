import CommandSyntax
import Platform

/// The limit on the process's address space.
enum AddressSpace {
  /// Below this limit OpenBLAS and Swift's thread pool wait forever for memory and threads.
  private static let minBytes: UInt64 = 1 << 30

  /// Ends the process with one line if the limit on its address space (`ulimit -v`) is too low.
  static func require() {
    guard let limit = ProcessFacts.addressSpaceLimit, limit < minBytes else { return }
    Diagnostics.standardError.error(
      "cannot run in an address space of \(limit >> 20) MiB: expected at least "
        + "\(minBytes >> 20) MiB ('ulimit -v' shows the limit)")
    // An ordinary exit would wait for OpenBLAS's threads.
    ProcessFacts.endAtOnce(ExitStatus.failure.rawValue)
  }
}
