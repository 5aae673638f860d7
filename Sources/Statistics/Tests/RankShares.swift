/// How often each of several competitors takes each rank, and which ranks tests leave possible.
package enum RankShares {
  /// The share of draws in which each competitor has each rank, first to last; 1 is the largest value.
  ///
  /// A draw is a value per competitor; those that tie, but for rounding, share their ranks evenly. Nil without a draw.
  package static func shares(ofDraws draws: [[Double]]) -> [[Double]]? {
    guard let count = draws.first?.count, count > 0 else { return nil }
    var shares = Array(repeating: Array(repeating: 0.0, count: count), count: count)
    for draw in draws {
      for (competitor, value) in draw.enumerated() {
        let rounding = value.isFinite ? 1e-12 * max(1, abs(value)) : 0
        let better = draw.count { $0 - value > rounding }
        let tied = draw.count { $0 == value || abs($0 - value) <= rounding }
        for rank in better..<better + tied { shares[competitor][rank] += 1 / Double(tied) }
      }
    }
    return shares.map { $0.map { $0 / Double(draws.count) } }
  }

  /// The ranks, from 1, that each of `count` competitors can have after tests of all pairs.
  ///
  /// Behind those that are shown to be better, and before those that are shown to be worse. If the tests are wrong
  /// about any pair with a chance of at most α, all ranges hold together with 1 − α (Mogstad et al. 2024, section 3).
  package static func ranges(
    of count: Int, better decided: [(better: Int, worse: Int)]
  ) -> [ClosedRange<Int>] {
    (0..<count).map { competitor in
      let ahead = Set(decided.filter { $0.worse == competitor }.map(\.better)).count
      let behind = Set(decided.filter { $0.better == competitor }.map(\.worse)).count
      let first = 1 + ahead
      return first...max(first, count - behind)
    }
  }
}
