internal import Datasets
internal import FaceCore
package import FacePipeline
package import Foundation
package import Metrics
internal import Platform
internal import Profiling

/// What an evaluation is asked to do.
package struct EvaluationPlan: Sendable {
  /// The dataset.
  package var dataset: URL
  /// The folder that the run becomes.
  package var run: URL
  /// Which detector runs.
  package var detector = DetectorVariant.shortRange
  /// Which landmark model runs; nil means the best that is there.
  package var landmarks: LandmarkVariant?
  /// Models of the user's that run in place of MediaPipe's.
  package var own = OwnModels()
  /// The operating settings.
  package var settings = FaceLandmarkerOptions()
  /// How far images have to be turned clockwise to be upright, a multiple of 90 degrees.
  package var rotationDegrees = 0
  /// The pixels that the longer side of a JPEG keeps at least when it is decoded at 1/2, 1/4 or 1/8; nil decodes it whole.
  package var minDecodedSide: Int?
  /// Predictions to evaluate instead of running the pipeline; nil means to run it.
  package var predictions: URL?
  /// A tracker that runs instead of the pipeline, seeded with labels; nil means the pipeline.
  package var tracker: SeededTracker?
  /// Parts of a run that are joined instead of running the pipeline; nil means to run it.
  package var shards: ShardFolder?
  /// A model file or a folder of them; nil means the user's cache.
  package var models: URL?
  /// A blendshape head that runs in place of the blendshape model; nil means that model.
  package var blendshapeHead: URL?
  /// The limits to evaluate by; nil means none.
  package var gates: URL?
  /// The run that gates measure changes against, a folder or its record; nil means none.
  package var base: URL?
  /// Rules of expressions instead of the built-in ones; nil means those.
  package var expressions: URL?
  /// How labelled numbers are compared with predicted ones; nil means as numbers, by the names that both share.
  package var attributes: URL?
  /// How many frames, or videos in video mode, are worked on at once, 1 or more.
  package var jobs = 1
  /// How many broken images are tolerated.
  package var maxBadFrames = 0
  /// Whether to go on with an interrupted run.
  package var resumes = false
  /// Whether an existing run is replaced.
  package var replaces = false
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
  /// The clock of live mode.
  package var liveTiming: any LiveTiming = SystemClock()
  /// How many images the gallery shows.
  package var galleryCount = 12

  /// Plans an evaluation with default settings.
  package init(dataset: URL, run: URL) {
    self.dataset = dataset
    self.run = run
  }

  /// Lowest score that takes part in average precision.
  static let averagePrecisionFloor = 0.05

  /// Whether a frame is one of a video that a tracker follows.
  func isTracked(_ frame: Frame, in dataset: DatasetReader) -> Bool {
    settings.runningMode != .image && dataset.kind(ofSequence: frame.sequence) == .video
  }

  /// The settings that decide what the predictions hold, by option name.
  var predictionOptions: [String: String] {
    PipelineSetting.texts(of: settings).merging(
      [
        RunOption.mode: settings.runningMode.rawValue,
        RunOption.compatibility: settings.compatibility.rawValue,
        RunOption.detector: (own.detector.map { .own($0) } ?? RunDetector.mediaPipe(detector))
          .text,
        "landmarks": own.landmarks.map { _ in RunDetector.own } ?? landmarks?.rawValue ?? "auto",
        RunOption.rotation: "\(rotationDegrees)",
      ]
    ) { $1 }
    .merging(cardDigests) { $1 }
    .merging(minDecodedSide.map { [RunOption.minDecodedSide: "\($0)"] } ?? [:]) { $1 }
  }

  /// The cards of the user's models, by option name.
  private var cardDigests: [String: String] {
    [
      RunOption.detectorCard: own.detector?.card.sha256,
      RunOption.landmarkCard: own.landmarks?.card.sha256,
    ].compactMapValues { $0 }
  }

  /// The option that sets how many detections of an image count in average precision.
  static let maxDetectionsOption = "max-detections"

  /// All settings of the run, by option name.
  var options: [String: String] {
    predictionOptions.merging(
      [
        "jobs": "\(jobs)",
        "max-bad-frames": "\(maxBadFrames)",
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
    let given = try expressions.map {
      try ExpressionRules(json: try InputFile.bytes(of: $0), source: $0.relativePath)
    }
    let calibration = try calibration.map { try AppliedCalibration($0) }
    let attributes = try AttributeRules.of(
      attributes, dataset: dataset,
      predictions: try predictions.map { [try PredictionsReader($0)] } ?? [])
    let gates = try gates.map {
      try GateInputs($0, base: base, rules: given ?? .builtIn, attributes: attributes)
    }
    return (
      try calibration.map { try $0.rules(given ?? .builtIn) } ?? given, attributes, calibration,
      gates
    )
  }

  /// Throws where more images are broken than the plan tolerates.
  func checkBad(_ bad: [PredictionPass.BadFrame], of dataset: DatasetReader) throws {
    guard bad.count > maxBadFrames, let last = bad.last else { return }
    let name = try dataset.frames(last.frame..<(last.frame + 1))[0].name
    throw EvaluationError(
      .wrongData,
      "cannot evaluate \(dataset.url.relativePath): expected at most \(maxBadFrames) broken "
        + "images (--max-bad-frames), found \(bad.count), the last in frame \(last.frame) "
        + "'\(name)': \(last.reason)")
  }
}
