import Foundation
import Platform
import Synchronization
import Testing

@Suite struct ConcurrentMapTests {
  private struct Refusal: Error, Equatable {
    var number: Int
  }

  @Test(arguments: [0, 1, 2, 1_000])
  func `results are in the order of the elements`(count: Int) {
    let squares = (0..<count).concurrentMap { $0 * $0 }
    #expect(squares == (0..<count).map { $0 * $0 })
    let words = (0..<count).map { "\($0)" }
    let loud = words.concurrentMap { $0 + "!" }
    #expect(loud == words.map { $0 + "!" })
  }

  @Test func `everything is done, and the error of the first element that fails is thrown`() {
    let done = Mutex(0)
    let error = #expect(throws: Refusal.self) {
      try (0..<100).concurrentMap { (number) throws -> Int in
        done.withLock { $0 += 1 }
        if number % 10 == 7 { throw Refusal(number: number) }
        return number
      }
    }
    #expect(error == Refusal(number: 7))
    let count = done.withLock { $0 }
    #expect(count == 100)
  }

  @Test func `a single element is worked on by the calling thread`() {
    let caller = pthread_self()
    let isOwn = [1].concurrentMap { _ in pthread_self() == caller }
    #expect(isOwn == [true])
  }
}
