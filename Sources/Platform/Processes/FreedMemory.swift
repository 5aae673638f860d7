internal import CProcesses

/// Memory that the process freed, and that the allocator of the C library still holds.
package enum FreedMemory {
  /// Gives it back to the system.
  package static func release() { facegauge_release_memory() }
}
