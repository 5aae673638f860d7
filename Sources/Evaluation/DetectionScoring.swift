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
  private var coco: COCODetection
  private var operating: DetectionOperatingPoint
  private var ranked = RankedDetections()
  private var voc = VOCDetection()
  private var wider = WIDERDetection()
  private var fddb = FDDBDetection()
  private var misses = MissList()
  private var frameCount = 0
  private var skippedCount = 0
  private var placelessCount = 0

  init(_ tracker: JudgedTracker) {
    self.tracker = tracker
    coco = COCODetection(maxDetections: tracker.maxDetections)
    decoder = tracker.detector.map { DetectionDecoder(geometry: $0.geometry) }
    operating = DetectionOperatingPoint(numFaces: tracker.settings.numFaces)
  }

  /// Takes in one analysed frame; returns who was found, nil where the detector did not look.
  mutating func add(
    _ frame: Frame, size: PictureSize, labels: [FaceLabel], prediction: FramePrediction
  ) throws -> DetectionOutcome? {
    frameCount += 1
    guard prediction.detectorRan || scoresFaces else {
      skippedCount += 1
      return nil
    }
    let placeless = labels.count(where: \.hasNoPlace)
    guard placeless == 0 else {
      placelessCount += placeless
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
    try fddb.add(frame: frame.index, size: size, labels: labels, detections: shown)
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
    guard prediction.detectorRan || scoresFaces, let size = prediction.size,
      !labels.contains(where: \.hasNoPlace)
    else { return nil }
    return try DetectionOutcome(
      frame: frame.index, labels: labels,
      detections: Array(
        detections(prediction, size, from: tracker.settings.minFaceDetectionConfidence)
          .prefix(tracker.settings.numFaces)))
  }

  /// Whether detections are the faces that the tracker gives out, in every frame.
  private var scoresFaces: Bool { tracker.scoresFaceBoxes || !tracker.hasDetectorBoxes }

  /// The detections of a score or more; the tracker's own where its candidates are not known.
  private func detections(
    _ prediction: FramePrediction, _ size: PictureSize, from score: Double
  ) -> [FaceDetection] {
    if tracker.scoresFaceBoxes {
      return prediction.faces.compactMap { face in
        face.box.map {
          FaceDetection(box: $0, score: Double(face.detectionScore ?? face.presence ?? 1))
        }
      }
    }
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

  /// The same with each labelled face that no detection finds.
  var outcomesAndMisses: [ScoredOutcome] { ranked.outcomesAndMisses }

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
    if let reason = tracker.noDetections { return reason }
    if skippedCount > 0 {
      return "the detector did not look at \(skippedCount) of \(frameCount) frames"
    }
    return placelessCount == 0
      ? nil : "\(placelessCount) labelled faces have neither a box nor points"
  }

  /// All figures, in the order of the catalogue; WIDER's and FDDB's only where labels have what they need.
  func groups() -> [FigureGroup] {
    let ranking = reason ?? (tracker.scoresFaceBoxes ? Self.noRanking : nil)
    let groups =
      [
        FigureGroup(coco).judged(because: ranking), FigureGroup(operating).judged(because: reason),
        FigureGroup(ranked).judged(because: ranking), FigureGroup(voc).judged(because: ranking),
      ]
      + (wider.hasLevels ? [FigureGroup(wider).judged(because: ranking)] : [])
      + (fddb.hasEllipses ? [FigureGroup(fddb).judged(because: ranking)] : [])
    return groups
  }

  private static let noRanking =
    "one of the runs has no boxes of a detector, and the scores of both rank different boxes"

  /// Misses and false positives of a frame; nil where the detector did not look.
  func errors(inFrame frame: Int) -> Int? { operating.errors(inFrame: frame) }

  /// Keeps the frames that a draw takes.
  mutating func draw(_ draw: FrameDraw) {
    coco.draw(draw)
    operating.draw(draw)
    ranked.draw(draw)
    voc.draw(draw)
    wider.draw(draw)
    fddb.draw(draw)
  }

  /// Swaps the chosen frames with another run's.
  mutating func exchange(with other: inout DetectionScoring, where isChosen: (Int) -> Bool) {
    coco.exchange(with: &other.coco, where: isChosen)
    operating.exchange(with: &other.operating, where: isChosen)
    ranked.exchange(with: &other.ranked, where: isChosen)
    voc.exchange(with: &other.voc, where: isChosen)
    wider.exchange(with: &other.wider, where: isChosen)
    fddb.exchange(with: &other.fddb, where: isChosen)
  }

  private func operatingValues() -> (MetricDefinition) -> Double? {
    let figures = operating.summarize()
    return { definition in figures.first { $0.name == definition.name }?.value }
  }

  /// The curve, the histogram and the table of misses.
  func series() throws -> [Series] {
    guard reason == nil, !tracker.scoresFaceBoxes else { return [] }
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
      coco.scoreHistogram(
        minFaceDetectionConfidence: tracker.shown(tracker.settings.minFaceDetectionConfidence)),
      ranked.freeResponseCurve(),
      fddb.curves(),
      ranked.reliabilityDiagram(),
      misses.series,
    ].compactMap { $0 }
  }

  /// What a reader must know first.
  func notes() -> [String] {
    guard reason == nil else { return [] }
    let value = operatingValues()
    func count(_ definition: MetricDefinition) -> Int { Int(value(definition) ?? 0) }
    let cutOff = coco.cutOff
    let limited =
      cutOff.images == 0
      ? []
      : [
        "AP and AR count the best \(tracker.maxDetections) detections of an image "
          + "(--max-detections): \(cutOff.detections) in \(cutOff.images) images were left out."
      ]
    let beyond = count(DetectionOperatingPoint.facesBeyondLimit)
    guard beyond > 0 else { return limited }
    let labelled =
      count(DetectionOperatingPoint.truePositives)
      + count(DetectionOperatingPoint.falseNegatives)
    return limited + [
      "num-faces \(tracker.settings.numFaces) cuts off labelled faces: \(beyond) of \(labelled) are "
        + "beyond the limit, in \(count(DetectionOperatingPoint.picturesBeyondLimit)) pictures; "
        + "\(count(DetectionOperatingPoint.missesByLimit)) of the misses were found by the "
        + "detector and cut off. Recall cannot reach 1 with this setting."
    ]
  }
}
