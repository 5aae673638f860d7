package import FaceCore
package import Metrics
package import Platform
package import Records

/// What `calibrate` found on one run, to be kept and applied: the contents of `calibration.json`.
package struct CalibrationFile: Hashable, JSONDocument {
  /// What the run was made on.
  package struct Dataset: Sendable, Hashable, Codable {
    /// The dataset's own name.
    package var name: String
    /// SHA-256 of the dataset file, in lower-case hexadecimal.
    package var sha256: String
    /// How many frames it has.
    package var frames: Int
    /// Which frames those are, to know them again in another file; nil where that was not looked at.
    package var sketch: FrameSketch?

    /// Names a dataset.
    package init(name: String, sha256: String, frames: Int, sketch: FrameSketch? = nil) {
      self.name = name
      self.sha256 = sha256
      self.frames = frames
      self.sketch = sketch
    }
  }

  /// The schema that the file follows.
  package var schema = Self.schemaName
  /// Version of the schema.
  package var version = Self.schemaVersion
  /// The program that calibrated.
  package var tool: Record.Tool
  /// When, ISO 8601 in UTC.
  package var created: String
  /// What it was made from.
  package var dataset: Dataset
  /// Whose scores they are, where not our own pipeline's; nil for that.
  @Nullable package var tracker: String?
  /// The models that made the scores.
  package var models: [Record.Model]
  /// The settings that the run was made with, by option name without dashes.
  package var options: [String: String]
  /// The calibrators, each of another kind of score.
  package var scores: [ScoreCalibration] = []
  /// The recommended thresholds of expressions.
  package var thresholds: [ExpressionThreshold] = []
  /// The recommended threshold of another tracker's detections; nil for none.
  package var detectionThreshold: ScoreThreshold?
  /// The correction of blendshapes; nil for none.
  @Nullable package var blendshapes: BlendshapeCalibration?
  /// By how much the recordings' clocks were moved, by the video's name; empty without recordings.
  package var timeOffsets: [String: TimeOffset] = [:]
  /// What the tracker gave while prompts were held, by video; nil without prompts.
  package var sessions: [PromptedSession]?
  /// The operating settings that a sweep recommends; nil for none.
  @Nullable package var settings: RecommendedSettings?
  /// What a reader must know, a sentence each.
  package var notes: [String] = []

  /// Starts a file without findings.
  package init(
    tool: Record.Tool, created: String, dataset: Dataset, tracker: String?, models: [Record.Model],
    options: [String: String]
  ) {
    self.tool = tool
    self.created = created
    self.dataset = dataset
    self.tracker = tracker
    self.models = models
    self.options = options
  }

  /// The calibrator of a kind of score; nil where there is none.
  package func calibrator(of kind: ScoreKind) -> Calibrator? {
    scores.first { $0.kind == kind }?.calibrator
  }

  /// The parts whose model must be the same for the file to fit, in the order of the pipeline.
  package var stages: [PipelinePart] {
    let ofFaces =
      scores.contains { if case .expression? = $0.kind { true } else { false } }
      || blendshapes != nil || !thresholds.isEmpty
    var parts: [PipelinePart] = []
    if calibrator(of: .detection) != nil { parts.append(.detection) }
    if calibrator(of: .presence) != nil || ofFaces { parts.append(.landmarks) }
    if ofFaces { parts.append(.blendshapes) }
    return parts
  }
}

/// Operating settings with the evidence for them: those of the pipeline in full, as one setting of a sweep had them.
package struct RecommendedSettings: Sendable, Hashable, Codable {
  /// Values by option name without dashes, such as `min-face-detection-confidence`; also of those that were not swept.
  ///
  /// Of another tracker only those that apply to its stored faces. A threshold of an expression is `expression:NAME`.
  package var values: [String: Double]
  /// The names of those that were swept.
  package var swept: [String]
  /// The rules of the expressions whose thresholds were swept; nil without any.
  package var expressions: [Expression]?
  /// What was asked for, such as `max f1`; nil where nothing was.
  package var objective: String?
  /// What follows from the sweep, such as `keep the default (…): no evidence …`.
  package var verdict: String
  /// What to know before the values are trusted, a sentence each without a full stop.
  package var warnings: [String]
  /// What the objective's metric comes to with these values; nil where it is undefined.
  package var metric: Double?
  /// Where that metric lies.
  package var interval: Interval
  /// The objective's metric and F1 with these values and with the defaults; nil in files that do not say.
  package var reached: [Reached]?
  /// What the sweep was made on.
  package var dataset: CalibrationFile.Dataset

  /// A metric with some values, and with the defaults.
  package struct Reached: Sendable, Hashable, Codable {
    /// A value with its interval.
    package struct Figure: Sendable, Hashable, Codable {
      /// In the metric's unit; nil where it is undefined.
      @Nullable package var value: Double?
      /// Where it lies.
      package var interval: Interval

      /// Joins a value and its interval.
      package init(value: Double?, interval: Interval) {
        self.value = value
        self.interval = interval
      }
    }

    /// The metric's name in objectives.
    package var metric: String
    /// Heading for people.
    package var title: String
    /// The unit, or `1` for a plain ratio.
    package var unit: String
    /// Which way it improves.
    package var better: Direction
    /// The best value there is; set exactly where `better` is `closest`.
    package var target: Double?
    /// What it comes to with these values.
    package var here: Figure
    /// What it comes to with the defaults; nil if they were not tried.
    @Nullable package var atDefault: Figure?
    /// Whether these values are the defaults.
    package var isDefault: Bool

    /// Compares a metric with the defaults'.
    package init(_ metric: Sweep.Metric, here: Figure, atDefault: Figure?, isDefault: Bool) {
      (self.metric, title, unit, better) = (metric.name, metric.title, metric.unit, metric.better)
      target = metric.target
      self.here = here
      self.atDefault = atDefault
      self.isDefault = isDefault
    }
  }

  /// A rule of an expression with the threshold that follows from the sweep.
  package struct Expression: Sendable, Hashable, Codable {
    /// The rule's name.
    package var name: String
    /// The formula, as rules files write it.
    package var value: String
    /// Which side is active: `above` or `at_most`.
    package var side: String
    /// The threshold of the value.
    package var threshold: Double

    /// Joins a rule and its threshold.
    package init(name: String, value: String, side: String, threshold: Double) {
      self.name = name
      self.value = value
      self.side = side
      self.threshold = threshold
    }
  }

  /// Joins values and evidence.
  package init(
    values: [String: Double], swept: [String], expressions: [Expression]? = nil,
    objective: String?, verdict: String, warnings: [String] = [], metric: Double?,
    interval: Interval, reached: [Reached]? = nil, dataset: CalibrationFile.Dataset
  ) {
    self.values = values
    self.swept = swept
    self.expressions = expressions
    self.objective = objective
    self.verdict = verdict
    self.warnings = warnings
    self.metric = metric
    self.interval = interval
    self.reached = reached
    self.dataset = dataset
  }
}

extension CalibrationFile {
  package static let schemaName = "facegauge.calibration"
  package static let schemaVersion = 2
  package static let fileName = "calibration.json"
  package static let noun = "a calibration"

  package var firstProblem: JSONProblem? {
    var kinds: Set<String> = []
    for (index, score) in scores.enumerated() {
      let known = score.kind != nil
      guard known, kinds.insert(score.of).inserted else {
        return JSONProblem(
          position: "scores[\(index)].of",
          expected: known ? "each kind once" : "detection, presence or expression:NAME",
          found: known ? "\"\(score.of)\" again" : "\"\(score.of.prefix(60))\"")
      }
    }
    var names: Set<String> = []
    for (index, one) in thresholds.enumerated() {
      let position = "thresholds[\(index)]"
      guard names.insert(one.name).inserted else {
        return JSONProblem(
          position: "\(position).name", expected: "each name once",
          found: "\"\(one.name.prefix(60))\" again")
      }
      guard let rule = one.rule else {
        return JSONProblem(
          position: position,
          expected: "a name of letters, digits, '_' or '-', a formula, and above or at_most",
          found:
            "\"\(one.name.prefix(40))\", \"\(one.value.prefix(40))\", \"\(one.side.prefix(40))\"")
      }
      guard rule.threshold.isFinite else {
        return JSONProblem(
          position: "\(position).threshold", expected: "a finite number", found: "\(rule.threshold)"
        )
      }
    }
    if let blendshapes {
      let all =
        [("shared", blendshapes.shared)]
        + blendshapes.subjects.sorted { $0.key < $1.key }.map { ("subjects.\($0.key)", $0.value) }
      for case (let position, let correction?) in all {
        if let found = correction.unsound {
          return JSONProblem(
            position: "blendshapes.\(position.prefix(60))",
            expected: "blendshapes with offsets and rests within 10 and gains within 1000",
            found: found)
        }
      }
    }
    // Another tracker's scores, and values of expressions, have any scale.
    let rules = Set(settings?.expressions?.map { "expression:\($0.name)" } ?? [])
    for (name, value) in settings?.values.sorted(by: { $0.key < $1.key }) ?? [] {
      let range = tracker == nil && !rules.contains(name) ? 0...1e6 : -1e12...1e12
      guard !range.contains(value) else { continue }
      return JSONProblem(
        position: "settings.values.\(name.prefix(60))",
        expected: "\(range.lowerBound.plainText) to \(range.upperBound.plainText)",
        found: "\(value)")
    }
    return nil
  }
}

extension ExpressionThreshold {
  /// The rule with the recommended threshold; nil where the words are none.
  package var rule: ExpressionRule? {
    guard name.wholeMatch(of: /[A-Za-z0-9_\-]{1,40}/) != nil,
      let side = ExpressionRule.Side(rawValue: side),
      let formula = try? ExpressionFormula(parsing: value)
    else { return nil }
    return ExpressionRule(name, formula, threshold: threshold, side: side)
  }
}

extension BlendshapeCorrection {
  /// What cannot be a correction's; nil where all can.
  fileprivate var unsound: String? {
    let names = Set(Blendshape.names).subtracting([Blendshape.neutral.rawValue])
    for name in Set(channels.keys).union(rest.keys).sorted() where !names.contains(name) {
      return "\"\(name.prefix(60))\""
    }
    for (name, value) in rest.sorted(by: { $0.key < $1.key }) where !(abs(value) <= 10) {
      return "\(value) for \(name) at rest"
    }
    for (name, channel) in channels.sorted(by: { $0.key < $1.key }) {
      let isSound =
        abs(channel.offset) <= 10 && abs(channel.gain) <= 1000 && abs(channel.crosstalk) <= 1000
      if !isSound {
        return "\(channel.offset), \(channel.gain) and \(channel.crosstalk) for \(name)"
      }
      guard let shape = Blendshape(rawValue: name),
        channel.crosstalk == 0 || Self.otherSide[shape] != nil
      else { return "crosstalk for \(name), which has no other side" }
    }
    return nil
  }
}
