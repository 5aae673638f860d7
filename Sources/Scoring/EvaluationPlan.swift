internal import Datasets
package import Foundation
package import Metrics
internal import Platform
package import Running

/// What an evaluation is asked to do: a run, and how its predictions are scored.
@dynamicMemberLookup
package struct EvaluationPlan: Sendable {
  /// The run.
  package var running: RunPlan
  /// Predictions to evaluate instead of running the pipeline; nil means to run it.
  package var predictions: URL?
  /// Whether the minimum score was asked for, which predictions of the pipeline have passed already.
  package var isMinScoreGiven = false
  /// A tracker that runs instead of the pipeline, seeded with labels; nil means the pipeline.
  package var tracker: SeededTracker?
  /// Parts of a run that are joined instead of running the pipeline; nil means to run it.
  package var shards: ShardFolder?
  /// The limits to evaluate by; nil means none.
  package var gates: URL?
  /// The run that gates measure changes against, a folder or its record; nil means none.
  package var base: URL?
  /// Rules of expressions instead of the built-in ones; nil means those.
  package var expressions: URL?
  /// How labelled numbers are compared with predicted ones; nil means as numbers, by the names that both share.
  package var attributes: URL?
  /// How metrics get their intervals.
  package var bootstrap = ClusterBootstrap()
  /// How labelled faces and predictions become the pairs whose landmarks and attributes are compared.
  package var pairing = FacePairing.overlap
  /// A metric of a slice with a smaller n is suppressed, 1 or more.
  package var minSliceCount = 30
  /// How many frames are scored in one go, at least; it changes no number.
  package var scoringPart = 512
  /// How many detections of an image count in average precision, 100 or more.
  package var maxDetections = COCODetection.defaultMaxDetections
  /// A calibration that the predictions pass through; nil means none.
  package var calibration: URL?
  /// Names of findings that a person has looked at; gates then decide in spite of them.
  package var accepted: [String] = []
  /// How many images the gallery shows.
  package var galleryCount = 12

  /// Plans an evaluation with default settings.
  package init(dataset: URL, run: URL) { running = RunPlan(dataset: dataset, run: run) }

  /// A part of the run's plan.
  package subscript<Value>(dynamicMember path: WritableKeyPath<RunPlan, Value>) -> Value {
    get { running[keyPath: path] }
    set { running[keyPath: path] = newValue }
  }

  /// Lowest score that takes part in average precision.
  static let averagePrecisionFloor = 0.05

  /// The option that sets how many detections of an image count in average precision.
  static let maxDetectionsOption = "max-detections"

  /// The option that names a file of rules of expressions.
  static let expressionsOption = "expressions"

  /// All settings of the run, by option name.
  var options: [String: String] {
    running.predictionOptions.merging(
      [
        "jobs": "\(running.jobs)",
        "max-bad-frames": "\(running.maxBadFrames)",
        "resamples": "\(bootstrap.resamples)",
        "seed": "\(bootstrap.seed)",
        "min-slice": "\(minSliceCount)",
        Self.maxDetectionsOption: "\(maxDetections)",
      ]
    ) { $1 }
  }

  /// Reads the rules of expressions and attributes, the calibration and the gates.
  func inputs(
    _ dataset: DatasetReader
  ) throws -> (
    rules: ExpressionRules?, attributes: AttributeRules, calibration: AppliedCalibration?,
    gates: GateInputs?
  ) {
    let given = try ExpressionRules.read(expressions)
    let calibration = try calibration.map { try AppliedCalibration($0) }
    let stored = try predictions.map { [try PredictionsReader($0)] } ?? []
    let attributes = try AttributeRules.of(attributes, dataset: dataset, predictions: stored)
    let gates = try gates.map {
      try GateInputs(
        $0, base: base, rules: given ?? .builtIn, attributes: attributes,
        stages: stored.flatMap(\.header.stages))
    }
    let calibrated = try calibration.map { try $0.rules(given ?? .builtIn) } ?? given
    // A calibration without thresholds of expressions leaves the rules that are built in.
    let rules = given == nil && calibrated == .builtIn ? nil : calibrated
    return (rules, attributes, calibration, gates)
  }
}
