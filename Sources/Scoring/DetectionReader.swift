package import FaceCore
internal import FacePipeline
package import Metrics
internal import Records
internal import Running

/// Reads each frame's detections from a prediction, and counts what keeps metrics of detections from being defined.
///
/// A frame in which the detector did not run leaves every metric undefined: the frames in which it ran are those
/// where tracking failed, and represent no other.
package struct DetectionReader {
  private let tracker: PredictionOrigin
  private let decoder: DetectionDecoder?
  private var misses = MissList()
  private var frameCount = 0
  private var skippedCount = 0
  private var unlocatedCount = 0

  package init(_ tracker: PredictionOrigin) {
    self.tracker = tracker
    decoder = tracker.detector.map { DetectionDecoder(geometry: $0.geometry) }
  }

  /// Takes in what was seen of later frames.
  mutating func merge(_ later: DetectionReader) {
    misses.merge(later.misses)
    frameCount += later.frameCount
    skippedCount += later.skippedCount
    unlocatedCount += later.unlocatedCount
  }

  /// The detections of one analysed frame; nil where the detector did not run, a label has no position, or the frame is
  /// not labelled.
  package mutating func read(
    _ frame: Frame, size: ImageSize, labels: [FaceLabel], prediction: FramePrediction
  ) throws(MetricError) -> ScoredFrame.Detections? {
    guard !labels.areAbsent(inFrame: size) else { return nil }
    frameCount += 1
    guard prediction.detectorRan || scoresFaces else {
      skippedCount += 1
      return nil
    }
    let unlocated = labels.count { $0.hasNoPosition && !$0.isIgnored }
    guard unlocated == 0 else {
      unlocatedCount += unlocated
      return nil
    }
    let loose = detections(
      prediction, size,
      from: decoder == nil ? -.infinity : EvaluationPlan.averagePrecisionFloor)
    let unclipped = detections(
      prediction, size, from: tracker.settings.minFaceDetectionConfidence)
    let kept = Array(unclipped.prefix(tracker.settings.numFaces))
    let outcome = try DetectionOutcome(frame: frame.index, labels: labels, detections: kept)
    let cut = Array(unclipped.dropFirst(kept.count))
    let free = outcome.falsePositives.map { kept[$0] }
    for label in outcome.missed {
      misses.add(
        misses.isFull
          ? nil
          : MissList.Miss(
            frame: frame.name, face: label, box: labels[label].box,
            reason: reason(labels[label], cut: cut, free: free, loose: loose)))
    }
    return ScoredFrame.Detections(
      size: size, ranked: shown(loose), unclipped: unclipped, kept: kept, keptRanked: shown(kept),
      outcome: outcome)
  }

  /// Who is found in a frame at the operating point; nil where the detector did not look.
  func outcome(
    _ frame: Frame, labels: [FaceLabel], prediction: FramePrediction
  ) throws(MetricError) -> DetectionOutcome? {
    guard prediction.detectorRan || scoresFaces, let size = prediction.size,
      !labels.contains(where: { $0.hasNoPosition && !$0.isIgnored })
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
    _ prediction: FramePrediction, _ size: ImageSize, from score: Double
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

  /// Why a label was missed: `cut` are the detections beyond num-faces, `free` those that match no label.
  private func reason(
    _ label: FaceLabel, cut: [FaceDetection], free: [FaceDetection], loose: [FaceDetection]
  ) -> String {
    func best(_ detections: [FaceDetection]) -> (FaceDetection, Double)? {
      detections.map { ($0, $0.box.iou(with: label.box)) }.max { $0.1 < $1.1 }
    }
    if let (face, iou) = best(cut), iou >= 0.5 {
      return "found at \(NumberText.text(face.score)), cut off by num-faces "
        + "\(tracker.settings.numFaces)"
    }
    if let (face, iou) = best(free), iou > 0.1 {
      return
        "a detection at \(NumberText.text(face.score)) overlaps by \(NumberText.text(iou)) only"
    }
    if let (face, iou) = best(loose), iou >= 0.5,
      face.score < tracker.settings.minFaceDetectionConfidence
    {
      return "score \(NumberText.text(face.score)) is below the threshold"
    }
    if let (_, iou) = best(loose), iou > 0.1 {
      return "nearest detection overlaps by \(NumberText.text(iou))"
    }
    return "no detection near it"
  }

  /// Why the metrics are undefined; nil where they are defined.
  package var reason: String? {
    if let reason = tracker.noDetections { return reason }
    if skippedCount > 0 {
      return "the detector did not run in \(skippedCount) of \(frameCount) frames"
    }
    return unlocatedCount == 0
      ? nil : "\(unlocatedCount) labelled faces have neither a box nor points"
  }

  /// Why scores rank nothing; nil where they do.
  var noRanking: String? {
    tracker.scoresFaceBoxes
      ? "one of the runs has no boxes of a detector, so the scores of the two rank different boxes"
      : nil
  }

  /// The table of misses; nil without any.
  var missTable: Series? { reason == nil && noRanking == nil ? misses.series : nil }
}

extension [FaceLabel] {
  /// Whether none of them counts and an ignored crowd holds the whole frame: then no face in it counts either way.
  fileprivate func areAbsent(inFrame size: ImageSize) -> Bool {
    allSatisfy { $0.isIgnored || $0.isCrowd }
      && contains {
        $0.isIgnored && $0.isCrowd && $0.box.x <= 0 && $0.box.y <= 0
          && $0.box.maxX >= Double(size.width) && $0.box.maxY >= Double(size.height)
      }
  }
}
