package import FaceCore
package import Records

/// PASCAL VOC's average precision, over all points and at eleven recalls.
///
/// By falling score, each detection is compared with the label of its image that it overlaps most,
/// the last pixel belonging to a box. At or over the IoU it is true, a false positive where that label
/// is taken, and counts neither way where the label is ignored or a crowd. Equal scores keep the order
/// of frames and, in a frame, of detections. In [0, 1], higher is better; undefined where no label counts.
///
/// Source: Everingham et al. 2010; Padilla et al. 2020.
package struct VOCDetection: FrameMetric {
  /// One image.
  package struct Image: Sendable, Hashable {
    var labelled = 0
    /// Best first; detections that count neither way are left out.
    var scores: [Double] = []
    var isTrue: [Bool] = []
  }

  /// The least IoU of a match.
  package let minOverlap: Double
  /// What is kept of each frame.
  package var frames = FrameTable<Image>()

  /// Starts without frames; a match needs the IoU `minOverlap`.
  package init(minOverlap: Double = 0.5) {
    self.minOverlap = minOverlap
  }

  /// Matches one image; labels of another category than faces (1) take no part.
  ///
  /// Throws for a frame added before and for boxes or scores that are not well-formed.
  package mutating func add(frame: Int, labels: [FaceLabel], detections: [FaceDetection])
    throws(MetricError)
  {
    try labels.validate(frame: frame)
    try detections.validate(frame: frame)
    let faces = labels.filter { $0.category == 1 }
    let isIgnored = faces.map { $0.isCrowd || $0.isIgnored }
    var isTaken = isIgnored.map { _ in false }
    var image = Image(labelled: isIgnored.count { !$0 })
    let nearest = NearestLabel(faces.map(\.box))
    for rank in detections.rankedByScore() {
      let face = nearest.label(of: detections[rank].box, minOverlap: minOverlap)
      if let face, isIgnored[face] { continue }
      image.scores.append(detections[rank].score)
      image.isTrue.append(face.map { !isTaken[$0] } ?? false)
      if let face { isTaken[face] = true }
    }
    try add(image, for: frame)
  }

  /// The metric that errors name.
  package static var table: String { Self.allPoints.name }

  /// Throws where the settings differ.
  package func check(_ other: VOCDetection) throws(MetricError) {
    guard minOverlap == other.minOverlap else {
      throw .overlapsDiffer(minOverlap, other.minOverlap)
    }
  }

  /// Both averages; n is how many labels count.
  package func summarize() -> [Measurement] {
    let images = frames.entries
    let labelled = images.reduce(0) { $0 + $1.labelled }
    guard labelled > 0 else {
      return Self.definitions.map {
        $0.undefined(
          "no labelled face counts: there is none, or all are ignored or crowds", n: 0)
      }
    }
    var (scores, isTrue) = ([Double](), [Bool]())
    for image in images {
      scores += image.scores
      isTrue += image.isTrue
    }
    // Precision falls and recall stays from one true detection to the next: neither sets an envelope.
    var (recalls, precisions) = ([Double](), [Double]())
    for (rank, detection) in ScoreOrder.descending(scores).enumerated() where isTrue[detection] {
      precisions.append(Double(recalls.count + 1) / Double(rank + 1))
      recalls.append(Double(recalls.count + 1) / Double(labelled))
    }
    return [
      Self.allPoints.measurement(
        InterpolatedPrecision.area(recalls: recalls, precisions: precisions), n: labelled),
      Self.elevenPoints.measurement(
        InterpolatedPrecision.atElevenRecalls(recalls: recalls, precisions: precisions),
        n: labelled),
    ]
  }
}

extension VOCDetection {
  /// Both averages.
  package static let definitions = [allPoints, elevenPoints]

  private static let allPoints = definition(
    "ap", "VOC AP over all points", "area under the falling envelope of precision over recall",
    "Everingham et al. 2010, PASCAL VOC 2010")
  private static let elevenPoints = definition(
    "ap11", "VOC AP at eleven recalls",
    "mean over the recalls 0:.1:1 of the best precision at that recall or more",
    "Everingham et al. 2010, PASCAL VOC 2007")

  private static func definition(
    _ name: String, _ title: String, _ formula: String, _ source: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "detection.voc.\(name)", title: title, stage: "detection", unit: "1",
      direction: .higher,
      formula: formula
        + "; IoU .50 of boxes whose last pixel belongs to them, duplicates are false; in [0, 1], "
        + "undefined where no label counts", source: source + "; Padilla et al. 2020"
    ).within(.unit)
  }
}

extension VOCDetection: MetricFamily {
  package static let requirements: MetricRequirements = [.labels, .ranking, .analysedFrames]

  package init(_ context: MetricContext) { self.init() }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard let detections = frame.detections else { return }
    try add(frame: frame.frame.index, labels: frame.labels, detections: detections.ranked)
  }
}
