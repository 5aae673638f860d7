/// The figures of many settings of one pipeline on one dataset, and what to conclude from them.
public struct Sweep: Sendable, Hashable, Codable {
  /// How the pipeline ran: `image`, `video` or `live`.
  public var mode: String
  /// What was set, in the order of each setting's values.
  public var knobs: [Knob]
  /// What was measured, in reading order; each has a column.
  public var figures: [Figure]
  /// The settings, each with a value a knob; no two are equal.
  public var settings: [[Double]]
  /// By a figure's name its value at each setting, nil where it is undefined.
  public var columns: [String: [Double?]]
  /// The place of the default setting among `settings`; nil where it was not tried.
  @Nullable public var defaultSetting: Int?
  /// What the sweep took.
  public var cost: Cost
  /// What is recommended, one an objective.
  public var advice: [Advice]
  /// The settings that no other beats in all of some figures.
  public var fronts: [Front]
  /// How far each knob moves each headline figure.
  public var effects: [Effect]

  /// Joins settings, figures and conclusions.
  public init(
    mode: String, knobs: [Knob], figures: [Figure], settings: [[Double]],
    columns: [String: [Double?]], defaultSetting: Int?, cost: Cost, advice: [Advice] = [],
    fronts: [Front] = [], effects: [Effect] = []
  ) {
    self.mode = mode
    self.knobs = knobs
    self.figures = figures
    self.settings = settings
    self.columns = columns
    self.defaultSetting = defaultSetting
    self.cost = cost
    self.advice = advice
    self.fronts = fronts
    self.effects = effects
  }

  /// Something that can be set, and where it was tried.
  public struct Knob: Sendable, Hashable, Codable {
    /// The option's name without dashes, such as `min-face-detection-confidence`.
    public var name: String
    /// The unit, such as `Hz`, or `1` for a plain number.
    public var unit: String
    /// The values of the range that was tried, ascending; the default may lie beside them.
    public var values: [Double]
    /// The least value that means anything; nil where there is none.
    @Nullable public var lowest: Double?
    /// The largest value that means anything; nil where there is none.
    @Nullable public var highest: Double?

    /// A knob; its limits are those of a confidence if left out.
    public init(
      name: String, unit: String = "1", values: [Double], lowest: Double? = 0, highest: Double? = 1
    ) {
      self.name = name
      self.unit = unit
      self.values = values
      self.lowest = lowest
      self.highest = highest
    }
  }

  /// Something that was measured at each setting.
  public struct Figure: Sendable, Hashable, Codable {
    /// The name that objectives use, such as `f1`.
    public var name: String
    /// Heading for people.
    public var title: String
    /// The unit, such as `ms`, or `1` for a plain ratio.
    public var unit: String
    /// Which way it improves.
    public var better: Direction
    /// What must be known to read it; nil for nothing.
    @Nullable public var note: String?

    /// Names a figure.
    public init(
      name: String, title: String, unit: String, better: Direction, note: String? = nil
    ) {
      self.name = name
      self.title = title
      self.unit = unit
      self.better = better
      self.note = note
    }
  }

  /// The settings that no other beats or equals in all of some figures.
  public struct Front: Sendable, Hashable, Codable {
    /// The figures, the horizontal axis first.
    public var figures: [String]
    /// Places among the sweep's settings, from the best in the first figure on.
    public var settings: [Int]

    /// A front of settings.
    public init(figures: [String], settings: [Int]) {
      self.figures = figures
      self.settings = settings
    }
  }

  /// How far one knob moves one figure.
  public struct Effect: Sendable, Hashable, Codable {
    /// The knob's name.
    public var knob: String
    /// The figure's name.
    public var figure: String
    /// The figure's least value where only this knob moves; nil where it is undefined.
    @Nullable public var low: Double?
    /// The figure's largest value where only this knob moves; nil where it is undefined.
    @Nullable public var high: Double?
    /// The mean of `high − low` over all values of the other knobs that were tried with two or more of this one.
    @Nullable public var meanSpan: Double?
    /// `high − low` over the width of the figure's interval at the same setting; nil without an interval.
    @Nullable public var intervalWidths: Double?
    /// Whether the figure differs at all between any two settings that differ in this knob alone; nil for unknown.
    @Nullable public var isThere: Bool?
    /// Why it is not there, or why that is unknown; nil where it is there or nothing is to be said.
    @Nullable public var reason: String?

    /// Says how far a knob moves a figure.
    public init(
      knob: String, figure: String, low: Double?, high: Double?, meanSpan: Double?,
      intervalWidths: Double?, isThere: Bool?, reason: String?
    ) {
      self.knob = knob
      self.figure = figure
      self.low = low
      self.high = high
      self.meanSpan = meanSpan
      self.intervalWidths = intervalWidths
      self.isThere = isThere
      self.reason = reason
    }
  }
}
