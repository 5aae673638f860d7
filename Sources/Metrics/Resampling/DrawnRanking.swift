/// Items with the score and the cluster of each, in the order of their frames.
struct ScoredItems<Item: Sendable> {
  fileprivate var items: [Item] = []
  fileprivate var scores: [Double] = []
  fileprivate var clusters: [Int32] = []

  /// Takes the memory of so many items at once.
  init(capacity: Int) {
    items.reserveCapacity(capacity)
    scores.reserveCapacity(capacity)
    clusters.reserveCapacity(capacity)
  }

  /// Adds an item; the score is not NaN.
  mutating func append(_ item: Item, score: Double, of cluster: Int) {
    items.append(item)
    scores.append(score)
    clusters.append(Int32(cluster))
  }
}

/// Items ranked by score once, so that a draw of clusters needs neither a copy nor a sort.
///
/// A draw has its items in the order of falling scores, equal ones in the order of clusters, and each copy of a cluster
/// after the one before: the order in which drawn frames would be ranked.
struct DrawnRanking<Item: Sendable>: Sendable {
  private let items: [Item]
  private let scores: [Double]
  private let clusters: [Int32]
  /// Whether score and cluster are those of the item before.
  private let isTied: [Bool]

  /// Ranks items; those of equal score and cluster keep their order.
  ///
  /// With `keepsOrder` those of equal score do, as draws need that take each cluster at most once.
  init(_ scored: consuming ScoredItems<Item>, keepsOrder: Bool = false) {
    var order = ScoreOrder.descending(scored.scores)
    var first = 0
    while first < order.count, !keepsOrder {
      var end = first + 1
      var isMixed = false
      while end < order.count, scored.scores[order[end]] == scored.scores[order[first]] {
        if scored.clusters[order[end]] < scored.clusters[order[end - 1]] { isMixed = true }
        end += 1
      }
      if isMixed {
        order[first..<end].sort {
          (scored.clusters[$0], $0) < (scored.clusters[$1], $1)
        }
      }
      first = end
    }
    // One list at a time has two copies.
    scored.items = order.map { scored.items[$0] }
    scored.scores = order.map { scored.scores[$0] }
    scored.clusters = order.map { scored.clusters[$0] }
    (items, scores, clusters) = (scored.items, scored.scores, scored.clusters)
    var isTied = [Bool](repeating: false, count: items.count)
    for index in isTied.indices.dropFirst() {
      isTied[index] =
        scores[index] == scores[index - 1] && clusters[index] == clusters[index - 1]
    }
    self.isTied = isTied
  }

  /// Goes through the items of several draws from the highest score to the lowest, each with how often it comes in a row.
  func visit(
    _ batch: DrawBatch, _ visit: (_ item: Item, _ score: Double, _ times: SIMD8<Int32>) -> Void
  ) {
    var first = 0
    while first < items.count {
      let end = endOfTies(from: first)
      let times = batch.copies[Int(clusters[first])]
      let most = times.max()
      if end == first + 1 {
        if most > 0 { visit(items[first], scores[first], times) }
      } else {
        for copy in 0..<most {
          let once = SIMD8<Int32>.one.replacing(with: 0, where: times .<= copy)
          for index in first..<end { visit(items[index], scores[index], once) }
        }
      }
      first = end
    }
  }

  /// Goes through the items of several draws from the lowest score to the highest, each with how often it comes in a row.
  func visitReversed(
    _ batch: DrawBatch, _ visit: (_ item: Item, _ score: Double, _ times: SIMD8<Int32>) -> Void
  ) {
    var end = items.count
    while end > 0 {
      var first = end - 1
      while isTied[first] { first -= 1 }
      let times = batch.copies[Int(clusters[first])]
      let most = times.max()
      if end == first + 1 {
        if most > 0 { visit(items[first], scores[first], times) }
      } else {
        for copy in 0..<most {
          let once = SIMD8<Int32>.one.replacing(with: 0, where: times .<= copy)
          for index in (first..<end).reversed() { visit(items[index], scores[index], once) }
        }
      }
      end = first
    }
  }

  private func endOfTies(from first: Int) -> Int {
    var end = first + 1
    while end < items.count, isTied[end] { end += 1 }
    return end
  }
}

/// Counts of each cluster that has any, a fixed number of them.
struct ClusterCounts: Sendable {
  private let width: Int
  private var clusters: [Int] = []
  /// Where each of `clusters` stands: those of people come back, and in a slice in any order.
  private var positions: [Int: Int] = [:]
  private var counts: [Int32] = []

  init(width: Int) {
    self.width = width
  }

  /// Adds to the counts of a cluster.
  mutating func add(to cluster: Int, _ change: (inout ArraySlice<Int32>) -> Void) {
    let position = positions[cluster] ?? clusters.count
    if position == clusters.count {
      positions[cluster] = position
      clusters.append(cluster)
      counts += repeatElement(0, count: width)
    }
    change(&counts[position * width..<(position + 1) * width])
  }

  /// Whether two of the counts are equal in every cluster.
  func areEqual(_ first: Int, _ second: Int) -> Bool {
    stride(from: 0, to: counts.count, by: width).allSatisfy {
      counts[$0 + first] == counts[$0 + second]
    }
  }

  /// The counts of all clusters of a draw together.
  func sums(_ copies: [Int32]) -> [Int] {
    var sums = [Int](repeating: 0, count: width)
    for (position, cluster) in clusters.enumerated() where copies[cluster] > 0 {
      let times = Int(copies[cluster])
      for index in 0..<width { sums[index] += times * Int(counts[position * width + index]) }
    }
    return sums
  }
}
