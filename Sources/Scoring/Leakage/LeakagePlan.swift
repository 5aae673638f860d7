package import Foundation
package import Metrics

/// What a measurement of leakage is asked to do.
package struct LeakagePlan: Sendable {
  /// The folder of a run, whose predictions are measured, or a dataset, whose labels are.
  package var source: URL
  /// The dataset of the run; nil means the path in its record.
  package var dataset: URL?
  /// The folder for the reports; nil means none.
  package var output: URL?
  /// How intervals are made.
  package var bootstrap = ClusterBootstrap()
  /// Whether an existing folder is replaced.
  package var replaces = false

  /// Plans a measurement with default settings.
  package init(source: URL) {
    self.source = source
  }
}
