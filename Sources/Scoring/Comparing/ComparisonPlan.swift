package import Foundation
package import Metrics

/// What a comparison of two runs is asked to do.
package struct ComparisonPlan: Sendable {
  /// The run to compare with.
  package var base: URL
  /// The run that is evaluated.
  package var candidate: URL
  /// The dataset of both; nil means the path in the candidate's record.
  package var dataset: URL?
  /// The folder for the reports; nil means none.
  package var output: URL?
  /// The limits to evaluate by; nil means none.
  package var gates: URL?
  /// Names of findings that a person has looked at; gates then decide in spite of them.
  package var accepted: [String] = []
  /// Rules of expressions instead of the built-in ones; nil means those.
  package var expressions: URL?
  /// How labelled numbers are compared with predicted ones; nil means as numbers, by the names that both share.
  package var attributes: URL?
  /// How intervals are made; there are as many permutations, more where many differences are tested together.
  package var bootstrap = ClusterBootstrap(resamples: 2000)
  /// A metric of a slice with a smaller n is suppressed, 1 or more.
  package var minSliceCount = 30
  /// How many frames that got worse, and that got better, are shown.
  package var frameCount = 6
  /// Whether images of the frames are written.
  package var hasImages = true
  /// Whether an existing folder is replaced.
  package var replaces = false

  /// Plans a comparison with default settings.
  package init(base: URL, candidate: URL) {
    self.base = base
    self.candidate = candidate
  }
}
