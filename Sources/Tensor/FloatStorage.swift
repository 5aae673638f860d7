/// Floats that never change after they are made, on a 64-byte boundary and readable 64 bytes beyond.
///
/// The floats beyond the end are zero.
package final class FloatStorage: Sendable {
  /// Number of floats.
  package let count: Int
  // Safety: written only inside `init`, before another thread can hold the object.
  nonisolated(unsafe) private let base: UnsafeMutableRawBufferPointer

  /// Makes `count` floats, all zero until `fill` writes to them.
  package init(count: Int, fill: (UnsafeMutableBufferPointer<Float>) -> Void) {
    self.count = count
    base = FloatStorage.allocate(count: count)
    // Safety: the buffer outlives the call, and `fill` gets exactly its floats.
    fill(UnsafeMutableBufferPointer(rebasing: base.bindMemory(to: Float.self)[..<count]))
  }

  /// Copies an array.
  package convenience init(_ values: [Float]) {
    self.init(count: values.count) { _ = $0.update(fromContentsOf: values) }
  }

  deinit { base.deallocate() }

  /// The first float.
  // Safety: valid while the object lives; callers read at most `count` floats and 64 bytes beyond.
  package var pointer: UnsafePointer<Float> {
    UnsafePointer(base.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Float.self))
  }

  static func allocate(count: Int) -> UnsafeMutableRawBufferPointer {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count * 4 + 64, alignment: 64)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    return bytes
  }
}
