import Statistics
import TestSupport
import Testing

@Suite("Shifts of the median")
struct MedianShiftTests {
  /// The same as `series` in Tests/Oracles/paired_timing.py.
  private func series(_ number: Int) -> [Double] {
    var stream = SplitMix64(seed: UInt64(8800 + number))
    let count = 4 + stream.below(50)
    let steps = stream.below(3)
    let positions = (0..<steps).map { _ in stream.below(count) }.sorted()
    let isCoarse = stream.below(3) == 0
    var level = 10.0
    return (0..<count).map { index in
      for position in positions where position == index { level += stream.between(-3, 3) }
      let value = level + stream.between(-1, 1)
      return isCoarse ? value.rounded(.toNearestOrEven) : value
    }
  }

  @Test func `p of the rank sums and all shifts of 150 series equal SciPy's`() throws {
    let expected = try Oracles.read("paired_timing", as: PairedTimingCases.self).series
    #expect(expected.contains { $0.shifts.count > 1 })
    for (number, case_) in expected.enumerated() {
      let values = series(number)
      let middle = values.count / 2
      let p = MedianShift.rankSumP(values[..<middle], values[middle...])
      #expect(abs(p - case_.p) < 1e-9, "case \(number)")
      let shifts = MedianShift.all(in: values)
      #expect(shifts.map(\.index) == case_.shifts.map { Int($0[0]) }, "case \(number)")
      for (shift, other) in zip(shifts, case_.shifts) {
        #expect(abs(shift.p - other[1]) < 1e-9, "case \(number)")
      }
    }
  }

  @Test func `a step between ten equal runs is found with the medians of both sides`() throws {
    let shifts = MedianShift.all(in: [1, 1.01, 0.99, 1, 1.02, 1.2, 1.21, 1.19, 1.2, 1.22])
    let shift = try #require(shifts.first)
    #expect(shifts.count == 1)
    #expect(shift.index == 5)
    #expect(shift.before == 1)
    #expect(shift.after == 1.2)
  }

  @Test func `of many series together a step needs more runs, by Bonferroni's rule`() throws {
    func step(_ side: Int) -> [Double] { (0..<2 * side).map { Double($0 < side ? $0 : 100 + $0) } }
    let one = try #require(MedianShift.all(in: step(8)).first)
    // SciPy's mannwhitneyu of 8 and 8 apart: 2 / C(16, 8), at 7 positions.
    #expect(abs(one.p - 7 * 2 / 12870.0) < 1e-15)
    let together = try #require(MedianShift.all(in: step(8), of: 24).first)
    #expect(abs(together.p - 24 * one.p) < 1e-15)
    #expect(MedianShift.all(in: step(7), of: 24).isEmpty)
  }

  @Test(arguments: [0, 9, 30])
  func `nothing shifts in nine runs, in equal runs, and in none`(count: Int) {
    #expect(MedianShift.all(in: [Double](repeating: 2, count: count)).isEmpty)
    let step = (0..<9).map { Double($0 < 4 ? 0 : 1) }
    #expect(MedianShift.all(in: step).isEmpty)
  }
}
