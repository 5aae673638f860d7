internal import Calibration
internal import FacePipeline
internal import Foundation
internal import Platform
internal import Records

/// Settings with their evidence as JSON, for any program: those that follow from a sweep, else those of the run.
struct SettingsDocument: Encodable {
  let schema = "facegauge.settings"
  let version = 1
  let tool: Record.Tool
  let created: String
  let dataset: CalibrationFile.Dataset
  /// The tracker; nil for the pipeline of this program.
  let tracker: String?
  let models: [Record.Model]
  /// By option name without dashes.
  let settings: [String: Double]
  let swept: [String]
  let expressions: [RecommendedSettings.Expression]
  /// The metrics at these settings and at the defaults, in a sentence and in numbers; nil without a sweep.
  let evidence: String?
  let reached: [RecommendedSettings.Reached]?
  let objective: String?
  let verdict: String?
  let warnings: [String]
  let metric: Double?
  let interval: Interval?

  init(_ file: CalibrationFile) {
    tool = file.tool
    created = file.created
    tracker = file.tracker
    models = file.models
    let own = file.settings
    dataset = own?.dataset ?? file.dataset
    var values: [String: Double] =
      own?.values
      ?? file.options.filter { PipelineSetting.named($0.key) != nil }
      .compactMapValues(Double.init)
    for one in file.refitted {
      values[SweepParameter.expressionPrefix + one.name] = one.threshold
    }
    settings = values
    swept = own?.swept ?? []
    let fitted = file.thresholds.map {
      RecommendedSettings.Expression(
        name: $0.name, value: $0.value, side: $0.side, threshold: $0.threshold)
    }
    let names = Set(fitted.map(\.name))
    expressions = fitted + (own?.expressions ?? []).filter { !names.contains($0.name) }
    evidence = own.map { "\($0.evidence)." }
    reached = own?.reached
    objective = own?.objective
    verdict = own?.verdict
    warnings = (own?.warnings ?? []) + [file.refitting].compactMap(\.self)
    metric = own?.metric
    interval = own?.interval
  }

  /// The document with sorted keys; throws where a number is not finite.
  func text() throws(CalibrationError) -> String {
    do {
      return String(decoding: try JSONEncoder.document.bytes(of: self), as: UTF8.self)
    } catch {
      throw .unemittable(
        SettingsLanguage.json.rawValue, expected: "finite numbers", found: "\(error)")
    }
  }
}
