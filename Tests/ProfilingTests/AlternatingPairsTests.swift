import Foundation
import Profiling
import Testing

@Suite struct AlternatingPairsTests {
  @Test func `pairs alternate in order and ratios are second over first`() {
    var calls: [String] = []
    let ratios = AlternatingPairs.logRatios(4) { pair in
      calls.append("a\(pair)")
      return 100
    } second: { pair in
      calls.append("b\(pair)")
      return 200
    }
    #expect(calls == ["a0", "b0", "b1", "a1", "a2", "b2", "b3", "a3"])
    #expect(ratios.count == 4)
    #expect(ratios.allSatisfy { abs($0 - log(2)) < 1e-15 })
    #expect(
      AlternatingPairs.logRatios(2) { _ in
        0
      } second: { _ in
        0
      } == [0, 0])
  }
}
