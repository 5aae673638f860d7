package import FaceCore
internal import Metrics
package import Records

/// One frame with its labels and what was predicted, both as they are stored.
package struct JoinedFrame: Sendable {
  /// The frame.
  package let frame: Frame
  /// Whether it is one of a video.
  package let isVideo: Bool
  /// The labelled faces, ignored ones and crowds left out.
  package let labels: [FaceLabel]
  /// The prediction, without candidates and rejected regions.
  package fileprivate(set) var prediction: FramePrediction
  /// Labelled objects of other categories than faces.
  package let others: [FaceLabel]
  /// The labelled faces and crowds that are left out because they are to be ignored.
  package let ignored: [FaceLabel]
  /// How Exif turns its image, 1 to 8; read of stills alone whose labels are not where the predictions are.
  package var orientation = 1
  /// The camera's focal length from top to bottom in pixels; nil where it is unknown or no label has a pose.
  package var focalLength: Double?

  /// Joins a frame.
  package init(
    frame: Frame, isVideo: Bool, labels: [FaceLabel], prediction: FramePrediction,
    others: [FaceLabel] = [], ignored: [FaceLabel] = []
  ) {
    self.frame = frame
    self.isVideo = isVideo
    self.labels = labels
    self.prediction = prediction
    self.others = others
    self.ignored = ignored
  }

  /// The image's size; the dataset's, else the prediction's.
  package var size: ImageSize { frame.size.isNothing ? prediction.size ?? frame.size : frame.size }

  /// Whether its faces are not labelled.
  var isUnlabelled: Bool { labels.isEmpty && ignored.leaveOut(size) }

  /// The boxes of the prediction, of faces and of detections.
  var predictedBoxes: [BoundingBox] {
    prediction.detections.map(\.box) + prediction.faces.compactMap(\.box)
  }

  /// What came of its detections; nil where their boxes or scores are not well-formed.
  var outcome: DetectionOutcome? {
    try? DetectionOutcome(
      frame: frame.index, labels: labels + ignored, detections: prediction.detections)
  }

  /// The frame as a finding names it.
  package var named: Finding.Frame { Finding.Frame(index: frame.index, name: frame.name) }
}

extension BoundingBox {
  /// Whether one of some boxes overlaps it as that of a found face does, with an IoU of at least .50.
  func isFound(among boxes: [BoundingBox]) -> Bool { boxes.contains { iou(with: $0) >= 0.5 } }

  /// Whether the middle of another box is in this one.
  func holdsCenter(of other: BoundingBox) -> Bool {
    abs(other.center.x - center.x) <= width / 2 && abs(other.center.y - center.y) <= height / 2
  }
}

/// What checks look at: all frames of a small dataset, a seeded sample of stretches of a large one.
package struct JoinedSample: Sendable {
  /// A labelled face and a predicted one that are the same person as things are.
  package struct Pair: Sendable, Hashable {
    /// Position of the frame in `frames`.
    package let frame: Int
    /// Position of the label.
    package let label: Int
    /// Position of the predicted face.
    package let face: Int

    /// Pairs two faces of a frame.
    package init(frame: Int, label: Int, face: Int) {
      self.frame = frame
      self.label = label
      self.face = face
    }
  }

  /// The frames, in the order of the dataset.
  package let frames: [JoinedFrame]
  /// Stretches of successive frames of one video, as positions in `frames`; stills are in none.
  package let runs: [Range<Int>]
  /// Whether these are all frames of the dataset.
  package let isWhole: Bool
  /// Whether the dataset is a labelled one, which it can be without a labelled face.
  package let isLabelled: Bool
  /// The format that the predictions were imported from; nil for those of our own pipeline.
  package let format: String?
  /// The scheme of predicted points; nil for none.
  package let scheme: LandmarkScheme?
  /// Whether the tracker gives scores that rank its faces.
  package let hasScores: Bool
  /// Nanoseconds of the unit that the tracker's times seem to be in; nil for nanoseconds.
  package let timesUnit: Double?
  /// Stretches of the dataset's frames that the imported output does not name: a tenth or more of all at either end, and
  /// whole videos.
  package let missing: [Range<Int>]
  /// Labelled and predicted faces that belong together: the only ones of a frame, else those whose boxes overlap most, with
  /// an IoU of at least .50.
  package let pairs: [Pair]
  /// What findings of coefficients call the two sides.
  let names: SideNames

  /// Gathers a sample, and pairs its faces.
  package init(
    frames: [JoinedFrame], isWhole: Bool, format: String?, scheme: LandmarkScheme?,
    hasScores: Bool, isLabelled: Bool = true, timesUnit: Double? = nil,
    missing: [Range<Int>] = [], names: SideNames = .evaluation
  ) {
    self.frames = frames
    self.isWhole = isWhole
    self.isLabelled = isLabelled
    self.format = format
    self.scheme = scheme
    self.hasScores = hasScores
    self.timesUnit = timesUnit
    self.missing = missing
    self.names = names
    runs = Self.runs(of: frames)
    pairs = frames.indices.flatMap { Self.pairs(frames[$0], at: $0) }
  }

  /// The same with the predictions of each frame `shift` frames earlier, in its stretch of frames; those without one have none.
  func shifted(by shift: Int) -> JoinedSample {
    var moved = frames
    for run in runs {
      for position in run {
        if run.contains(position + shift) {
          moved[position].prediction = frames[position + shift].prediction
        } else {
          moved[position].prediction.faces = []
          moved[position].prediction.detections = []
        }
      }
    }
    return part(moved)
  }

  /// The same of other frames.
  func part(_ frames: [JoinedFrame]) -> JoinedSample {
    JoinedSample(
      frames: frames, isWhole: isWhole, format: format, scheme: scheme, hasScores: hasScores,
      isLabelled: isLabelled, timesUnit: timesUnit, names: names)
  }

  /// The two faces of a pair, and their frame.
  func faces(of pair: Pair) -> (joined: JoinedFrame, label: FaceLabel, face: FacePrediction) {
    let joined = frames[pair.frame]
    return (joined, joined.labels[pair.label], joined.prediction.faces[pair.face])
  }

  /// The first of some frames as a finding names them, by their positions, each once.
  package func named(_ positions: some Sequence<Int>) -> [Finding.Frame] {
    var shown: [Int] = []
    for position in positions where shown.count < 5 && !shown.contains(position) {
      shown.append(position)
    }
    return shown.map { frames[$0].named }
  }

  private static func runs(of frames: [JoinedFrame]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for (position, joined) in frames.enumerated() where joined.isVideo {
      if let last = runs.last, last.upperBound == position,
        case let before = frames[position - 1].frame,
        before.sequence == joined.frame.sequence, before.index + 1 == joined.frame.index
      {
        runs[runs.count - 1] = last.lowerBound..<position + 1
      } else {
        runs.append(position..<position + 1)
      }
    }
    return runs
  }

  private static func pairs(_ joined: JoinedFrame, at position: Int) -> [Pair] {
    let (labels, faces) = (joined.labels, joined.prediction.faces)
    if labels.count == 1, faces.count == 1 { return [Pair(frame: position, label: 0, face: 0)] }
    let boxes: [BoundingBox?] = labels.map { $0.box }
    return boxes.paired(with: faces.map(\.box), least: 0.5).map {
      Pair(frame: position, label: $0.first, face: $0.second)
    }
  }
}
