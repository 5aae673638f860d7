/// Floats of a tensor, to be read during the call that hands them out and no longer; every index is checked.
///
/// The standard library's `Span` would do, but the compiler of Debian 13 does not have it.
package struct TensorView: RandomAccessCollection {
  // Safety: the one who makes the view keeps the floats for as long as it is read.
  private let floats: UnsafeBufferPointer<Float>

  /// Views floats; the caller keeps them alive and unchanged while the view is in use.
  package init(unsafe floats: UnsafeBufferPointer<Float>) { self.floats = floats }

  package var startIndex: Int { 0 }
  package var endIndex: Int { floats.count }

  package subscript(index: Int) -> Float {
    precondition(indices.contains(index), "an index inside the tensor")
    return floats[index]
  }
}

/// The same, to be written.
package struct MutableTensorView: RandomAccessCollection, MutableCollection {
  // Safety: as of `TensorView`; no one else reads or writes the floats meanwhile.
  private let floats: UnsafeMutableBufferPointer<Float>

  /// Views floats; the caller keeps them alive and touches them in no other way while the view is in use.
  package init(unsafe floats: UnsafeMutableBufferPointer<Float>) { self.floats = floats }

  package var startIndex: Int { 0 }
  package var endIndex: Int { floats.count }

  package subscript(index: Int) -> Float {
    get {
      precondition(indices.contains(index), "an index inside the tensor")
      return floats[index]
    }
    nonmutating set {
      precondition(indices.contains(index), "an index inside the tensor")
      floats[index] = newValue
    }
  }

  /// Lets `body` hand the floats to a kernel, which is to stay inside them.
  package mutating func withUnsafeMutableBufferPointer<R, E: Error>(
    _ body: (UnsafeMutableBufferPointer<Float>) throws(E) -> R
  ) throws(E) -> R {
    try body(floats)
  }
}

extension [Float] {
  /// Lets `body` read an array as a session's output is read.
  package func withTensorView<R>(_ body: (TensorView) -> R) -> R {
    // Safety: the array outlives the call.
    withUnsafeBufferPointer { body(TensorView(unsafe: $0)) }
  }
}
