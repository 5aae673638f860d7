package import Calibration
internal import Datasets
internal import FaceCore
internal import FacePipeline
package import Foundation
package import Metrics
internal import Platform
internal import Records
package import Running
package import Scoring
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
  /// How often what was done is kept for '--resume'.
  package var checkpointInterval = Duration.seconds(30)

  /// The stored output of a run, which replaces inferences; nil for none.
  package var predictions: URL?
  /// Whether models run for what the stored output lacks; else settings apply to the stored faces alone.
  package private(set) var runsModels = true
  /// What the tracker provides.
  private(set) var facts = Set(TrackerFact.allCases)
  /// What is suspect about the run that is swept, where its predictions are not checked again; none or one.
  package private(set) var cautions: [String] = []
  /// The rules of expressions whose thresholds can be varied.
  package var rules = ExpressionRules.builtIn

  /// Maximum number of settings in a sweep.
  package static let settingLimit = 20_000

  /// Plans a sweep.
  package init(_ evaluation: EvaluationPlan, values: [SweptValues]) {
    self.evaluation = evaluation
    self.values = values
  }

  /// Plans a sweep over the dataset and with the settings of a run.
  package init(ofRun url: URL, into run: URL, values: [SweptValues]) throws(EvaluationError) {
    do {
      let stored = try StoredRun(url)
      var evaluation = EvaluationPlan(dataset: try stored.dataset(nil), run: run)
      let options = stored.record.options
      if let score = options[PipelineSetting.detectionConfidence].flatMap(Double.init) {
        evaluation.settings.minFaceDetectionConfidence = score
      }
      evaluation.pairing = try FacePairing(options: options, of: url.relativePath)
      evaluation.accepted = stored.accepted
      try self.init(
        evaluation, predictions: url.appendingPathComponent("predictions.h5"), values: values)
      cautions = predictions == nil ? stored.cautions : []
    } catch {
      throw EvaluationError(error)
    }
  }

  /// Plans a sweep over stored predictions of a dataset, with the settings that they were made with.
  ///
  /// Of another tracker's predictions the plan's minimum score is the default. Throws for calibrated scores, and
  /// for settings that have no effect on stored faces.
  package init(
    _ evaluation: EvaluationPlan, predictions url: URL, values: [SweptValues]
  ) throws(EvaluationError) {
    do {
      var evaluation = evaluation
      let reader = try PredictionsReader(url)
      let header = reader.header
      if let calibration = header.options[AppliedCalibration.option] {
        throw EvaluationError.wrongData(
          "cannot sweep \(url.relativePath): expected raw scores, found those of \(calibration) "
            + "(thresholds apply to raw scores: sweep the dataset, or a run without --calibration)")
      }
      let origin = try PredictionOrigin(evaluation, predictions: reader)
      evaluation.settings = origin.settings
      if let detector = origin.detector {
        let model = header.models.serving(.landmarks)?.name
        let own = [RunOption.detectorCard, RunOption.landmarkCard].first {
          header.options[$0] != nil
        }
        guard own == nil, case .mediaPipe(let variant) = detector else {
          throw EvaluationError.wrongData(
            "cannot sweep \(url.relativePath): expected a run with MediaPipe's models, found one with "
              + "--\(own ?? RunOption.detectorCard)")
        }
        evaluation.detector = variant
        evaluation.landmarks = LandmarkVariant.allCases.first { $0.model.name == model }
        evaluation.rotationDegrees = header.options[RunOption.rotation].flatMap { Int($0) } ?? 0
        evaluation.minDecodedSide = header.options[RunOption.minDecodedSide].flatMap { Int($0) }
      } else {
        evaluation.settings.runningMode = RunningMode(rawValue: header.mode) ?? .image
        evaluation.settings.minSuppressionThreshold = StoredReplay.noSuppression
        evaluation.settings.minFacePresenceConfidence =
          header.options[PipelineSetting.presenceConfidence].flatMap(Double.init) ?? 0
      }
      self.init(evaluation, values: values)
      facts = origin.trackerFacts
      runsModels = !origin.isForeign && values.contains { $0.parameter.setting != nil }
      if !runsModels || evaluation.settings.runningMode == .image { predictions = url }
      guard origin.isForeign else { return }
      for parameter in values.map(\.parameter) where parameter.setting != nil {
        guard !StoredReplay.settings.contains(parameter.name) else { continue }
        throw EvaluationError.wrongData(
          "cannot sweep \(parameter.name) over \(url.relativePath): expected "
            + StoredReplay.settings.joined(separator: ", ")
            + " or \(SweepParameter.expressionPrefix)NAME, because no model runs for the output of "
            + (header.options[RunOption.tracker] ?? "another tracker"))
      }
    } catch {
      throw EvaluationError(error)
    }
  }

  /// The stored predictions; nil for none. Throws where they are of another number of frames.
  func stored(for dataset: DatasetReader) throws -> SharedPredictions? {
    guard let predictions else { return nil }
    let reader = try PredictionsReader(predictions)
    guard reader.frameCount == dataset.frameCount else {
      throw EvaluationError.wrongData(
        "cannot sweep over \(predictions.relativePath): expected \(dataset.frameCount) frames as in "
          + "\(dataset.url.relativePath), found \(reader.frameCount)")
    }
    var origin = try PredictionOrigin(evaluation, predictions: reader)
    origin.frozenFrames = try reader.frozenFrames(of: dataset)
    return SharedPredictions(reader, of: origin)
  }

  /// Throws for a threshold of an expression that no rule has.
  func checkRules() throws(EvaluationError) {
    let names = rules.rules.map(\.name)
    for values in values {
      guard let name = values.parameter.expression, !names.contains(name) else { continue }
      throw EvaluationError.wrongData(
        "cannot sweep \(values.parameter.name): expected a rule of \(names.joined(separator: ", ")), "
          + "found none of that name\(Suggestion.perhaps(name, among: names))")
    }
  }

  /// The expressions that have metrics: those with a swept threshold, and neutral; none where no threshold is swept.
  var expressions: [String] {
    SweptExpressions(rules, parameters: values.map(\.parameter), settings: [])?.names ?? []
  }

  /// The metrics that settings can have, with those that objectives name and those of expressions whose thresholds
  /// are varied.
  var metrics: [SweepMetric] {
    let swept = Set(values.compactMap(\.parameter.expression))
    return SweepMetric.all + SweepMetric.additive(named: namedMetrics, facts: facts)
      + SweepMetric.expressions(expressions, swept: swept)
  }

  private var namedMetrics: Set<String> { Set(objectives.flatMap(\.names)) }

  /// Which sums a setting has.
  var layout: SweepCounts.Layout {
    SweepCounts.Layout(
      expressions: expressions, families: SweepMetric.families(named: namedMetrics))
  }

  /// What sums depend on among the objectives, as an option of its name; empty for none.
  var objectiveOptions: [String: String] {
    let families = layout.families.map { type(of: $0).table }
    return families.isEmpty ? [:] : [Self.metricsOption: families.joined(separator: ", ")]
  }

  static let metricsOption = "metrics"

  /// The values that the settings have where nothing is swept, in the order of the numbers.
  func defaults(landmarks: LandmarkVariant?) -> [Double] {
    values.map { values in
      switch values.parameter {
      case .setting(let setting): setting.value(in: evaluation.settings, landmarks: landmarks)
      case .expression(let name):
        rules.rules.first { $0.name == name }?.threshold ?? ExpressionRule.usualThreshold
      }
    }
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
      ? tried.reduce(0) { $0 + $1.count }
      : Int(min(tried.reduce(1.0) { $0 * Double($1.count) }, Double(Int32.max)))
    guard count <= Self.settingLimit else {
      throw EvaluationError.wrongData(
        "cannot sweep \(values.map(\.parameter.name).joined(separator: " and ")): expected at most "
          + "\(Self.settingLimit) settings, found \(count)")
    }
    guard isOneAtATime else {
      return tried.reduce([[]]) { settings, values in
        settings.flatMap { setting in values.map { setting + [$0] } }
      }
    }
    var settings: [[Double]] = []
    var seen: Set<[Double]> = []
    for (position, values) in tried.enumerated() {
      for value in values {
        var setting = base
        setting[position] = value
        if seen.insert(setting).inserted { settings.append(setting) }
      }
    }
    return settings
  }

  func options(_ setting: [Double]) -> FaceLandmarkerOptions {
    var options = evaluation.settings
    for (values, value) in zip(values, setting) {
      values.parameter.setting?.set(value, in: &options)
    }
    return options
  }
}

/// Predictions that any thread may read, one at a time.
final class SharedPredictions: Sendable {
  let file: String
  /// Lowest score of the stored candidates.
  let candidateFloor: Double
  /// The models that made them.
  let models: [Record.Model]
  /// Whose they are.
  let origin: PredictionOrigin
  /// The options that they were made with.
  let options: [String: String]
  private let reader: Mutex<PredictionsReader>

  init(_ reader: sending PredictionsReader, of origin: PredictionOrigin) {
    self.origin = origin
    options = reader.header.options
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
