/// How many clusters a metric rests on, and how many clusters of equal size those are worth.
package struct ClusterSizes: Sendable, Hashable {
  /// How many clusters have at least one frame that counts.
  package let count: Int
  /// (Σ m)² / Σ m² of their sizes m: `count` where all are equally large.
  ///
  /// Source: Kish 1965, Survey Sampling, section 11.7.
  package let effective: Double
  /// Whether they are stretches of the dataset's one clip.
  package let isOfOneClip: Bool
  /// Whether stills that follow each other are alike, so that clusters are not independent.
  package let areStillsAlike: Bool

  /// Takes the size of each cluster; those of 0 or less do not count.
  package init(
    _ sizes: some Swift.Sequence<Double>, isOfOneClip: Bool = false, areStillsAlike: Bool = false
  ) {
    var (count, sum, squares) = (0, 0.0, 0.0)
    for size in sizes where size > 0 {
      count += 1
      sum += size
      squares += size * size
    }
    self.count = count
    effective = squares > 0 ? sum * sum / squares : 0
    self.isOfOneClip = isOfOneClip
    self.areStillsAlike = areStillsAlike
  }

  /// What they are called: clusters, or stretches of a clip.
  package var unit: String { isOfOneClip ? "stretches" : "clusters" }

  /// So many clusters that are worth a number of equal size.
  package init(count: Int, effective: Double) {
    self.count = count
    self.effective = effective
    isOfOneClip = false
    areStillsAlike = false
  }

  /// So many clusters of equal size.
  package init(equal count: Int) {
    self.init(count: count, effective: Double(count))
  }
}
