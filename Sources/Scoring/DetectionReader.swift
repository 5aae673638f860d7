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
    guard tracker.hasPositions, !labels.areAbsent(inFrame: size) else { return nil }
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
    let loose = loose(prediction, size)
    let unclipped = detections(prediction, size, from: tracker.settings.minFaceDetectionConfidence)
    let kept = Array(unclipped.prefix(tracker.settings.numFaces))
    let outcome = try DetectionOutcome(frame: frame.index, labels: labels, detections: kept)
    let found = ScoredFrame.Detections(
      size: size, ranked: shown(loose), unclipped: unclipped, kept: kept, keptRanked: shown(kept),
      outcome: outcome)
    let reasons = misses.isFull ? [:] : self.reasons(found, loose, labels: labels)
    for label in outcome.missed {
      misses.add(
        reasons[label].map {
          MissList.Miss(frame: frame.name, face: label, box: labels[label].box, reason: $0.text)
        })
    }
    return found
  }

  /// Why labels were missed that the detections of a frame, which were read before, did not find; by position.
  func reasons(
    _ found: ScoredFrame.Detections, labels: [FaceLabel], prediction: FramePrediction
  ) -> [Int: MissReason] {
    found.outcome.missed.isEmpty
      ? [:] : reasons(found, loose(prediction, found.size), labels: labels)
  }

  private func reasons(
    _ found: ScoredFrame.Detections, _ loose: [FaceDetection], labels: [FaceLabel]
  ) -> [Int: MissReason] {
    let cut = Array(found.unclipped.dropFirst(found.kept.count))
    let free = found.outcome.falsePositives.map { found.kept[$0] }
    return Dictionary(
      uniqueKeysWithValues: found.outcome.missed.map {
        ($0, reason(labels[$0], cut: cut, free: free, loose: loose))
      })
  }

  /// Who is found in a frame at the operating point; nil where the detector did not look.
  func outcome(
    _ frame: Frame, labels: [FaceLabel], prediction: FramePrediction
  ) throws(MetricError) -> DetectionOutcome? {
    guard tracker.hasPositions, prediction.detectorRan || scoresFaces,
      let size = prediction.size,
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

  private func loose(_ prediction: FramePrediction, _ size: ImageSize) -> [FaceDetection] {
    detections(
      prediction, size,
      from: decoder == nil ? -.infinity : EvaluationPlan.averagePrecisionFloor)
  }

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
    guard let decoder else {
      // Scores are stored as Float: one of 0.7 reaches 0.7.
      return prediction.detections.filter { Float($0.score) >= Float(score) }
    }
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
  ) -> MissReason {
    func best(_ detections: [FaceDetection]) -> (FaceDetection, Double)? {
      MissReason.best(detections.map(\.box), on: label.box).map { (detections[$0.index], $0.iou) }
    }
    if let (face, iou) = best(cut), iou >= 0.5 {
      return .cutOff(score: face.score, limit: tracker.settings.numFaces)
    }
    if let (face, iou) = best(free), iou > MissReason.near {
      return .overlap(iou: iou, score: face.score)
    }
    if let (face, iou) = best(loose), iou >= 0.5,
      Float(face.score) < Float(tracker.settings.minFaceDetectionConfidence)
    {
      return .belowThreshold(score: face.score)
    }
    if let (_, iou) = best(loose), iou > MissReason.near { return .nearest(iou: iou) }
    return .nothing
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
  func areAbsent(inFrame size: ImageSize) -> Bool {
    allSatisfy { $0.isIgnored || $0.isCrowd }
      && contains {
        $0.isIgnored && $0.isCrowd && $0.box.x <= 0 && $0.box.y <= 0
          && $0.box.maxX >= Double(size.width) && $0.box.maxY >= Double(size.height)
      }
  }
}
