internal import Calibration
internal import Datasets
internal import Digests
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Records

/// A calibration that predictions pass through on their way into `predictions.h5`.
///
/// Scores, presences and blendshapes of faces and detections are replaced; candidates stay as the net said them,
/// for thresholds keep their raw meaning and have been applied before.
struct AppliedCalibration: Sendable {
  let file: CalibrationFile
  let source: String
  private let sha256: String
  private let expressions: [(attribute: String, rule: ExpressionRule, calibrator: Calibrator)]

  /// The option that says in `predictions.h5` what was applied.
  static let option = "calibration"
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
      let kind = ScoreCalibration.expressionPrefix + threshold.name
      guard let rule = threshold.rule, let calibrator = file.calibrator(of: kind) else {
        return nil
      }
      return ("probability_\(threshold.name)", rule, calibrator)
    }
  }

  /// The map of detection scores.
  var detector: Calibrator? { file.calibrator(of: "detection") }

  /// What the record says of it.
  var note: String { "\(source) (SHA-256 \(sha256.prefix(12)))" }

  /// Throws where the nets, or the tracker, are not those that the file was made from.
  func check(models: [PredictionsHeader.Model], tracker: String?) throws(EvaluationError) {
    func refuse(_ what: String, _ expected: String, _ found: String) -> EvaluationError {
      EvaluationError(
        .wrongData,
        "cannot apply \(source): expected \(what) \(expected) that it was made from, found \(found)"
      )
    }
    guard tracker == file.tracker else {
      throw refuse("the tracker", file.tracker ?? "'facegauge'", tracker ?? "'facegauge'")
    }
    for stage in file.stages {
      let own = models.first { $0.stage == stage }
      guard let made = file.models.first(where: { $0.stage == stage }),
        own?.sha256 != made.sha256
      else { continue }
      throw refuse(
        "the \(stage) net",
        "\(made.name) (SHA-256 \(made.sha256.prefix(12)))",
        own.map { "\($0.name) (SHA-256 \($0.sha256.prefix(12)))" } ?? "none")
    }
  }

  /// The header of the calibrated file; throws where that of the raw one is calibrated already.
  func header(_ raw: PredictionsHeader) throws -> PredictionsHeader {
    if let earlier = raw.options[Self.option] {
      throw EvaluationError(
        .wrongData, "cannot apply \(source): expected raw scores, found those of \(earlier)")
    }
    var header = raw
    header.options[Self.option] = note
    if let detector {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      header.options[Self.detectorOption] = String(
        decoding: try encoder.encode(detector), as: UTF8.self)
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
      throw EvaluationError(
        .wrongData,
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
          throw EvaluationError(
            .wrongData,
            "cannot apply \(source): expected the rule '\(rule.name)' to be \(found.side) of "
              + "\(found.value), found \(rule.side.rawValue) of \(rule.formula)")
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
    let presence = file.calibrator(of: "presence")
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
        face.attributes[attribute] = calibrator.calibrated(
          rule.side == .above ? value : 1 - value)
      }
      return face
    }
    prediction.faces = raw.faces.map(face)
    prediction.rejected = raw.rejected.map(face)
    return prediction
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
