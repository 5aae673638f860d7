package import Calibration
internal import FaceCore
internal import FacePipeline
package import Foundation
internal import Records
package import Running
internal import Scoring

/// The settings that a sweep recommends, on their way into a calibration.
package enum SweptSettings {
  /// A calibration that holds only the settings which a sweep's folder recommends.
  ///
  /// Throws where there are none, as `recommended` does, and for a folder of another kind.
  package static func calibration(of sweep: URL) throws(EvaluationError) -> CalibrationFile {
    do {
      let record = try StoredRun(sweep).record
      var file = CalibrationFile(
        tool: record.tool, created: record.created,
        dataset: .init(
          name: record.dataset.name, sha256: record.dataset.sha256, frames: record.dataset.frames),
        tracker: record.options[RunOption.tracker], models: record.models, options: record.options)
      file.settings = try recommended(by: sweep, for: file)
      return file
    } catch {
      throw EvaluationError(error)
    }
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
    let stored = try StoredRun(url)
    func wrong(_ expected: String, _ found: String) -> EvaluationError {
      EvaluationError(
        .wrongData,
        "cannot take settings from \(url.relativePath): expected \(expected), found \(found)")
    }
    guard let sweep = stored.record.sweep else { throw wrong("a sweep", "a run of another kind") }
    let tracker = stored.record.options[RunOption.tracker]
    guard tracker == file.tracker else {
      func words(_ tracker: String?) -> String {
        tracker.map { "the output of \($0)" } ?? "a run of the pipeline"
      }
      throw wrong("a sweep of \(words(file.tracker))", words(tracker))
    }
    guard stored.record.dataset.sha256 == file.dataset.sha256 else {
      throw wrong(
        "a sweep over the dataset of the run, SHA-256 \(file.dataset.sha256.prefix(12))…",
        "\(stored.record.dataset.name), SHA-256 \(stored.record.dataset.sha256.prefix(12))…")
    }
    let options = stored.record.options
    for name in shared where options[name] != file.options[name] {
      throw wrong(
        "\(name) \(file.options[name] ?? "none") as in the run", options[name] ?? "none")
    }
    for model in stored.record.models {
      guard let own = file.models.first(where: { $0.stage == model.stage }),
        own.sha256 != model.sha256
      else { continue }
      throw wrong(
        "the \(own.stage) model of the run, \(own.name) (SHA-256 \(own.sha256.prefix(12)))",
        "\(model.name) (SHA-256 \(model.sha256.prefix(12)))")
    }
    for advice in sweep.advice {
      guard let verdict = sweep.verdict(of: advice),
        let value = sweep.columns[advice.metric]?[verdict.setting] ?? nil
      else { continue }
      let measured = stored.record.measurements.first {
        $0.name == "sweep.recommended.\(advice.metric)"
      }
      return RecommendedSettings(
        values: try values(of: sweep, at: verdict.setting, stored.record, wrong),
        swept: sweep.parameters.map(\.name),
        expressions: expressions(of: sweep, at: verdict.setting),
        objective: advice.objective, verdict: verdict.text,
        warnings: advice.warnings, metric: value,
        interval: measured?.interval ?? .none("the sweep has none for this setting"),
        dataset: CalibrationFile.Dataset(
          name: stored.record.dataset.name, sha256: stored.record.dataset.sha256,
          frames: stored.record.dataset.frames))
    }
    throw wrong(
      "a recommended setting", sweep.advice.first?.reason ?? "no recommendation")
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
    of sweep: Sweep, at setting: Int, _ record: Record,
    _ wrong: (_ expected: String, _ found: String) -> EvaluationError
  ) throws -> [String: Double] {
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
        throw wrong("a number for \(setting.name) among its options", text ?? "none")
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
    ["Settings, by '\(objective)': \(verdict)."] + warnings.map { "Settings, warning: \($0)." }
  }
}
