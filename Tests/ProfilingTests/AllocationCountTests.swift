import Foundation
import Profiling
import Synchronization
import Testing

@Suite(.enabled(if: AllocationCount.isAvailable, "this build does not count allocations"))
struct AllocationCountTests {
  @Test func `an array is one allocation of at least its size, and looking at it is none`() {
    let before = AllocationCount.ofThread
    let array = [Int64](repeating: 3, count: 1000)
    let made = AllocationCount.ofThread - before
    var sum: Int64 = 0
    for element in array { sum += element }
    let read = AllocationCount.ofThread - before
    #expect(sum == 3000)
    #expect(made.calls == 1)
    #expect(made.bytes >= 8000 && made.bytes < 9000)
    #expect(read == made)
  }

  /// Where blocks are shown to, so that the compiler does not leave out asking for them.
  private static let kept = Mutex<UInt>(0)

  @Test func `every way of asking for memory counts once`() {
    func count(_ ask: () -> UnsafeMutableRawPointer?) -> AllocationCount {
      let before = AllocationCount.ofThread
      let block = ask()
      let counted = AllocationCount.ofThread - before
      Self.kept.withLock { $0 = UInt(bitPattern: block) }
      free(block)
      return counted
    }
    #expect(count { malloc(100) } == AllocationCount(calls: 1, bytes: 100))
    #expect(count { calloc(10, 10) } == AllocationCount(calls: 1, bytes: 100))
    #expect(count { realloc(nil, 100) } == AllocationCount(calls: 1, bytes: 100))
    #expect(count { aligned_alloc(64, 128) } == AllocationCount(calls: 1, bytes: 128))
    var block: UnsafeMutableRawPointer?
    #expect(
      count {
        posix_memalign(&block, 64, 100) == 0 ? block : nil
      } == AllocationCount(calls: 1, bytes: 100))
    #expect(posix_memalign(&block, 3, 100) == EINVAL)
  }

  @Test func `another thread's allocations are not ours`() {
    let thread = Thread { for _ in 0..<1000 { _ = [UInt8](repeating: 1, count: 100) } }
    let before = AllocationCount.ofThread
    thread.start()
    while !thread.isFinished { usleep(1000) }
    #expect((AllocationCount.ofThread - before).calls < 500)
  }

  @Test func `a timer counts a frame's allocations by stage`() {
    var timer = StageTimer(stages: ["a", "b", "total"])
    timer.detail = .spans
    for _ in 0..<2 {
      timer.beginFrame()
      timer.measure(0) {
        for _ in 0..<3 {
          let block = malloc(10)
          Self.kept.withLock { $0 = UInt(bitPattern: block) }
          free(block)
        }
      }
      timer.measure(1) {}
      timer.recordTotal(as: 2)
    }
    #expect(timer.allocations == [3, 0, 0])
    #expect(timer.frameAllocations == AllocationCount(calls: 3, bytes: 30))
  }
}
