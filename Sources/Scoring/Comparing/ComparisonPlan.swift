package import Foundation
package import Metrics

/// What a comparison of two runs or more is asked to do.
package struct ComparisonPlan: Sendable {
  /// The runs, in the order of tables: of two the one to compare with, then the one that is evaluated.
  package var runs: [URL]
  /// The dataset of all; nil means the path in the last run's record.
  package var dataset: URL?
  /// The folder for the reports; nil means none.
  package var output: URL?
  /// The limits to evaluate two runs by; nil means none.
  package var gates: URL?
  /// Names of findings that a person has looked at; gates then decide in spite of them.
  package var accepted: [String] = []
  /// Rules of expressions instead of the built-in ones; nil means those.
  package var expressions: URL?
  /// How labelled numbers are compared with those of two runs; nil means as numbers, by the names that both share.
  package var attributes: URL?
  /// How intervals are made; there are as many permutations, more where many differences are tested together.
  package var bootstrap = ClusterBootstrap(resamples: 2000)
  /// A metric of a slice with a smaller n is suppressed, 1 or more.
  package var minSliceCount = 30
  /// How many frames that got worse, and that got better, are shown; of three runs or more, how many in which each
  /// differs from all others.
  package var frameCount = 6
  /// Whether images of the frames are written.
  package var hasImages = true
  /// Whether an existing folder is replaced.
  package var replaces = false

  /// Plans a comparison with default settings.
  package init(runs: [URL]) { self.runs = runs }
}
