/// Working memory of one worker: floats on a 64-byte boundary, readable 64 bytes beyond, zero at first.
package struct Arena: ~Copyable {
  /// Number of floats.
  package let count: Int
  private let base: UnsafeMutableRawBufferPointer

  /// Allocates `count` floats.
  package init(count: Int) {
    self.count = count
    base = FloatStorage.allocate(count: count)
  }

  deinit { base.deallocate() }

  /// The first float.
  // Safety: valid while the arena lives; callers keep to `count` floats.
  package var pointer: UnsafeMutablePointer<Float> {
    base.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Float.self)
  }
}
