package import Foundation
package import Metrics
internal import Platform
package import Records
package import Running

/// What a measurement of a run other than its scores is asked to do.
package struct MeasurementPlan: Sendable {
  /// The folder of a run, or a dataset where its labels can be measured.
  package var source: URL
  /// The dataset of the run; nil means the path in its record.
  package var dataset: URL?
  /// The folder for the reports; nil means none.
  package var output: URL?
  /// How intervals are made.
  package var bootstrap = ClusterBootstrap()
  /// Whether an existing folder is replaced.
  package var replaces = false
  /// A run on the same dataset to compare with, and limits; nil means none.
  package var base: URL?, gates: URL?

  /// Plans a measurement with default settings.
  package init(source: URL) {
    self.source = source
  }
}

/// A result, and the folder of its reports under its partial name, if one was asked for.
package struct Measured<Result: ResultDocument>: Sendable {
  /// The result.
  package let result: Result
  /// The folder.
  package let folder: RunFolder?

  /// Prepares the folder, makes the result and writes it there; a failure leaves no folder.
  init(
    into output: URL?, replaces: Bool, inputs: [URL], _ make: (RunFolder?) throws -> Result
  ) throws {
    folder = try output.map {
      try RunFolder($0, replaces: replaces, resumes: false, inputs: inputs)
    }
    do {
      result = try make(folder)
      try folder?.write(try result.json(), to: Result.fileName)
    } catch {
      folder?.discard()
      throw error
    }
  }
}

extension RunMonitor {
  /// Notes that resamples are done; throws when the user has interrupted the run.
  func resampled(_ resamples: Int) throws {
    advance(by: resamples)
    try check("while resampling")
  }
}
