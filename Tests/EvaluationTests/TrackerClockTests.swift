import Running
import Statistics
import Testing

/// The tracker's clock from round trips whose ways take differently long.
@Suite struct TrackerClockTests {
  /// Round trips over so many seconds to a clock with an offset and a rate; each way takes .2 ms and what a queue adds.
  private func clock(
    offset: Int64, partsPerMillion: Double, seconds: Int, seed: UInt64
  ) -> TrackerClock {
    var generator = SplitMix64(seed: seed)
    var clock = TrackerClock()
    let start: UInt64 = 5_000_000_000_000
    func theirs(_ time: Double) -> UInt64 {
      UInt64(Int64(start) + offset) + UInt64((time * (1 + partsPerMillion / 1e6)).rounded())
    }
    func way() -> Double {
      let queue = Double.random(in: 0..<1, using: &generator)
      return 200_000 + 20_000_000 * queue * queue * queue
    }
    var times: [Double] = (0..<16).map { Double($0) * 3e7 }
    times += (1..<max(seconds / 2, 1)).map { Double($0) * 2e9 }
    times += (0..<16).map { Double(seconds) * 1e9 + Double($0) * 5e7 }
    for sent in times {
      let received = sent + way()
      let replied = received + 10_000
      clock.add(
        .init(
          sent: start + UInt64(sent), received: theirs(received), replied: theirs(replied),
          arrived: start + UInt64(replied + way())))
    }
    return clock
  }

  @Test(arguments: 0..<40)
  func `an offset of 2 s and 50 ppm are found within what is stated`(seed: Int) throws {
    let fit = try #require(
      clock(offset: 2_000_000_000, partsPerMillion: 50, seconds: 60, seed: UInt64(seed)).fit())
    let error = abs(Double(fit.offset) - 2_000_000_000)
    #expect(error < 1_000_000 && error < fit.uncertainty, "\(fit)")
    let rate = try abs(#require(fit.partsPerMillion) - 50)
    #expect(try rate < #require(fit.rateUncertainty), "\(fit)")
  }

  @Test func `a clock of another time keeps every nanosecond, and a short run has no rate`() throws
  {
    var clock = TrackerClock()
    #expect(clock.fit() == nil)
    let now: UInt64 = 1_800_000_000_000_000_001
    clock.add(.init(sent: 1000, received: now, replied: now, arrived: 1000))
    let fit = try #require(clock.fit())
    #expect(fit.offset == Int64(now) - 1000)
    #expect(fit.partsPerMillion == nil)
    // One whose times are not in order is left out.
    clock.add(.init(sent: 3000, received: 9, replied: 8, arrived: 4000))
    clock.add(.init(sent: 500, received: now, replied: now, arrived: 600))
    #expect(clock.fit() == fit)
    // A clock that goes back, and one that leaps to the end of its range, say nothing.
    var jumping = clock
    jumping.add(.init(sent: 2000, received: now - 1, replied: now, arrived: 2100))
    jumping.add(.init(sent: 3000, received: 5, replied: 6, arrived: 3100))
    jumping.add(.init(sent: 4000, received: .max, replied: .max, arrived: 4100))
    #expect(jumping.fit() == fit)
    var zero = TrackerClock()
    zero.add(.init(sent: 1000, received: 0, replied: 0, arrived: 1100))
    zero.add(.init(sent: 2_000_001_000, received: .max - 1, replied: .max, arrived: 2_000_001_100))
    #expect(zero.fit()?.offset == -1050 && zero.fit()?.partsPerMillion == nil)
    // A leap of most of a year within a nanosecond, between round trips that take next to no time.
    let (half, leap): (UInt64, UInt64) = (500_000_000, 30_000_000_000_000_000)
    var leaping = TrackerClock()
    leaping.add(.init(sent: 0, received: 0, replied: 0, arrived: 100_000_000))
    leaping.add(.init(sent: half - 1, received: 0, replied: 0, arrived: half))
    leaping.add(.init(sent: half, received: leap, replied: leap, arrived: half + 1))
    leaping.add(.init(sent: 2 * half, received: leap, replied: leap, arrived: 3 * half))
    #expect(leaping.fit() == nil)
    // Behind ours.
    var behind = TrackerClock()
    behind.add(.init(sent: 5_000_000, received: 10, replied: 10, arrived: 5_000_000))
    #expect(behind.fit()?.offset == -4_999_990)
  }
}
