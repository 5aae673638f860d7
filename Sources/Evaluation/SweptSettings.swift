internal import Calibration
internal import Foundation
internal import Records

/// The settings that a sweep recommends, on their way into a calibration.
enum SweptSettings {
  /// Reads the first recommendation of a sweep's folder that has a setting.
  ///
  /// Throws where there is none, and for a sweep of other nets than `models`.
  static func recommended(
    by url: URL, models: [Record.Model]
  ) throws -> RecommendedSettings {
    let stored = try StoredRun(url)
    func wrong(_ expected: String, _ found: String) -> EvaluationError {
      EvaluationError(
        .wrongData,
        "cannot take settings from \(url.relativePath): expected \(expected), found \(found)")
    }
    guard let sweep = stored.record.sweep else { throw wrong("a sweep", "a run of another kind") }
    for model in stored.record.models {
      guard let own = models.first(where: { $0.stage == model.stage }), own.sha256 != model.sha256
      else { continue }
      throw wrong(
        "the \(own.stage) net of the run, \(own.name) (SHA-256 \(own.sha256.prefix(12)))",
        "\(model.name) (SHA-256 \(model.sha256.prefix(12)))")
    }
    for advice in sweep.advice where advice.setting != nil {
      guard let figure = advice.figures.first(where: { $0.name == advice.figure }),
        let value = figure.value
      else { continue }
      return RecommendedSettings(
        values: Dictionary(advice.knobs.map { ($0.name, $0.value) }) { first, _ in first },
        objective: advice.objective, figure: value, interval: figure.interval,
        dataset: CalibrationFile.Dataset(
          name: stored.record.dataset.name, sha256: stored.record.dataset.sha256,
          frames: stored.record.dataset.frames))
    }
    throw wrong(
      "a recommended setting", sweep.advice.first?.reason ?? "no recommendation")
  }
}
