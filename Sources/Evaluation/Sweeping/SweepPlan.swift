package import Calibration
internal import Datasets
internal import FaceCore
internal import FacePipeline
package import Foundation
package import Metrics
internal import Records
internal import Synchronization

/// What a sweep is asked to do.
package struct SweepPlan: Sendable {
  /// Dataset, run folder, models and the settings that are not swept.
  package var evaluation: EvaluationPlan
  /// The numbers to vary.
  package var values: [SweptValues]
  /// Whether only one number at a time leaves its setting; else all combinations are tried.
  package var isOneAtATime = false
  /// What the recommended settings should reach; nil asks for the default one.
  package var objectives: [Objective] = []
  /// In how many folds a choice is evaluated on frames that it was not made on, 2 or more.
  package var folds = 5
  /// How intervals of choices come about.
  package var bootstrap = ClusterBootstrap(resamples: 200)

  /// The stored output of a run in image mode, which replaces inferences; nil for none.
  package var predictions: URL?

  /// Maximum number of settings in a sweep.
  package static let settingLimit = 20_000

  /// Plans a sweep.
  package init(_ evaluation: EvaluationPlan, values: [SweptValues]) {
    self.evaluation = evaluation
    self.values = values
  }

  /// Plans a sweep over the dataset and with the settings of a run; throws for another tracker's run.
  package init(ofRun url: URL, into run: URL, values: [SweptValues]) throws(EvaluationError) {
    do {
      let stored = try StoredRun(url)
      var evaluation = EvaluationPlan(dataset: try stored.dataset(nil), run: run)
      let predictions = url.appendingPathComponent("predictions.h5")
      let reader = try PredictionsReader(predictions)
      if let calibration = reader.header.options[AppliedCalibration.option] {
        throw EvaluationError(
          .wrongData,
          "cannot sweep \(url.relativePath): expected raw scores, found those of \(calibration) "
            + "(thresholds apply to raw scores: sweep the dataset, or a run without --calibration)")
      }
      let tracker = try PredictionOrigin(evaluation, predictions: reader)
      guard let detector = tracker.detector else {
        throw EvaluationError(
          .wrongData,
          "cannot sweep \(url.relativePath): expected a run of the pipeline, found the output of "
            + (reader.header.options[RunOption.tracker] ?? "another tracker"))
      }
      evaluation.settings = tracker.settings
      evaluation.detector = detector
      let model = reader.header.models.serving(.landmarks)?.name
      evaluation.landmarks = LandmarkVariant.allCases.first { $0.model.name == model }
      evaluation.rotationDegrees =
        reader.header.options[RunOption.rotation].flatMap { Int($0) } ?? 0
      self.init(evaluation, values: values)
      if evaluation.settings.runningMode == .image { self.predictions = predictions }
    } catch {
      throw EvaluationError(error)
    }
  }

  /// The stored predictions; nil for none. Throws where they are of another number of frames.
  func stored(for dataset: DatasetReader) throws -> SharedPredictions? {
    guard let predictions else { return nil }
    let reader = try PredictionsReader(predictions)
    guard reader.frameCount == dataset.frameCount else {
      throw EvaluationError(
        .wrongData,
        "cannot sweep over \(predictions.relativePath): expected \(dataset.frameCount) frames as in "
          + "\(dataset.url.relativePath), found \(reader.frameCount)")
    }
    return SharedPredictions(reader)
  }

  /// The values that the settings have where nothing is swept, in the order of the numbers.
  func defaults(landmarks: LandmarkVariant?) -> [Double] {
    values.map { $0.knob.value(in: evaluation.settings, landmarks: landmarks) }
  }

  /// One list of values per setting, in the order of the numbers; throws for too many.
  ///
  /// A grid also contains the default of each number, so the default is tried, and each value of one number with
  /// the defaults of the others.
  func settings(landmarks: LandmarkVariant?) throws(EvaluationError) -> [[Double]] {
    let base = defaults(landmarks: landmarks)
    let tried = zip(values, base).map { Set($0.values).union([$1]).sorted() }
    let count =
      isOneAtATime
      ? tried.reduce(0) { $0 + $1.count } : tried.reduce(1.0) { $0 * Double($1.count) }.clamped
    guard count <= Self.settingLimit else {
      throw EvaluationError(
        .wrongData,
        "cannot sweep \(values.map(\.knob.name).joined(separator: " and ")): expected at most "
          + "\(Self.settingLimit) settings, found \(count)")
    }
    guard isOneAtATime else {
      return tried.reduce([[]]) { settings, values in
        settings.flatMap { setting in values.map { setting + [$0] } }
      }
    }
    var settings: [[Double]] = []
    for (position, values) in tried.enumerated() {
      for value in values {
        var setting = base
        setting[position] = value
        if !settings.contains(setting) { settings.append(setting) }
      }
    }
    return settings
  }

  /// The options of a setting.
  func options(_ setting: [Double]) -> FaceLandmarkerOptions {
    var options = evaluation.settings
    for (values, value) in zip(values, setting) { values.knob.set(value, in: &options) }
    return options
  }
}

extension Double {
  /// A whole number, as large as one can be.
  fileprivate var clamped: Int { self < Double(Int32.max) ? Int(self) : Int(Int32.max) }
}

/// Predictions that any thread may read, one at a time.
final class SharedPredictions: Sendable {
  /// The file.
  let file: String
  /// Lowest score of the stored candidates.
  let candidateFloor: Double
  /// The models that made them.
  let models: [Record.Model]
  private let reader: Mutex<PredictionsReader>

  init(_ reader: sending PredictionsReader) {
    file = reader.url.relativePath
    candidateFloor = reader.header.candidateFloor
    models = reader.header.models.map { Record.Model($0) }
    self.reader = Mutex(reader)
  }

  /// The stored output for some frames.
  func predictions(_ range: Range<Int>) throws -> [FramePrediction] {
    try reader.withLock { try $0.predictions(range) }
  }
}
