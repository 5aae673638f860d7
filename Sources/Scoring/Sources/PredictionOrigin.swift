internal import Calibration
package import Datasets
package import FaceCore
package import FacePipeline
internal import Foundation
package import Metrics
internal import Platform
package import Running

/// Whose predictions are evaluated: the settings that they were made with, and what they can hold.
package struct PredictionOrigin: Sendable {
  /// The operating settings.
  package var settings: FaceLandmarkerOptions
  /// The model whose candidates detections are made from; nil where they are taken as they are.
  package var detector: RunDetector?
  /// IoU above which two candidates are one face.
  var suppression: Double
  /// How many detections of an image count in average precision.
  var maxDetections: Int
  /// Why there are no faces after the detector stage; nil where there are.
  package var noFaces: String?
  /// Why there are no points of faces; nil where there are.
  package var noPoints: String?
  /// How labelled faces and predictions become the pairs whose landmarks and attributes are compared.
  var pairing: FacePairing
  /// Names and orders the points of its faces.
  package var scheme: LandmarkScheme
  /// Schemes of which the first that a face is labelled in is compared; nil prefers `scheme`, then what it has points for.
  var comparedSchemes: [LandmarkScheme]?
  /// The map that detection scores passed through; nil for raw ones.
  ///
  /// Candidates and the settings' thresholds are raw; of another tracker threshold and scores are mapped.
  var calibrator: Calibrator?
  /// What its predictions contain in addition to the faces.
  package var facts: Set<PredictionsHeader.Fact>
  /// What its scores and presences say; those of our own pipeline say all.
  private var confidences: Set<TrackerFact> = [.scores, .ranking, .presences]
  /// Whether the boxes of its faces are scored as detections, for a comparison with boxes around points.
  var scoresFaceBoxes = false
  /// Why latencies belong to no one machine; nil where they do.
  var noTimes: String?
  /// Why nobody knows where its faces are; nil where boxes or points tell.
  private(set) var noPositions: String?
  /// Why nothing about detections can be compared; nil where it can.
  var noDetections: String?
  /// Whether it is another tracker than ours, so that score and threshold alone decide what it found.
  package var isForeign: Bool
  /// Frames that count as lost though they have a face, whose values are those of frames before.
  package var frozenFrames: Set<Int> = []

  /// The pipeline with these models.
  init(_ plan: EvaluationPlan, facts: PipelineFacts) {
    settings = plan.settings
    pairing = plan.pairing
    maxDetections = plan.maxDetections
    detector = plan.own.detector.map { .own($0) } ?? .mediaPipe(plan.detector)
    suppression = plan.settings.suppressionThreshold(with: facts.landmarks)
    noFaces = facts.absent.first { $0.stage == .landmarks }?.reason
    noPoints = noFaces
    scheme = facts.scheme
    self.facts = Set(PredictionsHeader.Fact.allCases)
    isForeign = false
  }

  /// A tracker that follows labelled boxes; whatever it gives out counts.
  init(_ plan: EvaluationPlan, seeded tracker: SeededTracker) {
    settings = plan.settings
    pairing = plan.pairing
    maxDetections = plan.maxDetections
    suppression = 0
    noPoints = "a \(tracker.rawValue) tracker outputs only boxes"
    scheme = .mediapipe478
    facts = SeededSource.facts
    isForeign = true
  }

  /// The tracker that a file is from: our own with the settings that the file repeats, or another.
  ///
  /// Throws `.wrongData` for settings of ours that are not there, and `.wrongUse` where the plan asks for another
  /// minimum score than that which the faces of our own have passed.
  package init(_ plan: EvaluationPlan, predictions: PredictionsReader) throws {
    settings = plan.settings
    pairing = plan.pairing
    maxDetections = plan.maxDetections
    suppression = 0
    scheme = predictions.scheme ?? .mediapipe478
    facts = predictions.header.facts
    isForeign = predictions.header.models.isEmpty
    let map = try AppliedCalibration.detector(
      of: predictions.header, in: predictions.url.relativePath)
    defer { take(map) }
    guard !isForeign else {
      settings.numFaces = Int.max
      detector = nil
      noFaces = nil
      noPoints = predictions.scheme == nil ? "the predictions have no landmarks" : nil
      confidences = try Self.confidences(of: predictions)
      if try !predictions.hasPositions() {
        noPositions = "predicted faces have neither a box nor points"
        noDetections = noPositions
      } else if predictions.detectionCount == 0, predictions.faceCount > 0 {
        noDetections = "/detections of the predictions has no rows, though they have faces"
      }
      return
    }
    let options = predictions.header.options
    func missing(_ name: String) -> EvaluationError {
      EvaluationError.wrongData(
        "cannot read attribute 'options' of '/' in \(predictions.url.relativePath): expected "
          + "\(name), found \(options[name] ?? "none")")
    }
    func option<T>(_ name: String, _ read: (String) -> T?) throws(EvaluationError) -> T {
      guard let value = options[name].flatMap(read) else { throw missing(name) }
      return value
    }
    settings.runningMode = try option(RunOption.mode) { RunningMode(rawValue: $0) }
    settings.compatibility = try option(RunOption.compatibility) { Compatibility(rawValue: $0) }
    for setting in PipelineSetting.all {
      _ = try option(setting.name) { setting.read($0, into: &settings) ? () : nil }
    }
    let score = settings.minFaceDetectionConfidence
    if plan.isMinScoreGiven, score != plan.settings.minFaceDetectionConfidence {
      let name = PipelineSetting.detectionConfidence
      throw EvaluationError(
        .wrongUse,
        "cannot apply '--\(name)' to \(predictions.url.relativePath): expected predictions of another "
          + "tracker, found those of FaceGauge's pipeline, which ran with \(score.plainText) ('facegauge "
          + "sweep RUN -o SWEEP --threshold \(name)=LOW:HIGH:STEP' tries others)")
    }
    detector = try option(RunOption.detector) { RunDetector($0) }
    let landmarks = predictions.header.models.serving(.landmarks)?.name
    suppression = settings.suppressionThreshold(
      with: landmarks.flatMap { name in
        LandmarkVariant.allCases.first { $0.model.name == name }
      })
    noFaces = landmarks == nil ? "the predictions were made without a landmark model" : nil
    noPoints = noFaces
  }

  /// What another tracker's confidences say: 1 for every face is none, and the same for all ranks nothing.
  private static func confidences(
    of predictions: PredictionsReader
  ) throws(FileError) -> Set<TrackerFact> {
    let (scores, presences) = try predictions.confidenceRanges()
    var facts: Set<TrackerFact> = [.scores, .ranking, .presences]
    if scores == 1...1 { facts.subtract([.scores, .ranking]) }
    if let scores, scores.lowerBound == scores.upperBound, predictions.detectionCount > 1 {
      facts.remove(.ranking)
    }
    if presences == 1...1 { facts.remove(.presences) }
    return facts
  }

  /// What it provides, as families of metrics ask for it.
  package var trackerFacts: Set<TrackerFact> {
    confidences.union(facts.compactMap { TrackerFact(rawValue: $0.rawValue) })
  }

  /// Why its scores rank nothing; nil where they do.
  package var noRanking: String? {
    [TrackerFact.scores, .ranking].first { !trackerFacts.contains($0) }?.absence
  }

  /// Whether its detections are boxes of a detector, and not those around its points.
  var hasDetectorBoxes: Bool { facts.contains(.detectorBoxes) || noPoints != nil }

  /// Notes that detection scores pass through a map.
  mutating func take(_ calibrator: Calibrator?) {
    guard let calibrator else { return }
    self.calibrator = calibrator
    guard isForeign else { return }
    let raw = Float(settings.minFaceDetectionConfidence)
    let mapped = Float(calibrator.calibrated(Double(raw)))
    // Above 0, so that a score can be below it.
    settings.minFaceDetectionConfidence = Double(max(mapped, .leastNonzeroMagnitude))
  }

  /// A frame in calibrated scores, of which those reach the mapped threshold whose raw scores reach the raw one.
  ///
  /// A map that is flat or falls there, as a histogram can, would move scores across the threshold: they become the
  /// threshold, or the next number below it.
  func parted(
    _ mapped: FramePrediction, by raw: FramePrediction, at threshold: Double
  ) -> FramePrediction {
    guard isForeign, calibrator != nil else { return mapped }
    let (floor, rawFloor) = (Float(settings.minFaceDetectionConfidence), Float(threshold))
    func moved(_ score: Float, by own: Float) -> Float {
      own >= rawFloor ? max(score, floor) : min(score, floor.nextDown)
    }
    var result = mapped
    for (index, face) in raw.faces.enumerated() {
      guard let own = face.detectionScore, let score = mapped.faces[index].detectionScore else {
        continue
      }
      result.faces[index].detectionScore = moved(score, by: own)
    }
    for (index, detection) in raw.detections.enumerated() {
      result.detections[index].score = Double(
        moved(Float(mapped.detections[index].score), by: Float(detection.score)))
    }
    return result
  }

  /// A score of a candidate, or a threshold of ours, on the scale of the predictions' scores.
  func shown(_ raw: Double) -> Double {
    detector == nil ? raw : calibrator?.calibrated(raw) ?? raw
  }

  /// What of a frame counts as given out: of another tracker the faces that reach the threshold, as scores are stored.
  package func counted(_ prediction: FramePrediction) -> FramePrediction {
    guard isForeign else { return prediction }
    var counted = prediction
    let floor = Float(settings.minFaceDetectionConfidence)
    func reaches(_ face: FacePrediction) -> Bool {
      face.detectionScore.map { $0 >= floor } ?? true
    }
    counted.rejected += prediction.faces.filter { !reaches($0) }
    counted.faces = prediction.faces.filter(reaches)
    return counted
  }

  /// Who is who in a frame.
  package func matching(
    _ frame: Frame, _ labels: [FaceLabel], _ faces: [FacePrediction]
  ) throws(MetricError) -> FaceMatching {
    try FaceMatching(
      frame: frame.index, labels: labels, faces: faces, facesHavePositions: hasPositions)
  }

  /// Whether its faces have positions.
  package var hasPositions: Bool { noPositions == nil }

  /// The labels of a frame, restricted to the schemes that are compared.
  func compared(_ labels: [FaceLabel]) -> [FaceLabel] {
    guard let comparedSchemes else { return labels }
    return labels.map { label in
      var label = label
      label.comparedSchemes = comparedSchemes
      return label
    }
  }
}
