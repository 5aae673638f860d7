extension Sweep {
  /// The setting that an objective prefers, with how sure it is.
  public struct Advice: Sendable, Hashable, Codable {
    /// The objective as it is written, such as `max f1 where fp_per_minute <= 2`.
    public var objective: String
    /// The name of the figure that is optimised.
    public var figure: String
    /// The place of the best setting among the sweep's; nil where none will do.
    @Nullable public var setting: Int?
    /// Why none will do; nil where one does.
    @Nullable public var reason: String?
    /// Each knob's value there; empty where no setting will do.
    public var knobs: [KnobChoice]
    /// Each figure there; empty where no setting will do.
    public var figures: [FigureChoice]
    /// How often the choice was made again, on resampled clusters of frames.
    public var draws: Int
    /// In how many of these draws no setting will do.
    public var infeasibleDraws: Int
    /// In how many of these draws the recommended setting breaks a limit.
    public var brokenDraws: Int
    /// For each fold the setting that was chosen without it; nil where none will do.
    public var foldSettings: [Int?]
    /// By how much the optimised figure looks better on all data than on held-out folds; nil for unknown.
    @Nullable public var optimism: Double?
    /// What the data says of the objective's limits; nil without limits.
    public var limits: LimitEvidence?
    /// The recommended setting beside the default; nil where the default was not tried.
    @Nullable public var gain: Gain?
    /// What to know before it is trusted, a sentence each without a full stop.
    public var warnings: [String]

    /// An objective that no setting meets, or that is filled in by and by.
    public init(objective: String, figure: String, reason: String?) {
      self.objective = objective
      self.figure = figure
      setting = nil
      self.reason = reason
      (knobs, figures) = ([], [])
      (draws, infeasibleDraws, brokenDraws) = (0, 0, 0)
      foldSettings = []
      optimism = nil
      limits = nil
      gain = nil
      warnings = []
    }
  }

  /// How far an objective's limits can be trusted.
  public struct LimitEvidence: Sendable, Hashable, Codable {
    /// The place of the best setting that meets the limits on this data, whatever their confidence; nil for none.
    @Nullable public var plainSetting: Int?
    /// The optimised figure there.
    @Nullable public var plainValue: Double?
    /// The share of the resamples whose own best setting of that kind breaks a limit on all data.
    @Nullable public var brokenShare: Double?
    /// For each limit the bound of its figure at the recommended setting; nil without a confidence.
    public var bounds: [Double?]

    /// Starts without evidence.
    public init() {
      plainSetting = nil
      plainValue = nil
      brokenShare = nil
      bounds = []
    }
  }

  /// A knob's recommended value.
  public struct KnobChoice: Sendable, Hashable, Codable {
    /// The knob's name.
    public var name: String
    /// The value.
    public var value: Double
    /// Where the best value lies; its ends are values that were tried.
    public var interval: Interval
    /// The share of the draws that chose exactly this value; nil where there were none, or too few clusters.
    @Nullable public var share: Double?

    /// A value and its interval.
    public init(name: String, value: Double, interval: Interval, share: Double?) {
      self.name = name
      self.value = value
      self.interval = interval
      self.share = share
    }
  }

  /// A figure at the recommended setting.
  public struct FigureChoice: Sendable, Hashable, Codable {
    /// The figure's name.
    public var name: String
    /// Its value on all data; nil where it is undefined.
    @Nullable public var value: Double?
    /// Where its value lies; for the optimised figure less the optimism of having been picked.
    public var interval: Interval
    /// Its value on each fold at the setting chosen without that fold; nil where it is undefined.
    public var heldOut: [Double?]
    /// The mean of those that are defined; nil where none is.
    @Nullable public var heldOutMean: Double?

    /// A figure on all data and held out.
    public init(
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
  public struct Gain: Sendable, Hashable, Codable {
    /// What follows.
    public enum Conclusion: String, Sendable, Codable {
      /// The recommended setting is the default.
      case isDefault = "is the default"
      /// The interval lies above 0.
      case better
      /// The interval holds 0.
      case noEvidence = "no evidence"
      /// The default breaks a limit, so that its figure is beside the point.
      case defaultBreaksLimit = "the default breaks a limit"
      /// There is no interval.
      case unknown
    }

    /// The gain in the optimised figure, above 0 where the recommended setting is better; nil for unknown.
    @Nullable public var value: Double?
    /// Where it lies, for all settings at once, so that having picked the best does not make it look better.
    public var interval: Interval
    /// What follows.
    public var conclusion: Conclusion

    /// A gain and what follows from it.
    public init(value: Double?, interval: Interval, conclusion: Conclusion) {
      self.value = value
      self.interval = interval
      self.conclusion = conclusion
    }
  }
}
