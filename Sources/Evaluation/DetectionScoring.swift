internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Records

/// Judges the detector's boxes against the labelled boxes, frame by frame.
///
/// A frame that the detector did not look at leaves every figure undefined: the frames that it did look at
/// are those where tracking failed, and stand for no other.
struct DetectionScoring {
  private let tracker: JudgedTracker
  private let decoder: DetectionDecoder?
  private var coco = COCODetection()
  private var operating: DetectionOperatingPoint
  private var ranked = RankedDetections()
  private var voc = VOCDetection()
  private var wider = WIDERDetection()
  private var misses = MissList()
  private var frameCount = 0
  private var skippedCount = 0

  init(_ tracker: JudgedTracker) {
    self.tracker = tracker
    decoder = tracker.detector.map { DetectionDecoder(geometry: $0.geometry) }
    operating = DetectionOperatingPoint(numFaces: tracker.settings.numFaces)
  }

  /// Takes in one analysed frame; returns who was found, nil where the detector did not look.
  mutating func add(
    _ frame: Frame, size: PictureSize, labels: [FaceLabel], prediction: FramePrediction
  ) throws -> DetectionOutcome? {
    frameCount += 1
    guard prediction.detectorRan else {
      skippedCount += 1
      return nil
    }
    let loose = detections(
      prediction, size,
      from: decoder == nil ? -.infinity : EvaluationPlan.averagePrecisionFloor)
    let shown = self.shown(loose)
    try coco.add(frame: frame.index, labels: labels, detections: shown)
    let unclipped = detections(
      prediction, size, from: tracker.settings.minFaceDetectionConfidence)
    let kept = Array(unclipped.prefix(tracker.settings.numFaces))
    let outcome = try operating.add(
      frame: frame.index, labels: labels, detections: kept, unclipped: unclipped)
    try ranked.add(
      frame: frame.index, labels: labels, detections: shown, kept: self.shown(kept))
    try voc.add(frame: frame.index, labels: labels, detections: shown)
    try wider.add(frame: frame.index, labels: labels, detections: shown)
    for label in outcome.missed {
      misses.add(
        MissList.Miss(
          frame: frame.name, face: label, box: labels[label].box,
          reason: reason(
            labels[label], kept: kept, outcome: outcome, unclipped: unclipped, loose: loose)))
    }
    return outcome
  }

  /// Who is found in a frame at the operating point; nil where the detector did not look.
  func outcome(
    _ frame: Frame, labels: [FaceLabel], prediction: FramePrediction
  ) throws(MetricError) -> DetectionOutcome? {
    guard prediction.detectorRan, let size = prediction.size else { return nil }
    return try DetectionOutcome(
      frame: frame.index, labels: labels,
      detections: Array(
        detections(prediction, size, from: tracker.settings.minFaceDetectionConfidence)
          .prefix(tracker.settings.numFaces)))
  }

  /// The detections of a score or more; the tracker's own where its candidates are not known.
  private func detections(
    _ prediction: FramePrediction, _ size: PictureSize, from score: Double
  ) -> [FaceDetection] {
    guard let decoder else { return prediction.detections.filter { $0.score >= score } }
    return decoder.detections(
      from: prediction.candidates, size: size, threshold: score, overlap: tracker.suppression)
  }

  /// The detections with their scores as predictions give them out.
  private func shown(_ raw: [FaceDetection]) -> [FaceDetection] {
    raw.map { detection in
      var detection = detection
      detection.score = tracker.shown(detection.score)
      return detection
    }
  }

  /// Every detection that counts, by frame, with whether it found a face.
  var outcomes: [ScoredOutcome] { ranked.outcomes }

  private func reason(
    _ label: FaceLabel, kept: [FaceDetection], outcome: DetectionOutcome,
    unclipped: [FaceDetection], loose: [FaceDetection]
  ) -> String {
    func best(_ detections: some Swift.Sequence<FaceDetection>) -> (FaceDetection, Double)? {
      detections.map { ($0, $0.box.iou(with: label.box)) }.max { $0.1 < $1.1 }
    }
    if let (face, iou) = best(unclipped.dropFirst(kept.count)), iou >= 0.5 {
      return "found at \(Figure.text(face.score)), cut off by num-faces "
        + "\(tracker.settings.numFaces)"
    }
    let free = outcome.falsePositives.map { kept[$0] }
    if let (face, iou) = best(free), iou > 0.1 {
      return "a detection at \(Figure.text(face.score)) overlaps by \(Figure.text(iou)) only"
    }
    if let (face, iou) = best(loose), iou >= 0.5,
      face.score < tracker.settings.minFaceDetectionConfidence
    {
      return "score \(Figure.text(face.score)) is below the threshold"
    }
    if let (_, iou) = best(loose), iou > 0.1 {
      return "nearest detection overlaps by \(Figure.text(iou))"
    }
    return "no detection near it"
  }

  /// Why the figures say nothing, where they do.
  var reason: String? {
    skippedCount == 0
      ? nil : "the detector did not look at \(skippedCount) of \(frameCount) frames"
  }

  /// All figures, in the order of the catalogue; WIDER's only where labels name its levels.
  func groups() -> [FigureGroup] {
    let groups =
      [FigureGroup(coco), FigureGroup(operating), FigureGroup(ranked), FigureGroup(voc)]
      + (wider.hasLevels ? [FigureGroup(wider)] : [])
    return groups.map { $0.judged(because: reason) }
  }

  /// Misses and false positives of a frame; nil where the detector did not look.
  func errors(inFrame frame: Int) -> Int? { operating.errors(inFrame: frame) }

  /// Keeps the frames that a draw takes.
  mutating func draw(_ draw: FrameDraw) {
    coco.draw(draw)
    operating.draw(draw)
    ranked.draw(draw)
    voc.draw(draw)
    wider.draw(draw)
  }

  /// Swaps the chosen frames with another run's.
  mutating func exchange(with other: inout DetectionScoring, where isChosen: (Int) -> Bool) {
    coco.exchange(with: &other.coco, where: isChosen)
    operating.exchange(with: &other.operating, where: isChosen)
    ranked.exchange(with: &other.ranked, where: isChosen)
    voc.exchange(with: &other.voc, where: isChosen)
    wider.exchange(with: &other.wider, where: isChosen)
  }

  private func operatingValues() -> (MetricDefinition) -> Double? {
    let figures = operating.summarize()
    return { definition in figures.first { $0.name == definition.name }?.value }
  }

  /// The curve, the histogram and the table of misses.
  func series() throws -> [Series] {
    guard reason == nil else { return [] }
    let value = operatingValues()
    var marks: [Series.Mark] = []
    if let recall = value(DetectionOperatingPoint.recall),
      let precision = value(DetectionOperatingPoint.precision)
    {
      let threshold = Figure.text(tracker.settings.minFaceDetectionConfidence)
      marks.append(
        Series.Mark(
          label: tracker.isForeign
            ? "operating point (score \(threshold))"
            : "operating point (score \(threshold), num-faces \(tracker.settings.numFaces))",
          x: recall, y: precision))
    }
    return [
      coco.precisionRecallCurve(marks: marks),
      try coco.scoreHistogram(
        minFaceDetectionConfidence: tracker.shown(tracker.settings.minFaceDetectionConfidence)),
      ranked.freeResponseCurve(),
      ranked.reliabilityDiagram(),
      misses.series,
    ].compactMap { $0 }
  }

  /// What a reader must know first.
  func notes() -> [String] {
    guard reason == nil else { return [] }
    let value = operatingValues()
    func count(_ definition: MetricDefinition) -> Int { Int(value(definition) ?? 0) }
    let beyond = count(DetectionOperatingPoint.facesBeyondLimit)
    guard beyond > 0 else { return [] }
    let labelled =
      count(DetectionOperatingPoint.truePositives)
      + count(DetectionOperatingPoint.falseNegatives)
    return [
      "num-faces \(tracker.settings.numFaces) cuts off labelled faces: \(beyond) of \(labelled) are "
        + "beyond the limit, in \(count(DetectionOperatingPoint.picturesBeyondLimit)) pictures; "
        + "\(count(DetectionOperatingPoint.missesByLimit)) of the misses were found by the "
        + "detector and cut off. Recall cannot reach 1 with this setting."
    ]
  }
}
