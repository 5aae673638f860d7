/// Metrics that are defined by name, with how runs present them.
package protocol DefinedMetrics: Sendable {
  /// What the metrics mean.
  static var definitions: [MetricDefinition] { get }

  /// Where the metrics are shown, and how they are treated.
  static var presentation: MetricPresentation { get }
}

extension DefinedMetrics {
  package static var presentation: MetricPresentation { MetricPresentation() }
}

/// What headlines, slices, intervals and comparisons do with some metrics, by name.
package struct MetricPresentation: Sendable {
  /// Metrics that stand for a run when its dataset labels what they need.
  package struct Headline: Sendable {
    /// What they measure; groups are shown in the order of the cases.
    package let group: HeadlineGroup
    /// Of a group only the lowest choice with a value is shown, whole.
    package let choice: Int
    /// The names.
    package let names: [String]
    /// Whether a comparison of two runs tests them.
    package let isCompared: Bool

    /// Names the headline metrics of a group.
    package init(
      _ group: HeadlineGroup, choice: Int = 0, _ names: [String], isCompared: Bool = true
    ) {
      self.group = group
      self.choice = choice
      self.names = names
      self.isCompared = isCompared
    }
  }

  /// What headline metrics measure, in reading order.
  package enum HeadlineGroup: Int, Sendable, CaseIterable {
    case operatingPoint, errorRates, pairedLandmarks, landmarks, ranking, identities, singleObject
    case visibility, blendshapes, expressions, pose
    case attributeNumbers, attributeDecisions, attributeAngles, tracking, detectorRuns, jitter, lag
    case similarity, drawing, latency, timing
  }

  /// Metrics that slices of faces and of frames report.
  package var sliced: Set<String> = []
  /// Metrics that slices of frames alone report.
  package var slicedByFrames: Set<String> = []
  /// Extreme values of a sample, which resampling cannot bound.
  package var extremes: Set<String> = []
  /// Metrics that are undefined without what the tracker may or may not provide.
  package var needs: [TrackerFact: Set<String>] = [:]
  /// Metrics that stand for a run.
  package var headlines: [Headline] = []
  /// Metrics by the short names that objectives of sweeps may use.
  package var aliases: [String: String] = [:]
}
