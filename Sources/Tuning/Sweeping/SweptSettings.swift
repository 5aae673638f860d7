package import Calibration
internal import FaceCore
internal import FacePipeline
package import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running
internal import Scoring

/// The settings that a sweep recommends, on their way into a calibration, and those that it tried.
package enum SweptSettings {
  /// A calibration that holds only settings of a sweep's folder.
  ///
  /// Those are the recommended ones, else the default; `setting` asks for another by its position. Throws where there
  /// are none, and for a folder of another kind.
  package static func calibration(
    of sweep: URL, setting: Int? = nil
  ) throws(EvaluationError) -> CalibrationFile {
    try EvaluationError.wrapping {
      try Reader(try StoredRun(sweep).record, source: sweep.relativePath).calibration(setting)
    }
  }

  /// The same of many settings of one sweep. What follows from its objectives is found once for all: that takes a time
  /// that grows with their number.
  package struct Reader: Sendable {
    private let record: Record
    private let source: String
    private let met: Met?

    /// Reads a sweep's record, which `source` names in errors.
    package init(_ record: Record, source: String) {
      self.record = record
      self.source = source
      met = record.sweep.flatMap { SweptSettings.following(in: $0) }
    }

    /// The settings at a position, or those that follow, else the default.
    package func calibration(_ setting: Int? = nil) throws(EvaluationError) -> CalibrationFile {
      var file = CalibrationFile(
        tool: record.tool, created: record.created, dataset: record.summary,
        tracker: record.options[RunOption.tracker], models: record.models, options: record.options)
      file.settings = try SweptSettings.settings(
        of: record, met, at: setting, source: source, orDefault: true)
      return file
    }
  }

  /// An objective that some setting meets, and what follows from it.
  private typealias Met = (advice: Sweep.Advice, verdict: Sweep.Verdict)

  /// The first objective that some setting meets; nil where there is none.
  private static func following(in sweep: Sweep) -> Met? {
    sweep.advice.lazy.compactMap { advice in
      sweep.verdict(of: advice).map { (advice: advice, verdict: $0) }
    }.first { sweep.columns[$0.advice.metric]?[$0.verdict.setting] ?? nil != nil }
  }

  /// Options in which a sweep must be like the run that is calibrated.
  private static let shared = [
    RunOption.mode, PipelineSetting.numFaces, RunOption.compatibility, RunOption.detector,
    RunOption.rotation, RunOption.minDecodedSide,
  ]

  /// Reads the settings that follow from the first objective of a sweep's folder that some setting meets.
  ///
  /// Throws where there is none, and for a sweep of another dataset, another tracker, of other models or in another
  /// mode than those of the calibration.
  static func recommended(
    by url: URL, for file: CalibrationFile
  ) throws -> RecommendedSettings {
    let record = try StoredRun(url).record
    func wrong(_ expected: String, _ found: String) -> EvaluationError {
      .unusable(url.relativePath, expected, found)
    }
    guard record.sweep != nil else { throw wrong("a sweep", "a run of another kind") }
    let tracker = record.options[RunOption.tracker]
    guard tracker == file.tracker else {
      func words(_ tracker: String?) -> String {
        tracker.map { "the output of \($0)" } ?? "a run of the pipeline"
      }
      throw wrong("a sweep of \(words(file.tracker))", words(tracker))
    }
    guard record.dataset.sha256 == file.dataset.sha256 else {
      throw wrong(
        "a sweep over the dataset of the run, SHA-256 \(file.dataset.sha256.prefix(12))…",
        "\(record.dataset.name), SHA-256 \(record.dataset.sha256.prefix(12))…")
    }
    for name in shared where record.options[name] != file.options[name] {
      throw wrong(
        "\(name) \(file.options[name] ?? "none") as in the run", record.options[name] ?? "none")
    }
    for model in record.models {
      guard let own = file.models.first(where: { $0.stage == model.stage }),
        own.sha256 != model.sha256
      else { continue }
      throw wrong(
        "the \(own.stage) model of the run, \(own.name) (SHA-256 \(own.sha256.prefix(12)))",
        "\(model.name) (SHA-256 \(model.sha256.prefix(12)))")
    }
    return try settings(
      of: record, record.sweep.flatMap { following(in: $0) }, at: nil, source: url.relativePath,
      orDefault: false)
  }

  /// The settings at a position; for nil those that follow from the first objective which some setting meets, or, if
  /// they may be, the defaults.
  private static func settings(
    of record: Record, _ met: Met?, at position: Int?, source: String, orDefault: Bool
  ) throws(EvaluationError) -> RecommendedSettings {
    guard let sweep = record.sweep else {
      throw .unusable(source, "a sweep", "a run of another kind")
    }
    let count = sweep.settings.count
    if let position, !sweep.settings.indices.contains(position) {
      throw .unusable(source, "a setting from 0 to \(count - 1)", "\(position)")
    }
    let advice = met?.advice ?? sweep.advice.first
    let why = advice == nil ? "the sweep has no objective" : advice?.reason ?? "no recommendation"
    let fallback = orDefault ? sweep.defaultSetting : nil
    guard let setting = position ?? met?.verdict.setting ?? fallback else {
      throw .unusable(
        source, "a recommended setting" + (orDefault ? ", or one by its number (--setting)" : ""),
        advice == nil ? "none: \(why)" : why)
    }
    var warnings: [String] = []
    if let met, met.verdict.setting != setting {
      warnings.append(
        "this is setting \(setting) of \(count), the verdict is on setting \(met.verdict.setting)")
    }
    if let advice, let objective = try? Objective(parsing: advice.objective) {
      warnings += objective.brokenLimits { sweep.columns[$0]?[setting] ?? nil }.map { limit in
        let value = sweep.columns[limit.metric]?[setting] ?? nil
        return "with these settings \(limit.metric) is "
          + (value?.shortText(significantDigits: 4) ?? "undefined")
          + ", which breaks the limit \(limit)"
      }
    }
    warnings += advice.map { told(of: $0, at: setting, in: sweep) } ?? []
    let reached = reached(
      in: record, sweep, at: setting, for: advice, advised: met?.verdict.setting)
    let goal = reached.first { $0.metric == advice?.metric }
    return RecommendedSettings(
      values: try values(of: sweep, at: setting, record, source),
      swept: sweep.parameters.map(\.name), expressions: expressions(of: sweep, at: setting),
      objective: advice?.objective,
      verdict: met?.verdict.text
        ?? "no setting is recommended: \(why)"
        + (setting == sweep.defaultSetting ? "; this is the default" : ""),
      warnings: warnings, metric: goal?.here.value,
      interval: goal?.here.interval ?? .none("no metric was optimised"), reached: reached,
      dataset: record.summary)
  }

  /// The warnings of an objective; where the setting is not the best one, they name that.
  private static func told(
    of advice: Sweep.Advice, at setting: Int, in sweep: Sweep
  ) -> [String] {
    guard let best = advice.setting, best != setting, sweep.settings.indices.contains(best) else {
      return advice.warnings
    }
    let values = zip(sweep.parameters, sweep.settings[best]).map { "\($0.name) \($1.plainText)" }
    let words = "of the best on this data, \(values.joined(separator: ", "))"
    return advice.warnings.map { "\(words): \($0)" }
  }

  /// The objective's metric and F1, at a setting and at the default.
  private static func reached(
    in record: Record, _ sweep: Sweep, at setting: Int, for advice: Sweep.Advice?, advised: Int?
  ) -> [RecommendedSettings.Reached] {
    func figure(_ metric: String, at setting: Int) -> RecommendedSettings.Reached.Figure {
      let measured =
        setting == advised
        ? record.measurements.first { $0.name == "sweep.recommended.\(metric)" } : nil
      let column = sweep.intervals?[metric] ?? []
      let ends = column.indices.contains(setting) ? column[setting] ?? [] : []
      let interval =
        ends.count == 2
        ? Interval(low: ends[0], high: ends[1], method: "bootstrap of this setting") : nil
      return .init(
        value: sweep.columns[metric]?[setting] ?? nil,
        interval: measured?.interval ?? interval
          ?? .none("the sweep has none for this setting"))
    }
    let f1 = MetricCatalog.alias(of: FaceOperatingPoint.f1.name)
    let metrics = [advice?.metric, f1 == advice?.metric ? nil : f1].compactMap { name in
      sweep.metrics.first { $0.name == name }
    }
    return metrics.map { metric in
      .init(
        metric, here: figure(metric.name, at: setting),
        atDefault: sweep.defaultSetting.map { figure(metric.name, at: $0) },
        isDefault: setting == sweep.defaultSetting)
    }
  }

  /// The rules whose thresholds were swept; nil without any.
  private static func expressions(
    of sweep: Sweep, at setting: Int
  ) -> [RecommendedSettings.Expression]? {
    let rules = zip(sweep.parameters, sweep.settings[setting]).compactMap { parameter, value in
      parameter.rule.map {
        RecommendedSettings.Expression(
          name: String(parameter.name.dropFirst(SweepParameter.expressionPrefix.count)),
          value: $0.value,
          side: $0.side, threshold: value)
      }
    }
    return rules.isEmpty ? nil : rules
  }

  /// All settings as one setting of a sweep had them, by option name; of another tracker those that it has.
  private static func values(
    of sweep: Sweep, at setting: Int, _ record: Record, _ source: String
  ) throws(EvaluationError) -> [String: Double] {
    let swept = Dictionary(zip(sweep.parameters.map(\.name), sweep.settings[setting])) { first, _ in
      first
    }
    var values = swept
    for setting in PipelineSetting.all where swept[setting.name] == nil {
      let text = record.options[setting.name]
      var options = FaceLandmarkerOptions()
      if record.options[RunOption.tracker] != nil {
        if let value = text.flatMap(Double.init) { values[setting.name] = value }
        continue
      }
      guard let text, setting.read(text, into: &options) else {
        throw .unusable(source, "a number for \(setting.name) among its options", text ?? "none")
      }
      let model = record.models.serving(.landmarks)?.name
      values[setting.name] = setting.value(
        in: options, landmarks: LandmarkVariant.allCases.first { $0.model.name == model })
    }
    return values
  }
}

extension RecommendedSettings {
  /// The report's text about them: the verdict and the warnings.
  var notes: [String] {
    ["Settings\(objective.map { ", by '\($0)'" } ?? ""): \(verdict)."]
      + warnings.map { "Settings, warning: \($0)." }
  }
}

extension Record {
  /// The dataset as calibrations name it.
  fileprivate var summary: CalibrationFile.Dataset {
    .init(name: dataset.name, sha256: dataset.sha256, frames: dataset.frames)
  }
}

extension EvaluationError {
  fileprivate static func unusable(
    _ source: String, _ expected: String, _ found: String
  ) -> EvaluationError {
    EvaluationError.wrongData(
      "cannot take settings from \(source): expected \(expected), found \(found)")
  }
}
