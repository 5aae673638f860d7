internal import Metrics
internal import Statistics

/// Which fold each cluster is held out in: shuffled by a seed, then dealt out one by one.
package struct ClusterFolds: Sendable, Hashable {
  /// How many folds there are.
  package let count: Int
  private let folds: [Int: Int]

  /// Deals out the distinct clusters; throws for fewer than two folds, or fewer clusters than folds.
  package init(
    of clusters: some Sequence<Int>, folds count: Int = 5, seed: UInt64 = 1
  ) throws(CalibrationError) {
    var distinct = Set(clusters).sorted()
    guard count >= 2 else { throw .uncrossed("expected 2 folds or more, found \(count)") }
    guard distinct.count >= count else {
      throw .uncrossed(
        "expected as many clusters (subjects, videos or stills) as folds (\(count)), "
          + "found \(distinct.count)\(Self.fewer(distinct.count))")
    }
    var generator = SplitMix64(seed: seed)
    distinct.shuffle(using: &generator)
    folds = Dictionary(uniqueKeysWithValues: zip(distinct, (0...).lazy.map { $0 % count }))
    self.count = count
  }

  /// What an error for too few clusters adds: the option for fewer folds, where there are two clusters to hold out.
  static func fewer(_ clusters: Int) -> String { clusters >= 2 ? " (--folds \(clusters))" : "" }

  /// The fold that holds a cluster out, from 0; nil for one that was not dealt out.
  package func fold(of cluster: Int) -> Int? { folds[cluster] }
}
