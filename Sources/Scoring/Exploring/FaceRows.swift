internal import Datasets
internal import FaceCore
internal import Metrics

/// Makes the rows of a frame: one per labelled face, then one per face or detection that is on no label.
///
/// Who is who, and how far points are off, is found by the code that scores a run.
struct FaceRows {
  let tracker: PredictionOrigin
  private let isLabelled: Bool
  /// Names of the slices that a run reports; nil for all.
  private let slices: Set<String>?
  private let detections: DetectionReader

  init(_ tracker: PredictionOrigin, of dataset: DatasetReader, slices: Set<String>?) {
    self.tracker = tracker
    self.slices = slices
    isLabelled = dataset.isLabelled
    detections = DetectionReader(tracker)
  }

  /// The rows of one frame.
  func rows(
    _ frame: Frame, sequence: SequenceDescription?, context: FrameContext,
    labels givenLabels: [FaceLabel], prediction given: FramePrediction
  ) throws -> [FaceRow] {
    let labels = tracker.compared(givenLabels)
    let prediction = tracker.counted(given)
    var base = FaceRow()
    base[.frame] = "\(frame.index)"
    base[.name] = frame.name
    base[.sequence] = sequence?.name
    base[.subject] = sequence?.subject
    if sequence?.kind == .video {
      base[.time] = ExactText.of(Double(frame.timestampMicroseconds) / 1e6)
    }
    base[.status] = "\(prediction.status)"
    let frameSlices = Slice.slices(
      of: context, subject: sequence?.subject ?? "",
      video: sequence?.kind == .video ? sequence?.name : nil)
    let own = labels.enumerated().map { index, label -> FaceRow in
      var row = base
      row[.label] = "\(index)"
      row[.labelState] = label.isCrowd ? "crowd" : label.isIgnored ? "ignored" : "labelled"
      row[.labelIdentity] = label.identity.map { "\($0)" }
      row.put(label.box, [.labelX, .labelY, .labelWidth, .labelHeight])
      row[.slices] = names(frameSlices + Slice.slices(of: label))
      return row
    }
    guard let size = prediction.size else { return own }
    base[.slices] = names(frameSlices)
    var frameRows = Rows(labels: own, base: base)
    if tracker.noFaces == nil {
      try put(faces: prediction, labels, frame, in: &frameRows)
    }
    if isLabelled {
      var reader = detections
      if let found = try reader.read(frame, size: size, labels: labels, prediction: prediction) {
        put(found, labels, prediction, in: &frameRows)
      }
    }
    return frameRows.labels + frameRows.others
  }

  /// The rows of a frame so far.
  private struct Rows {
    var labels: [FaceRow]
    let base: FaceRow
    var others: [FaceRow] = []
    /// Those other rows that have a face and no detection: the face's box, and whether it is false or on an ignored label.
    var free: [Int: (box: BoundingBox, isFalse: Bool)] = [:]
  }

  private func names(_ own: [Slice]) -> String {
    own.map(\.name).filter { slices?.contains($0) ?? true }.sorted().joined(separator: ";")
  }

  private func put(
    faces prediction: FramePrediction, _ labels: [FaceLabel], _ frame: Frame, in rows: inout Rows
  ) throws {
    let faces = prediction.faces
    let matching = try tracker.matching(frame, labels, faces)
    let pairs = try matching.paired(
      by: tracker.pairing, labels: labels, faces: faces, frame: frame.index)
    let boxes = labels.map { label in
      label.isCrowd || label.isIgnored || label.hasNoPosition
        ? nil : label.matchingBoxes(hasInner: faces.haveInnerPoints)
    }
    for label in matching.undecided { rows.labels[label][.labelState] = "undecided" }
    for match in matching.matches {
      rows.labels[match.label][.face] = "found"
      rows.labels[match.label][.faceIoU] = match.iou.map(ExactText.of)
    }
    let free = matching.unmatched.map { faces[$0] }
    let others = matching.matches.map { faces[$0.face] }
    for label in matching.missed {
      rows.labels[label][.face] = "missed"
      rows.labels[label][.faceReason] =
        boxes[label].map { own in
          let near = (faces + prediction.rejected).compactMap(\.box).filter(\.isWellFormed)
            .max { own.iou(with: $0) < own.iou(with: $1) }
          return MissReason.ofMissed(
            near.map(own.nearest) ?? own.box, free: free, others: others,
            rejected: prediction.rejected
          ).word
        }
    }
    for match in pairs.matches {
      rows.labels[match.label][.pairing] = match.basis.rawValue
      rows.labels[match.label].put(faces[match.face], at: match.face)
    }
    if tracker.noPoints == nil {
      for errors in try LandmarkErrors.all(
        frame: frame.index, labels: labels, faces: faces, matching: pairs, scheme: tracker.scheme)
      {
        for (column, normalizer) in Self.errors {
          rows.labels[errors.label][column] = errors.error(by: normalizer).map(ExactText.of)
        }
      }
    }
    for index in faces.indices where !matching.matches.contains(where: { $0.face == index }) {
      var row = rows.base
      row.put(faces[index], at: index)
      if isLabelled {
        let isFalse = !matching.ignored.contains(index)
        row[.face] = isFalse ? "false" : "ignored"
        if isFalse {
          let box = faces[index].box
          let near = boxes.map { own in box.flatMap { own?.nearest(to: $0) } }
          row[.faceReason] = MissReason.ofFalse(box, labels: near).word
        }
        rows.free[rows.others.count] = faces[index].box.map { ($0, isFalse) }
      }
      rows.others.append(row)
    }
  }

  private static let errors: [(FaceColumn, LandmarkNormalizer)] = [
    (.nmeInterocular, .interocular), (.nmeInterpupil, .interpupil), (.nmeBox, .box),
    (.nmeDiagonal, .diagonal),
  ]

  private func put(
    _ found: ScoredFrame.Detections, _ labels: [FaceLabel], _ prediction: FramePrediction,
    in rows: inout Rows
  ) {
    for match in found.outcome.matches {
      rows.labels[match.label][.detection] = "found"
      rows.labels[match.label][.detectionIoU] = ExactText.of(match.iou)
      rows.labels[match.label].put(found.keptRanked[match.detection])
    }
    for (label, reason) in detections.reasons(found, labels: labels, prediction: prediction) {
      rows.labels[label][.detection] = "missed"
      rows.labels[label][.detectionReason] = reason.word
    }
    let boxes = labels.map { $0.isCrowd || $0.isIgnored ? nil : $0.box }
    for index in found.outcome.falsePositives + found.outcome.ignored {
      let (detection, isFalse) = (found.keptRanked[index], !found.outcome.ignored.contains(index))
      // What is the same for both is one row.
      let near = rows.free.mapValues { $0.isFalse == isFalse ? $0.box.iou(with: detection.box) : 0 }
      let same = near.filter { $0.value >= 0.5 }
        .max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
      var row = same.map { rows.others[$0] } ?? rows.base
      row[.detection] = isFalse ? "false" : "ignored"
      if isFalse {
        row[.detectionReason] = MissReason.ofFalse(detection.box, labels: boxes).word
      }
      row.put(detection)
      if let same {
        rows.others[same] = row
        rows.free[same] = nil
      } else {
        rows.others.append(row)
      }
    }
  }
}

extension FaceRow {
  fileprivate mutating func put(_ box: BoundingBox, _ columns: [FaceColumn]) {
    for (column, value) in zip(columns, [box.x, box.y, box.width, box.height]) {
      self[column] = ExactText.of(value)
    }
  }

  fileprivate mutating func put(_ detection: FaceDetection) {
    self[.detectionScore] = ExactText.of(detection.score)
    put(detection.box, [.detectionX, .detectionY, .detectionWidth, .detectionHeight])
  }

  fileprivate mutating func put(_ face: FacePrediction, at index: Int) {
    self[.faceIndex] = "\(index)"
    self[.faceScore] = face.detectionScore.map { ExactText.of(Double($0)) }
    self[.facePresence] = face.presence.map { ExactText.of(Double($0)) }
    self[.faceTracked] = face.isTracked ? "true" : "false"
    self[.faceIdentity] = face.identity.map { "\($0)" }
    if let box = face.box { put(box, [.faceX, .faceY, .faceWidth, .faceHeight]) }
  }
}
