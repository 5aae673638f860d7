package import Platform

/// The metrics of many settings of one pipeline on one dataset, and what to conclude from them.
package struct Sweep: Sendable, Hashable, Codable {
  /// How the pipeline ran: `image`, `video` or `live`.
  package var mode: String
  /// What was set, in the order of each setting's values.
  package var parameters: [Parameter]
  /// What was measured, in reading order; each has a column.
  package var metrics: [Metric]
  /// The settings, each with one value per parameter; no two are equal.
  package var settings: [[Double]]
  /// By a metric's name its value at each setting, nil where it is undefined.
  package var columns: [String: [Double?]]
  /// By a metric's name the ends of its 95 % interval at each setting, nil where it has none; nil where none were made.
  package var intervals: [String: [[Double]?]]?
  /// The frames with errors at each setting; nil where none had any.
  package var wrongFrames: WrongFrames?
  /// The position of the default setting among `settings`; nil where it was not tried.
  @Nullable package var defaultSetting: Int?
  /// What the sweep took.
  package var cost: Cost
  /// What is recommended, one an objective.
  package var advice: [Advice]
  /// The settings that no other beats in all of some metrics.
  package var fronts: [Front]
  /// How far each parameter moves each headline metric.
  package var effects: [Effect]

  /// Joins settings, metrics and conclusions.
  package init(
    mode: String, parameters: [Parameter], metrics: [Metric], settings: [[Double]],
    columns: [String: [Double?]], defaultSetting: Int?, cost: Cost, advice: [Advice] = [],
    fronts: [Front] = [], effects: [Effect] = []
  ) {
    self.mode = mode
    self.parameters = parameters
    self.metrics = metrics
    self.settings = settings
    self.columns = columns
    self.defaultSetting = defaultSetting
    self.cost = cost
    self.advice = advice
    self.fronts = fronts
    self.effects = effects
  }

  /// Something that can be set, and where it was tried.
  package struct Parameter: Sendable, Hashable, Codable {
    /// The option's name without dashes, such as `min-face-detection-confidence`.
    package var name: String
    /// The unit, such as `Hz`, or `1` for a plain number.
    package var unit: String
    /// The values of the range that was tried, ascending; the default may lie outside them.
    package var values: [Double]
    /// The smallest meaningful value; nil if there is none.
    @Nullable package var lowest: Double?
    /// The largest value that means anything; nil where there is none.
    @Nullable package var highest: Double?
    /// The rule of an expression that it is the threshold of; nil for a setting.
    package var rule: Rule?

    /// When a face has an expression: a formula over its blendshapes, and on which side of the threshold.
    package struct Rule: Sendable, Hashable, Codable {
      /// The formula, as rules files write it.
      package var value: String
      /// Which side is active: `above` or `at_most`.
      package var side: String

      /// Joins formula and side.
      package init(value: String, side: String) {
        self.value = value
        self.side = side
      }
    }

    /// A parameter; its limits are those of a confidence if left out.
    package init(
      name: String, unit: String = "1", values: [Double], lowest: Double? = 0,
      highest: Double? = 1, rule: Rule? = nil
    ) {
      self.name = name
      self.unit = unit
      self.values = values
      self.lowest = lowest
      self.highest = highest
      self.rule = rule
    }
  }

  /// Something that was measured at each setting.
  package struct Metric: Sendable, Hashable, Codable {
    /// The name that objectives use, such as `f1`.
    package var name: String
    /// Heading for people.
    package var title: String
    /// The unit, such as `ms`, or `1` for a plain ratio.
    package var unit: String
    /// Which way it improves.
    package var better: Direction
    /// The best value there is; set exactly where `better` is `closest`.
    package var target: Double?
    /// What must be known to read it; nil for nothing.
    @Nullable package var note: String?

    /// Names a metric.
    package init(
      name: String, title: String, unit: String, better: Direction,
      target: Double? = nil, note: String? = nil
    ) {
      self.name = name
      self.title = title
      self.unit = unit
      self.better = better
      self.target = target
      self.note = note
    }

    /// How far a value lies from the target, from 0 without one.
    package func distance(_ value: Double) -> Double { abs(value - (target ?? 0)) }
  }

  /// The frames with missed faces and false positives at each setting.
  package struct WrongFrames: Sendable, Hashable, Codable {
    /// A frame that some setting has among them.
    package typealias Frame = Finding.Frame

    /// A frame of a setting.
    package struct Entry: Sendable, Hashable, Codable {
      /// Its position among `frames`.
      package var position: Int
      /// Missed faces and false positives at the setting, 1 or more.
      package var errors: Int

      /// A frame with its errors.
      package init(position: Int, errors: Int) {
        self.position = position
        self.errors = errors
      }
    }

    /// The frames in the order of the dataset.
    package var frames: [Frame]
    /// Of each setting, from most errors on.
    package var settings: [[Entry]]
    /// How many frames have errors at each setting, also where not all are here; nil where that is unknown.
    package var counts: [Int]?

    /// The frames of each setting.
    package init(frames: [Frame], settings: [[Entry]], counts: [Int]? = nil) {
      self.frames = frames
      self.settings = settings
      self.counts = counts
    }
  }

  /// The settings that no other beats or equals in all of some metrics.
  package struct Front: Sendable, Hashable, Codable {
    /// The metrics, the horizontal axis first.
    package var metrics: [String]
    /// Positions among the sweep's settings, from the best in the first metric on.
    package var settings: [Int]

    /// A front of settings.
    package init(metrics: [String], settings: [Int]) {
      self.metrics = metrics
      self.settings = settings
    }
  }

  /// How far one parameter moves one metric.
  package struct Effect: Sendable, Hashable, Codable {
    /// The parameter's name.
    package var parameter: String
    /// The metric's name.
    package var metric: String
    /// The metric's minimum when only this parameter varies; nil if it is undefined.
    @Nullable package var low: Double?
    /// The metric's largest value where only this parameter moves; nil where it is undefined.
    @Nullable package var high: Double?
    /// The mean of `high − low` over all values of the other parameters that were tried with two or more of this one.
    @Nullable package var meanSpan: Double?
    /// `high − low` over the width of the metric's interval at the same setting; nil without an interval.
    @Nullable package var intervalWidths: Double?
    /// Whether the metric differs at all between any two settings that differ in this parameter alone; nil for unknown.
    @Nullable package var isThere: Bool?
    /// Why it is missing, or why that is unknown; nil if it is present or no reason applies.
    @Nullable package var reason: String?

    /// How far a parameter moves a metric.
    package init(
      parameter: String, metric: String, low: Double?, high: Double?, meanSpan: Double?,
      intervalWidths: Double?, isThere: Bool?, reason: String?
    ) {
      self.parameter = parameter
      self.metric = metric
      self.low = low
      self.high = high
      self.meanSpan = meanSpan
      self.intervalWidths = intervalWidths
      self.isThere = isThere
      self.reason = reason
    }
  }
}
