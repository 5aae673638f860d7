internal import CProcesses

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// Memory that the process freed, and that the allocator of the C library still holds.
package enum FreedMemory {
  /// Gives it back to the system.
  package static func release() { facegauge_release_memory() }

  /// Whether there is memory for so many bytes: an array that gets none ends the process.
  static func hasRoom(for count: Int) -> Bool {
    let room = malloc(count)
    defer { free(room) }
    return room != nil
  }
}
