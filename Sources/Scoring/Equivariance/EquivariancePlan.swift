package import Foundation
package import Metrics

/// What a measurement of equivariance is asked to do.
package struct EquivariancePlan: Sendable {
  /// The folder of a run.
  package var run: URL
  /// Its dataset; nil means the path in its record.
  package var dataset: URL?
  /// The folder for the reports; nil means none.
  package var output: URL?
  /// How intervals are made.
  package var bootstrap = ClusterBootstrap()
  /// Whether an existing folder is replaced.
  package var replaces = false

  /// Plans a measurement with default settings.
  package init(run: URL) {
    self.run = run
  }
}
