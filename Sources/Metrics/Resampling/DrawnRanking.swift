/// Items ranked by score once, so that a draw of clusters needs neither a copy nor a sort.
///
/// A draw has its items in the order of falling scores, equal ones in the order of clusters, and each copy of a cluster
/// after the one before: the order in which drawn frames would be ranked.
struct DrawnRanking<Item: Sendable>: Sendable {
  private var items: [Item] = []
  private var clusters: [Int32] = []
  /// Whether score and cluster are those of the item before.
  private var isTied: [Bool] = []

  /// Ranks items; those of equal score and cluster keep their order. No score is NaN.
  init(_ scored: [(cluster: Int, score: Double, item: Item)]) {
    let isByCluster = zip(scored, scored.dropFirst()).allSatisfy { $0.cluster <= $1.cluster }
    let byCluster =
      isByCluster
      ? nil : scored.indices.sorted { (scored[$0].cluster, $0) < (scored[$1].cluster, $1) }
    let count = scored.count
    items.reserveCapacity(count)
    clusters.reserveCapacity(count)
    isTied.reserveCapacity(count)
    var last: (score: Double, cluster: Int)?
    let scores = byCluster.map { $0.map { scored[$0].score } } ?? scored.map(\.score)
    for position in ScoreOrder.descending(scores) {
      let one = scored[byCluster.map { $0[position] } ?? position]
      items.append(one.item)
      clusters.append(Int32(one.cluster))
      isTied.append(last.map { $0 == (one.score, one.cluster) } ?? false)
      last = (one.score, one.cluster)
    }
  }

  /// Goes through the items of a draw from the highest score to the lowest, each with how often it comes in a row.
  func visit(_ copies: [Int32], _ visit: (_ item: Item, _ times: Int) -> Void) {
    var first = 0
    while first < items.count {
      let end = endOfTies(from: first)
      let times = Int(copies[Int(clusters[first])])
      if end == first + 1 {
        if times > 0 { visit(items[first], times) }
      } else {
        for _ in 0..<times {
          for index in first..<end { visit(items[index], 1) }
        }
      }
      first = end
    }
  }

  /// The same from the lowest score to the highest.
  func visitReversed(_ copies: [Int32], _ visit: (_ item: Item, _ times: Int) -> Void) {
    var end = items.count
    while end > 0 {
      var first = end - 1
      while isTied[first] { first -= 1 }
      let times = Int(copies[Int(clusters[first])])
      if end == first + 1 {
        if times > 0 { visit(items[first], times) }
      } else {
        for _ in 0..<times {
          for index in (first..<end).reversed() { visit(items[index], 1) }
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
  private var counts: [Int32] = []

  init(width: Int) {
    self.width = width
  }

  /// Adds to the counts of a cluster.
  mutating func add(to cluster: Int, _ change: (inout ArraySlice<Int32>) -> Void) {
    var position = clusters.count
    while position > 0, clusters[position - 1] > cluster { position -= 1 }
    if position == 0 || clusters[position - 1] != cluster {
      clusters.insert(cluster, at: position)
      counts.insert(contentsOf: repeatElement(0, count: width), at: position * width)
      position += 1
    }
    change(&counts[(position - 1) * width..<position * width])
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
