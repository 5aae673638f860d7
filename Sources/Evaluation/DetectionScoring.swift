internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Profiling
internal import Records

/// Judges a predictions file against the labels of its dataset, frame by frame.
struct DetectionScoring {
  private let plan: EvaluationPlan
  private let decoder: DetectionDecoder
  private let stages: [String]
  private var coco = COCODetection()
  private var operating: DetectionOperatingPoint
  private var latency: StageLatency
  private(set) var misses = MissList()
  private(set) var worst: WorstFrames
  private(set) var badFrames = 0
  private var resizedFrames = 0

  init(plan: EvaluationPlan, stages: [String]) {
    self.plan = plan
    self.stages = stages
    decoder = DetectionDecoder(geometry: plan.variant.geometry)
    operating = DetectionOperatingPoint(numFaces: plan.detector.numFaces)
    latency = StageLatency(stages: stages + ["unaccounted"])
    worst = WorstFrames(limit: plan.galleryCount)
  }

  /// Takes in one frame with its labels and what was predicted.
  mutating func add(
    _ frame: Frame, isVideo: Bool, labels: [FaceLabel], prediction: FramePrediction
  ) throws {
    guard let size = prediction.size else {
      badFrames += 1
      return
    }
    if size != frame.size { resizedFrames += 1 }
    let loose = decoder.detections(
      from: prediction.candidates, size: size,
      threshold: EvaluationPlan.averagePrecisionFloor,
      overlap: plan.detector.minSuppressionThreshold)
    try coco.add(frame: frame.index, labels: labels, detections: loose)
    let unclipped = decoder.detections(
      from: prediction.candidates, size: size,
      threshold: plan.detector.minFaceDetectionConfidence,
      overlap: plan.detector.minSuppressionThreshold)
    let kept = Array(unclipped.prefix(plan.detector.numFaces))
    let outcome = try operating.add(
      frame: frame.index, labels: labels, detections: kept, unclipped: unclipped)
    try addLatency(of: prediction)
    for label in outcome.missed {
      misses.add(
        MissList.Miss(
          frame: frame.name, face: label, box: labels[label].box,
          reason: reason(
            labels[label], kept: kept, outcome: outcome, unclipped: unclipped, loose: loose)))
    }
    worst.offer(
      WorstFrames.Entry(
        frame: frame, isVideo: isVideo, labels: labels, detections: kept, outcome: outcome))
  }

  private mutating func addLatency(of prediction: FramePrediction) throws(MetricError) {
    var accounted: Int64 = 0
    for case (let stage, let nanoseconds?) in zip(stages, prediction.stageNanoseconds) {
      let time = Int64(clamping: nanoseconds)
      try latency.add(frame: prediction.frame, stage: stage, nanoseconds: time)
      if stage == "total" {
        try latency.add(
          frame: prediction.frame, stage: "unaccounted", nanoseconds: max(time - accounted, 0))
      } else {
        accounted += time
      }
    }
  }

  private func reason(
    _ label: FaceLabel, kept: [FaceDetection], outcome: DetectionOutcome,
    unclipped: [FaceDetection], loose: [FaceDetection]
  ) -> String {
    func best(_ detections: some Swift.Sequence<FaceDetection>) -> (FaceDetection, Double)? {
      detections.map { ($0, $0.box.iou(with: label.box)) }.max { $0.1 < $1.1 }
    }
    if let (face, iou) = best(unclipped.dropFirst(kept.count)), iou >= 0.5 {
      return "found at \(Figure.text(face.score)), cut off by num-faces "
        + "\(plan.detector.numFaces)"
    }
    let free = outcome.falsePositives.map { kept[$0] }
    if let (face, iou) = best(free), iou > 0.1 {
      return "a detection at \(Figure.text(face.score)) overlaps by \(Figure.text(iou)) only"
    }
    if let (face, iou) = best(loose), iou >= 0.5,
      face.score < plan.detector.minFaceDetectionConfidence
    {
      return "score \(Figure.text(face.score)) is below the threshold"
    }
    if let (_, iou) = best(loose), iou > 0.1 {
      return "nearest detection overlaps by \(Figure.text(iou))"
    }
    return "no detection near it"
  }

  /// All figures, in the order of the catalogue.
  func measurements() -> [Measurement] {
    let reason = "intervals come with the cluster bootstrap, which is not there yet"
    return (coco.summarize() + operating.summarize() + latency.summarize()).map {
      var measurement = $0
      measurement.interval = .none(reason)
      return measurement
    }
  }

  /// The curves, histograms and tables.
  func series() throws -> [Series] {
    let figures = Dictionary(
      operating.summarize().map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    var marks: [Series.Mark] = []
    if let recall = figures[DetectionOperatingPoint.recall.name] ?? nil,
      let precision = figures[DetectionOperatingPoint.precision.name] ?? nil
    {
      let threshold = Figure.text(plan.detector.minFaceDetectionConfidence)
      marks.append(
        Series.Mark(
          label: "operating point (score \(threshold), num-faces \(plan.detector.numFaces))",
          x: recall, y: precision))
    }
    return [
      coco.precisionRecallCurve(marks: marks),
      try coco.scoreHistogram(
        minFaceDetectionConfidence: plan.detector.minFaceDetectionConfidence),
      latency.histogram(stage: "total"),
      misses.series,
    ].compactMap { $0 }
  }

  /// What a reader must know first.
  func notes() -> [String] {
    var notes: [String] = []
    let figures = Dictionary(
      operating.summarize().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    func count(_ definition: MetricDefinition) -> Int {
      Int(figures[definition.name]?.value ?? 0)
    }
    let beyond = count(DetectionOperatingPoint.facesBeyondLimit)
    if beyond > 0 {
      let labelled =
        count(DetectionOperatingPoint.truePositives)
        + count(DetectionOperatingPoint.falseNegatives)
      notes.append(
        "num-faces \(plan.detector.numFaces) cuts off labelled faces: \(beyond) of \(labelled) are "
          + "beyond the limit, in \(count(DetectionOperatingPoint.picturesBeyondLimit)) pictures; "
          + "\(count(DetectionOperatingPoint.missesByLimit)) of the misses were found by the "
          + "detector and cut off. Recall cannot reach 1 with this setting.")
    }
    if badFrames > 0 {
      notes.append(
        badFrames == 1
          ? "1 broken picture was skipped; no figure counts it."
          : "\(badFrames) broken pictures were skipped; no figure counts them.")
    }
    if resizedFrames > 0 {
      notes.append(
        "\(resizedFrames) of the pictures have another size than images/size says; their labels "
          + "may be for other pixels ('facegauge validate' lists them).")
    }
    if plan.jobs > 1 {
      notes.append(
        "Latency was measured with \(plan.jobs) frames at once: the workers slow each other down.")
    }
    return notes
  }
}
