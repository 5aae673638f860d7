/// The standard library's calls whose closure may throw, with the error's type kept: that of Swift 6.0 forgets it.
extension Array {
  /// An array that `fill` writes: at most `count` elements, and how many it wrote.
  package init<Failure: Error>(
    unsafeCapacity count: Int,
    filling fill: (UnsafeMutableBufferPointer<Element>, inout Int) throws(Failure) -> Void
  ) throws(Failure) {
    var outcome: Result<Void, Failure> = .success(())
    self.init(unsafeUninitializedCapacity: count) { buffer, written in
      outcome = Result { () throws(Failure) in try fill(buffer, &written) }
    }
    try outcome.get()
  }

  /// Lets `body` read the elements where they lie.
  package func withBuffer<Value, Failure: Error>(
    _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try withUnsafeBufferPointer { buffer in
      Result { () throws(Failure) in try body(buffer) }
    }.get()
  }

  /// Lets `body` write the elements where they lie.
  package mutating func withMutableBuffer<Value, Failure: Error>(
    _ body: (UnsafeMutableBufferPointer<Element>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try withUnsafeMutableBufferPointer { buffer in
      Result { () throws(Failure) in try body(buffer) }
    }.get()
  }
}
