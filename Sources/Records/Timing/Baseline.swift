package import Platform

/// The medians of one timing run, small enough to be kept for every commit.
package struct Baseline: Hashable, JSONDocument {
  /// The schema that the file follows.
  package var schema = Baseline.schemaName
  /// Version of the schema.
  package var version = Baseline.schemaVersion
  /// Hash of the commit that was built, `+` after it where files had changed; nil where it is not known.
  @Nullable package var commit: String?
  /// When the run began, ISO 8601 in UTC.
  package var created: String
  /// Name of the dataset.
  package var dataset: String
  /// SHA-256 of the dataset.
  package var datasetSHA256: String
  /// The processor's own name.
  package var cpu: String
  /// The kernel set that BLAS chose.
  package var blasCore: String
  /// The strongest instruction set of our own kernels; nil in files that do not say so.
  package var kernels: String?
  /// Median time of the frozen reference kernel, in milliseconds, more than 0.
  package var referenceMilliseconds: Double
  /// The settings of the run, by option name.
  package var options: [String: String]
  /// The medians.
  package var stages: [Stage]

  package static let schemaName = "facegauge.baseline"
  package static let schemaVersion = 1
  /// The name of its file, if `profile --baseline-out` gives no other.
  package static let fileName = "baseline.json"
  package static let noun = "a baseline of 'facegauge profile --baseline-out'"

  /// The median of one stage over the frames of one population.
  package struct Stage: Sendable, Hashable, Codable {
    /// Name of the stage.
    package var stage: String
    /// The frames.
    package var slice: FramePopulation
    /// Median in milliseconds.
    package var milliseconds: Double
    /// The number of frames it is computed from.
    package var n: Int
  }

  /// Takes the medians of a timing run's record; throws `FileError` for another record.
  package init(_ record: Record) throws {
    guard let profile = record.profile,
      let reference = record.measurement(MetricName.referenceKernel)?.value, reference > 0
    else {
      throw FileError(
        operation: "write", "a baseline", at: "reference",
        expected: "a timing run with the metric \(MetricName.referenceKernel)", found: "another")
    }
    commit = record.tool.commit
    created = record.created
    dataset = record.dataset.name
    datasetSHA256 = record.dataset.sha256
    cpu = record.host.cpu
    blasCore = record.host.blasCore
    kernels = record.host.kernels
    referenceMilliseconds = reference
    options = record.options
    stages = profile.samples.map { samples in
      let sorted = samples.nanoseconds.sorted()
      let median = sorted.isEmpty ? 0 : sorted[(sorted.count - 1) / 2]
      return Stage(
        stage: samples.stage, slice: samples.slice, milliseconds: Double(median) / 1e6,
        n: sorted.count)
    }
  }

  /// The first number that cannot be; within these limits, ratios are numbers.
  package var firstProblem: JSONProblem? {
    guard (1e-9...1e9).contains(referenceMilliseconds) else {
      return JSONProblem(
        position: "referenceMilliseconds", expected: "a reference of 1e-9 to 1e9 ms",
        found: "\(referenceMilliseconds)")
    }
    return stages.enumerated().first { !(0...1e9).contains($1.milliseconds) }.map {
      JSONProblem(
        position: "stages[\($0)].milliseconds",
        expected: "a time of 0 to 1e9 ms of \($1.stage)", found: "\($1.milliseconds)")
    }
  }
}
