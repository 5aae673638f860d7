internal import CAllocations

/// What a thread asked of the allocator: calls of malloc and its kin, and the bytes they asked for.
package struct AllocationCount: Sendable, Hashable {
  /// Calls.
  package var calls: UInt64
  /// Bytes asked for; what `realloc` keeps counts again.
  package var bytes: UInt64

  /// Makes a count.
  package init(calls: UInt64, bytes: UInt64) {
    self.calls = calls
    self.bytes = bytes
  }

  /// Nothing yet.
  package static let zero = AllocationCount(calls: 0, bytes: 0)

  /// Whether this program counts; a sanitizer's allocator and other C libraries are not counted.
  package static let isAvailable = fg_counts_allocations()

  /// What the calling thread has asked for since it began; zero where this program does not count.
  package static var ofThread: AllocationCount {
    let counts = fg_allocations_of_thread()
    return AllocationCount(calls: counts.calls, bytes: counts.bytes)
  }

  /// What was asked for between two moments of one thread.
  package static func - (later: AllocationCount, earlier: AllocationCount) -> AllocationCount {
    AllocationCount(calls: later.calls &- earlier.calls, bytes: later.bytes &- earlier.bytes)
  }
}
