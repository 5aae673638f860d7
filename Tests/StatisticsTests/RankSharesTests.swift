import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  var shares: [[[Double]]]
  var ranges: [[[Int]]]
}

@Suite struct RankSharesTests {
  private static func draws(_ number: Int) -> [[Double]] {
    var stream = SplitMix64(seed: UInt64(61_000 + number))
    let (runs, count) = (2 + stream.below(5), 1 + stream.below(40))
    let levels = 2 + stream.below(30)
    return (0..<count).map { _ in (0..<runs).map { _ in Double(stream.below(levels)) } }
  }

  private static func decided(_ number: Int) -> (count: Int, pairs: [(better: Int, worse: Int)]) {
    var stream = SplitMix64(seed: UInt64(62_000 + number))
    let (runs, often) = (2 + stream.below(6), 1 + stream.below(4))
    var pairs: [(better: Int, worse: Int)] = []
    for first in 0..<runs {
      for second in first + 1..<runs where stream.below(4) < often {
        pairs.append(stream.below(2) == 1 ? (first, second) : (second, first))
      }
    }
    return (runs, pairs)
  }

  @Test(.tags(.oracle)) func `shares and ranges of ranks are NumPy's, with ties`() throws {
    let expected = try Oracles.read("run_ranks", as: Expected.self)
    try #require(expected.shares.count == 60 && expected.ranges.count == 100)
    for (number, wanted) in expected.shares.enumerated() {
      let shares = try #require(RankShares.shares(ofDraws: Self.draws(number)))
      #expect(shares.count == wanted.count)
      for (own, other) in zip(shares.joined(), wanted.joined()) {
        #expect(abs(own - other) < 1e-12, "case \(number)")
      }
    }
    for (number, wanted) in expected.ranges.enumerated() {
      let (count, pairs) = Self.decided(number)
      let ranges = RankShares.ranges(of: count, better: pairs)
      #expect(ranges.map { [$0.lowerBound, $0.upperBound] } == wanted, "case \(number)")
    }
  }

  @Test func `competitors that differ by rounding alone tie, as two that are infinite do`() {
    let shares = RankShares.shares(ofDraws: [[0.1 + 0.2, 0.3, 0]])
    #expect(shares == [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
    let unbounded = RankShares.shares(ofDraws: [[-Double.infinity, 1, -Double.infinity]])
    #expect(unbounded == [[0, 0.5, 0.5], [1, 0, 0], [0, 0.5, 0.5]])
  }

  @Test func `without draws there are no shares, and one competitor is first`() {
    #expect(RankShares.shares(ofDraws: []) == nil)
    #expect(RankShares.shares(ofDraws: [[3], [4]]) == [[1]])
    #expect(RankShares.ranges(of: 1, better: []) == [1...1])
    #expect(RankShares.ranges(of: 3, better: []) == [1...3, 1...3, 1...3])
  }
}
