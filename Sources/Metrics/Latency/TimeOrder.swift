internal import Records
internal import Statistics

/// What the metrics of latency need to know of some times in nanoseconds.
struct TimeOrder {
  /// Which times: those of a stage in the frames of a population, or in all.
  struct Key: Hashable {
    var stage: String
    var population: FramePopulation?
  }

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
  typealias Time = (nanoseconds: Int64, cluster: Int32)

  /// Ascending.
  private let times: [Time]
  /// How many times each cluster has, and their sum.
  private let totals: [(cluster: Int, count: Int, sum: Int128)]

  init(_ times: consuming [Time]) {
    times.sort { $0.nanoseconds < $1.nanoseconds }
    var totals: [Int32: (count: Int, sum: Int128)] = [:]
    for index in times.indices {
      let time = times[index]
      totals[time.cluster, default: (0, 0)].count += 1
      totals[time.cluster, default: (0, 0)].sum += Int128(time.nanoseconds)
    }
    self.times = times
    self.totals = totals.map { (Int($0.key), $0.value.count, $0.value.sum) }
  }

  /// The times of a draw, each as often as its cluster is drawn.
  func order(_ copies: [Int32]) -> TimeOrder {
    var count = 0
    var sum: Int128 = 0
    for total in totals {
      count += Int(copies[total.cluster]) * total.count
      sum += Int128(copies[total.cluster]) * total.sum
    }
    let ranks = StageLatency.percents.map { NearestRank.rank($0, of: count) }
    var percentiles = [Int64?](repeating: nil, count: ranks.count)
    var (seen, next) = (0, 0)
    for time in times {
      seen += Int(copies[Int(time.cluster)])
      while next < ranks.count, seen >= ranks[next], seen > 0 {
        percentiles[next] = time.nanoseconds
        next += 1
      }
      if next == ranks.count { break }
    }
    let last = times.last { copies[Int($0.cluster)] > 0 }
    return TimeOrder(count: count, sum: sum, last: last?.nanoseconds, percentiles: percentiles)
  }
}
