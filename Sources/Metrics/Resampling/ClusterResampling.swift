package import Records

/// Clusters taken from a dataset to stand for it, each as often as it was drawn.
package struct ClusterDraw: Sendable {
  /// The clusters that are taken, ascending, with how often each is.
  package let taken: [(cluster: Int, times: Int)]
  private let clusterCount: Int
  /// Their frames.
  package let frames: FrameDraw

  /// Takes each cluster as often as `copies` states, one number per cluster.
  package init(_ copies: [Int], of clusters: FrameClusters) {
    clusterCount = clusters.count
    taken = copies.enumerated().compactMap { $1 > 0 ? ($0, $1) : nil }
    frames = clusters.draw(copies)
  }

  /// How often each cluster is taken, of all that there are.
  var copies: [Int] {
    var copies = [Int](repeating: 0, count: clusterCount)
    for (cluster, times) in taken { copies[cluster] = times }
    return copies
  }

  /// Takes one cluster alone, once.
  package init(only cluster: Int, of clusters: FrameClusters) {
    taken = [(cluster, 1)]
    clusterCount = clusters.count
    frames = clusters.draw(only: cluster)
  }
}

/// The metrics of one family for any choice of clusters.
package protocol FamilyResampler: Sendable {
  /// The metrics over the clusters of a draw, in the order of the family's own.
  func measurements(of draw: ClusterDraw) -> [Measurement]
}

/// Measures a draw by copying its frames, which any family can do.
package struct FrameResampler<Family: MetricFamily>: FamilyResampler {
  let family: Family
  let isSlice: Bool

  package func measurements(of draw: ClusterDraw) -> [Measurement] {
    var copy = family
    copy.draw(draw.frames)
    return copy.measurements(inSlice: isSlice)
  }
}

/// What the frames of some clusters come to; sums of different clusters add up to the sums of all.
package protocol ClusterSums: Sendable {
  /// Starts at 0.
  init()
  /// Adds the sums of other frames so many times.
  mutating func add(_ other: Self, times: Int)
}

/// A family whose metrics follow from sums over clusters, so that a draw costs no copy of a frame.
package protocol AdditiveFamily: MetricFamily, FrameMetric {
  /// What is added up.
  associatedtype Sums: ClusterSums

  /// The sums over all frames so far.
  func sums() -> Sums

  /// The metrics that follow from sums, in the order of `definitions`.
  func measurements(of sums: Sums) -> [Measurement]
}

extension AdditiveFamily {
  package func summarize() -> [Measurement] { measurements(of: sums()) }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    SumResampler(self, of: clusters)
  }
}

/// Measures a draw from the sums of each cluster that the family has frames of, which are made once.
private struct SumResampler<Family: AdditiveFamily>: FamilyResampler {
  /// Computes metrics from sums; holds no frames.
  let family: Family
  /// The clusters, ascending, and the sums of each.
  let clusters: [Int]
  let sums: [Family.Sums]

  init(_ family: Family, of clusters: FrameClusters) {
    self.clusters = clusters.clusters(of: family.frames.keys)
    sums = self.clusters.map { cluster in
      var part = family
      part.draw(clusters.draw(only: cluster))
      return part.sums()
    }
    var empty = family
    empty.draw(FrameDraw())
    self.family = empty
  }

  func measurements(of draw: ClusterDraw) -> [Measurement] {
    var total = Family.Sums()
    var next = draw.taken.first.map { position(of: $0.cluster) } ?? 0
    for (cluster, times) in draw.taken {
      while next < clusters.count, clusters[next] < cluster { next += 1 }
      guard next < clusters.count else { break }
      if clusters[next] == cluster { total.add(sums[next], times: times) }
    }
    return family.measurements(of: total)
  }

  /// Where a cluster is, or would be.
  private func position(of cluster: Int) -> Int {
    var (low, high) = (0, clusters.count)
    while low < high {
      let middle = (low + high) / 2
      if clusters[middle] < cluster { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
