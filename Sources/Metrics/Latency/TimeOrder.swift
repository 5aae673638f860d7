internal import Statistics

/// What the metrics of latency need to know of some times in nanoseconds.
struct TimeOrder {
  /// How many times there are.
  let count: Int
  /// What they add up to.
  let sum: Int128
  /// The longest; nil without any.
  let last: Int64?
  private let percentiles: [Int64?]

  /// Sums up ascending times.
  init(sorted: [Int64]) {
    count = sorted.count
    sum = sorted.reduce(into: Int128(0)) { $0 += Int128($1) }
    last = sorted.last
    percentiles = StageLatency.percents.map { NearestRank.percentile($0, ofSorted: sorted) }
  }

  fileprivate init(count: Int, sum: Int128, last: Int64?, percentiles: [Int64?]) {
    self.count = count
    self.sum = sum
    self.last = last
    self.percentiles = percentiles
  }

  /// The time at a percentage of `StageLatency.percents`, by nearest rank; nil without times.
  func percentile(_ percent: Int) -> Int64? {
    StageLatency.percents.firstIndex(of: percent).flatMap { percentiles[$0] }
  }
}

/// Times with the cluster of each, sorted once, so that a draw of clusters only weighs them.
struct ClusterTimes: Sendable {
  /// Ascending.
  private let nanoseconds: [Int64]
  private let clusters: [Int32]

  init(_ times: [(nanoseconds: Int64, cluster: Int)]) {
    let sorted = times.sorted { $0.nanoseconds < $1.nanoseconds }
    nanoseconds = sorted.map(\.nanoseconds)
    clusters = sorted.map { Int32($0.cluster) }
  }

  /// The times of a draw, each as often as its cluster is drawn.
  func order(_ copies: [Int32]) -> TimeOrder {
    var count = 0
    var sum: Int128 = 0
    var last: Int64?
    for (time, cluster) in zip(nanoseconds, clusters) {
      let times = Int(copies[Int(cluster)])
      guard times > 0 else { continue }
      count += times
      sum += Int128(time) * Int128(times)
      last = time
    }
    let ranks = StageLatency.percents.map { NearestRank.rank($0, of: count) }
    var percentiles = [Int64?](repeating: nil, count: ranks.count)
    var (seen, next) = (0, 0)
    for (time, cluster) in zip(nanoseconds, clusters) {
      seen += Int(copies[Int(cluster)])
      while next < ranks.count, seen >= ranks[next], seen > 0 {
        percentiles[next] = time
        next += 1
      }
      if next == ranks.count { break }
    }
    return TimeOrder(count: count, sum: sum, last: last, percentiles: percentiles)
  }
}
