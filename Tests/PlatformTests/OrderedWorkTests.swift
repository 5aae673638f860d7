import Platform
import Synchronization
import Testing

@Suite struct OrderedWorkTests {
  private struct Failure: Error, Equatable { var number: Int }

  /// Which workers are at work, and how many elements were worked on at once.
  private final class Log: Sendable {
    let busy = Mutex<Set<Int>>([])
    let most = Mutex(0)
    let done = Mutex(0)
  }

  private func results(
    of count: Int, workers: Int, log: Log = Log(), failing: Set<Int> = [], takes: Int = .max
  ) throws -> [Int] {
    let work = OrderedWork(Array(0..<workers)) { (worker: Int, number: Int) throws -> Int in
      let busy = log.busy.withLock { busy in
        #expect(busy.insert(worker).inserted, "two elements for a worker")
        return busy.count
      }
      log.most.withLock { $0 = max($0, busy) }
      // Later elements take less time, so that results come in another order.
      var sum = 0
      for step in 0..<(number.isMultiple(of: 5) ? 200_000 : 10) { sum &+= step ^ number }
      #expect(sum != -1)
      log.done.withLock { $0 += 1 }
      log.busy.withLock { _ = $0.remove(worker) }
      if failing.contains(number) { throw Failure(number: number) }
      return number
    }
    var taken: [Int] = []
    func take(_ number: Int) throws {
      if taken.count == takes { throw Failure(number: -1) }
      taken.append(number)
    }
    do {
      for number in 0..<count { try work.add(number, take: take) }
      try work.finish(take: take)
    } catch {
      let isIdle = log.busy.withLock { $0.isEmpty }
      #expect(isIdle, "work goes on after an error")
      #expect(taken == Array(0..<taken.count))
      throw error
    }
    return taken
  }

  @Test(arguments: [1, 2, 3, 8]) func `results come in the order of the elements`(workers: Int)
    throws
  {
    let log = Log()
    #expect(try results(of: 200, workers: workers, log: log) == Array(0..<200))
    let (most, done) = (log.most.withLock { $0 }, log.done.withLock { $0 })
    #expect(most <= workers)
    #expect(done == 200)
  }

  @Test func `nothing gives nothing`() throws { #expect(try results(of: 0, workers: 2) == []) }

  @Test func `the first failure of the elements' order is thrown once all before it are taken`() {
    #expect(throws: Failure(number: 40)) {
      try results(of: 200, workers: 3, failing: [40, 41, 43, 120])
    }
  }

  @Test func `no work goes on after an error of the taker`() {
    let log = Log()
    #expect(throws: Failure(number: -1)) { try results(of: 200, workers: 3, log: log, takes: 7) }
    let done = log.done.withLock { $0 }
    #expect(done <= 7 + 3 * 5)
  }

  @Test func `work ends before what it was given for goes`() {
    let log = Log()
    do {
      let work = OrderedWork([0, 1]) { (_: Int, number: Int) in
        var sum = 0
        for step in 0..<300_000 { sum &+= step ^ number }
        log.done.withLock { $0 += sum == -1 ? 0 : 1 }
      }
      try work.add(1) {}
      try work.add(2) {}
    } catch {
      Issue.record(error)
    }
    let done = log.done.withLock { $0 }
    #expect(done == 2)
  }
}
