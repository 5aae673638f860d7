package import Platform

extension Sweep {
  /// The setting that an objective prefers, with how sure it is.
  package struct Advice: Sendable, Hashable, Codable {
    /// The objective as it is written, such as `max f1 where fp_per_minute <= 2`.
    package var objective: String
    /// The name of the metric that is optimised.
    package var metric: String
    /// The position of the best setting among the sweep's; nil where none will do.
    @Nullable package var setting: Int?
    /// Why none will do; nil where one does.
    @Nullable package var reason: String?
    /// Each parameter's value there; empty where no setting will do.
    package var parameters: [ParameterChoice] = []
    /// Each metric there; empty where no setting will do.
    package var metrics: [MetricChoice] = []
    /// How often the choice was made again, on resampled clusters of frames.
    package var draws = 0
    /// In how many of these draws no setting will do.
    package var infeasibleDraws = 0
    /// In how many of these draws the recommended setting breaks a limit.
    package var brokenDraws = 0
    /// For each fold the setting that was chosen without it; nil where none will do.
    package var foldSettings: [Int?] = []
    /// By how much the optimised metric looks better on all data than on held-out folds; nil for unknown.
    @Nullable package var optimism: Double?
    /// The evidence for the objective's limits; nil without limits.
    package var limits: LimitEvidence?
    /// The recommended setting compared with the default; nil if the default was not tried.
    @Nullable package var gain: Gain?
    /// What to know before it is trusted, a sentence each without a full stop.
    package var warnings: [String] = []

    /// An objective that no setting meets, or that is filled in by and by.
    package init(objective: String, metric: String, reason: String?) {
      self.objective = objective
      self.metric = metric
      self.reason = reason
    }
  }

  /// How far an objective's limits can be trusted.
  package struct LimitEvidence: Sendable, Hashable, Codable {
    /// The position of the best setting that meets the limits on this data, without their confidence; nil for none.
    @Nullable package var plainSetting: Int?
    /// The optimised metric there.
    @Nullable package var plainValue: Double?
    /// The share of the resamples whose own best setting of that kind breaks a limit on all data.
    @Nullable package var brokenShare: Double?
    /// For each limit the bound of its metric at the recommended setting; nil without a confidence.
    package var bounds: [Double?] = []

    /// Starts without evidence.
    package init() {}
  }

  /// A parameter's recommended value.
  package struct ParameterChoice: Sendable, Hashable, Codable {
    /// The parameter's name.
    package var name: String
    /// The value.
    package var value: Double
    /// Where the best value lies; its ends are values that were tried.
    package var interval: Interval
    /// The share of the draws that chose exactly this value; nil where there were none, or too few clusters.
    @Nullable package var share: Double?

    /// A value and its interval.
    package init(name: String, value: Double, interval: Interval, share: Double?) {
      self.name = name
      self.value = value
      self.interval = interval
      self.share = share
    }
  }

  /// A metric at the recommended setting.
  package struct MetricChoice: Sendable, Hashable, Codable {
    /// The metric's name.
    package var name: String
    /// Its value on all data; nil where it is undefined.
    @Nullable package var value: Double?
    /// Where its value lies; for the optimised metric less the optimism of having been picked.
    package var interval: Interval
    /// Its value on each fold at the setting chosen without that fold; nil where it is undefined.
    package var heldOut: [Double?]
    /// The mean of those that are defined; nil where none is.
    @Nullable package var heldOutMean: Double?

    /// A metric on all data and held out.
    package init(
      name: String, value: Double?, interval: Interval, heldOut: [Double?], heldOutMean: Double?
    ) {
      self.name = name
      self.value = value
      self.interval = interval
      self.heldOut = heldOut
      self.heldOutMean = heldOutMean
    }
  }

  /// By how much the recommended setting is better than the default.
  package struct Gain: Sendable, Hashable, Codable {
    /// What follows.
    package enum Conclusion: String, Sendable, Codable {
      /// The recommended setting is the default.
      case isDefault = "is the default"
      /// The interval lies above 0.
      case better
      /// The interval lies above 0, and fewer faces are found, which the objective does not weigh.
      case losesFaces = "loses faces"
      /// The interval holds 0.
      case noEvidence = "no evidence"
      /// The default breaks a limit, so its metric is irrelevant.
      case defaultBreaksLimit = "the default breaks a limit"
      /// There is no interval.
      case unknown
    }

    /// The gain in the optimised metric, above 0 where the recommended setting is better; nil for unknown.
    @Nullable package var value: Double?
    /// Its interval, simultaneous for all settings, so picking the best setting does not bias it.
    package var interval: Interval
    /// What follows.
    package var conclusion: Conclusion

    /// A gain and what follows from it.
    package init(value: Double?, interval: Interval, conclusion: Conclusion) {
      self.value = value
      self.interval = interval
      self.conclusion = conclusion
    }
  }
}

// The words of an objective are all that a file keeps of it.
extension Sweep.Advice {
  private var words: [Substring] {
    objective.split { $0.isWhitespace || "<>=".contains($0) }
  }

  /// Whether the objective names a metric.
  func names(_ metric: String) -> Bool { words.contains { $0 == metric } }

  /// Whether a limit of the objective has a confidence.
  package var hasConfidence: Bool { words.contains("with") }
}
