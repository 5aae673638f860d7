internal import Dispatch
internal import Synchronization

extension RandomAccessCollection where Self: Sendable {
  /// The results of work on each element, done side by side on the cores, in the order of the elements.
  ///
  /// Everything is done even where some of it fails; then the error of the first element that failed is thrown.
  /// A single element is worked on by the calling thread.
  package func concurrentMap<Value: Sendable, Failure: Error>(
    _ work: @Sendable (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    if count == 1 { return [try work(self[startIndex])] }
    let results = Results<Result<Value, Failure>>(count: count)
    DispatchQueue.concurrentPerform(iterations: count) { offset in
      let element = self[index(startIndex, offsetBy: offset)]
      let result = Result { () throws(Failure) in try work(element) }
      results.byOffset.withLock { $0[offset] = result }
    }
    var values: [Value] = []
    values.reserveCapacity(count)
    for case let result? in results.byOffset.withLock({ $0 }) { values.append(try result.get()) }
    return values
  }
}

/// A lock that a closure of Dispatch can capture with Swift 6.0 too.
private final class Results<Value: Sendable>: Sendable {
  /// One an element; nil until it is there.
  let byOffset: Mutex<[Value?]>

  init(count: Int) { byOffset = Mutex(Array(repeating: nil, count: count)) }
}
