internal import Calibration
internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
internal import Running

/// A calibration that predictions pass through on their way into `predictions.h5`.
///
/// Scores, presences and blendshapes of faces and detections are replaced; candidates stay raw,
/// for thresholds keep their raw meaning and have been applied before.
package struct AppliedCalibration: Sendable {
  let file: CalibrationFile
  let source: String
  private let sha256: String
  private let expressions: [(attribute: String, rule: ExpressionRule, calibrator: Calibrator)]

  /// The option in `predictions.h5` that names the applied calibration.
  package static let option = "calibration"
  /// The option that holds the map of detection scores as JSON.
  static let detectorOption = "calibration-of-detections"

  /// Reads a file; throws where it is none.
  init(_ url: URL) throws {
    let bytes = try InputFile.bytes(of: url)
    let file = try CalibrationFile(json: bytes, source: url.relativePath)
    self.file = file
    source = url.lastPathComponent
    sha256 = try SHA256.hexadecimal(of: bytes)
    expressions = file.thresholds.compactMap { threshold in
      guard let rule = threshold.rule,
        let calibrator = file.calibrator(of: .expression(threshold.name))
      else { return nil }
      return ("probability_\(threshold.name)", rule, calibrator)
    }
  }

  /// The map of detection scores.
  var detector: Calibrator? { file.calibrator(of: .detection) }

  /// The record's facts about it.
  var note: String { "\(source) (SHA-256 \(sha256.prefix(12)))" }

  /// Throws where the models, or the tracker, are not those that the file was made from.
  func check(models: [PredictionsHeader.Model], tracker: String?) throws(EvaluationError) {
    func refuse(_ what: String, _ expected: String, _ found: String) -> EvaluationError {
      EvaluationError.wrongData(
        "cannot apply \(source): expected \(what) \(expected) that it was made from, found \(found)"
      )
    }
    guard tracker == file.tracker else {
      throw refuse("the tracker", file.tracker ?? "'facegauge'", tracker ?? "'facegauge'")
    }
    for part in file.stages {
      let own = models.serving(part)
      guard let made = file.models.serving(part), own?.sha256 != made.sha256 else { continue }
      throw refuse(
        "the \(part.rawValue) model",
        "\(made.name) (SHA-256 \(made.sha256.prefix(12)))",
        own.map { "\($0.name) (SHA-256 \($0.sha256.prefix(12)))" } ?? "none")
    }
  }

  /// The header of the calibrated file; throws where that of the raw one is calibrated already.
  func header(_ raw: PredictionsHeader) throws -> PredictionsHeader {
    if let earlier = raw.options[Self.option] {
      throw EvaluationError.wrongData(
        "cannot apply \(source): expected raw scores, found those of \(earlier)")
    }
    var header = raw
    header.options[Self.option] = note
    if let detector {
      header.options[Self.detectorOption] = String(
        decoding: try JSONEncoder.line.encode(detector), as: UTF8.self)
    }
    return header
  }

  /// The map of detection scores that a header holds; throws `.wrongData` for something else.
  static func detector(
    of header: PredictionsHeader, in file: String
  ) throws(EvaluationError) -> Calibrator? {
    guard let text = header.options[detectorOption] else { return nil }
    guard let calibrator = try? JSONDecoder().decode(Calibrator.self, from: Data(text.utf8))
    else {
      throw EvaluationError.wrongData(
        "cannot read attribute 'options' of '/' in \(file): expected a calibrator in "
          + "\(detectorOption), found \"\(text.prefix(40))\"")
    }
    return calibrator
  }

  /// The rules with the recommended thresholds; throws where a rule has another formula than the file's.
  func rules(_ rules: ExpressionRules) throws(EvaluationError) -> ExpressionRules {
    ExpressionRules(
      try rules.rules.map { (rule) throws(EvaluationError) in
        guard let found = file.thresholds.first(where: { $0.name == rule.name }),
          let better = found.rule
        else { return rule }
        guard better.formula == rule.formula, better.side == rule.side else {
          throw EvaluationError.wrongData(
            "cannot apply \(source): expected the rule '\(rule.name)' with '\(found.side)' and "
              + "value \(found.value), found '\(rule.side.rawValue)' and value \(rule.formula)")
        }
        return ExpressionRule(
          rule.name, rule.formula, threshold: better.threshold, side: rule.side,
          words: rule.words.sorted())
      })
  }

  /// A frame's prediction with calibrated numbers; `subject` is who is seen, empty where unknown.
  func applied(to raw: FramePrediction, subject: String) -> FramePrediction {
    var prediction = raw
    if let detector {
      for index in raw.detections.indices {
        prediction.detections[index].score = detector.calibrated(raw.detections[index].score)
      }
    }
    let correction = file.blendshapes?.correction(of: subject)
    let presence = file.calibrator(of: .presence)
    func face(_ raw: FacePrediction) -> FacePrediction {
      var face = raw
      if let detector {
        face.detectionScore = raw.detectionScore.map { Float(detector.calibrated(Double($0))) }
      }
      if let presence {
        face.presence = raw.presence.map { Float(presence.calibrated(Double($0))) }
      }
      if let correction { face.blendshapes = raw.blendshapes.map(correction.corrected) }
      for (attribute, rule, calibrator) in expressions {
        guard let value = face.blendshapes.flatMap(rule.formula.value) else { continue }
        face.attributes[attribute] = calibrator.calibrated(rule.side == .above ? value : 1 - value)
      }
      return face
    }
    prediction.faces = raw.faces.map(face)
    prediction.rejected = raw.rejected.map(face)
    return prediction
  }

  /// The map of a dataset's predictions.
  func map(of dataset: DatasetReader) -> PredictionPass.Map {
    { try applied(to: $0, of: dataset) }
  }

  /// The predictions of consecutive frames with calibrated numbers.
  func applied(
    to predictions: [FramePrediction], of dataset: DatasetReader
  ) throws -> [FramePrediction] {
    guard let first = predictions.first else { return [] }
    let frames = try dataset.frames(first.frame..<first.frame + predictions.count)
    return zip(predictions, frames).map { prediction, frame in
      applied(to: prediction, subject: dataset.sequence(frame.sequence)?.subject ?? "")
    }
  }
}

extension AppliedCalibration {
  /// What a reader must know of metrics on the data that the calibration was fitted on.
  struct HeldOut {
    /// One sentence, with the held-out metrics.
    var warning: String
    /// The metrics of the run and the held-out ones (`calibration.held_out`).
    var table: Series
  }

  /// The held-out metrics and those of a record; nil if the calibration was fitted on other frames.
  func heldOut(
    on dataset: DatasetReader, sha256: String, comparedWith record: Record, monitor: RunMonitor
  ) throws -> HeldOut? {
    guard let fitted = try fitted(of: dataset, sha256: sha256, monitor: monitor) else { return nil }
    var rows: [(what: String, here: Double?, heldOut: Double?, how: String)] = []
    for score in file.scores {
      let (name, how) = (score.of, "\(score.folds) folds")
      rows += [
        ("\(name) ECE", record.value("\(name).ece"), score.after.expectedError, how),
        ("\(name) Brier score", record.value("\(name).brier"), score.after.brierScore, how),
      ]
    }
    rows += file.thresholds.map {
      ("\($0.name), \($0.objective)", $0.metric, $0.heldOut, "folds of the calibration")
    }
    if let blendshapes = file.blendshapes {
      let how =
        blendshapes.folds == 0
        ? "nothing was held out" : "\(blendshapes.folds) folds of \(blendshapes.heldOut)"
      let after = blendshapes.after
      rows += [
        (
          "blendshapes MAE", record.value(MetricName.coefficientError), after?.meanAbsoluteError,
          how
        ),
        (
          "blendshapes CCC", record.value(MetricName.coefficientConcordance), after?.concordance,
          how
        ),
      ]
    }
    guard !rows.isEmpty else { return nil }
    let known = rows.compactMap { row in row.heldOut.map { "\(row.what) \($0.text(decimals: 3))" } }
    return HeldOut(
      warning:
        "WARNING: \(source) was fitted on \(fitted): the metrics of its scores, thresholds "
        + "and blendshapes look better here than they are. Held out: "
        + (known.isEmpty ? "nothing." : known.joined(separator: ", ") + "."),
      table: Series(
        name: "calibration.held_out",
        title: "Calibrated on the same data: metrics of this run and held out",
        columns: ["metric", "this run, on the data of the fit", "held out", "how"],
        rows: rows.map { [$0.what, Self.text($0.here), Self.text($0.heldOut), $0.how] }))
  }

  /// Warns where faces are seen under other conditions than those of the prompts; nil where they are not, or without
  /// prompts.
  func conditionsWarning(
    _ predictions: PredictionsReader, of dataset: DatasetReader, monitor: RunMonitor
  ) throws -> String? {
    guard let sessions = file.sessions, !sessions.isEmpty else { return nil }
    var counts = FaceConditions.Counts()
    for range in try PredictionPass.ranges(of: 0..<dataset.frameCount, nil, [predictions]) {
      try monitor.check("while comparing conditions")
      for prediction in try predictions.predictions(range) {
        for face in prediction.faces { counts.add(face) }
      }
    }
    let differences = counts.conditions.differences(from: sessions.map(\.conditions))
    return differences.isEmpty
      ? nil
      : "WARNING: \(source) was made from prompts under other conditions: "
        + differences.joined(separator: "; ") + "."
  }

  /// What of a dataset the calibration was fitted on, as a phrase; nil for none of it.
  private func fitted(
    of dataset: DatasetReader, sha256: String, monitor: RunMonitor
  ) throws -> String? {
    if file.dataset.sha256 == sha256 { return "this dataset" }
    guard let fitted = file.dataset.sketch else { return nil }
    let overlap = try monitor.sketch(of: dataset).overlap(with: fitted)
    guard overlap.shared > 0 else { return nil }
    let sample = overlap.isWhole ? "different frames" : "frames in a random sample"
    return "\(overlap.shared) of the \(overlap.sampled) \(sample) of this dataset"
  }

  private static func text(_ value: Double?) -> String { value?.text(decimals: 3) ?? "–" }
}

extension Record {
  /// The value of a measurement over the whole dataset; nil where there is none.
  fileprivate func value(_ name: String) -> Double? {
    measurements.first { $0.name == name && $0.slice == nil }?.value
  }
}
