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
    var (scores, isTrue) = ([Double](), [Bool]())
    for image in images {
      scores += image.scores
      isTrue += image.isTrue
    }
    var hits = Hits(labelled: labelled)
    for detection in ScoreOrder.descending(scores) { hits.add(isTrue: isTrue[detection], times: 1) }
    return hits.measurements
  }
}

extension VOCDetection {
  /// The true detections by falling score, from which both averages follow.
  private struct Hits {
    let labelled: Int
    private var seen = 0
    private var recalls: [Double] = []
    private var precisions: [Double] = []

    init(labelled: Int) {
      self.labelled = labelled
    }

    /// Adds a detection as often as it comes in a row.
    ///
    /// Precision falls and recall stays from one true detection to the next: neither sets an envelope.
    mutating func add(isTrue: Bool, times: Int) {
      guard isTrue else {
        seen += times
        return
      }
      for _ in 0..<times {
        seen += 1
        precisions.append(Double(recalls.count + 1) / Double(seen))
        recalls.append(Double(recalls.count + 1) / Double(labelled))
      }
    }

    var measurements: [Measurement] {
      guard labelled > 0 else {
        return VOCDetection.definitions.map {
          $0.undefined(
            "no labelled face counts: there is none, or all are ignored or crowds", n: 0)
        }
      }
      return [
        VOCDetection.allPoints.measurement(
          InterpolatedPrecision.area(recalls: recalls, precisions: precisions), n: labelled),
        VOCDetection.elevenPoints.measurement(
          InterpolatedPrecision.atElevenRecalls(recalls: recalls, precisions: precisions),
          n: labelled),
      ]
    }
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

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    Resampler(self, of: clusters)
  }

  /// Both averages for draws of clusters, from detections that were ranked once.
  private struct Resampler: FamilyResampler {
    private let ranking: DrawnRanking<Bool>
    private let labelled: ClusterCounts

    init(_ detection: VOCDetection, of clusters: FrameClusters) {
      var labelled = ClusterCounts(width: 1)
      var scored: [(cluster: Int, score: Double, item: Bool)] = []
      for (frame, image) in detection.frames.keyed {
        guard let cluster = clusters.cluster(of: frame) else { continue }
        labelled.add(to: cluster) { $0[$0.startIndex] += Int32(image.labelled) }
        scored += zip(image.scores, image.isTrue).map { (cluster, $0, $1) }
      }
      self.labelled = labelled
      ranking = DrawnRanking(scored)
    }

    func measurements(of draw: ClusterDraw) -> [Measurement] {
      var hits = Hits(labelled: labelled.sums(draw.copies)[0])
      ranking.visit(draw.copies) { hits.add(isTrue: $0, times: $1) }
      return hits.measurements
    }
  }
}

extension VOCDetection.Image: Packable {
  package func pack(into row: inout RowWriter) { row.write(labelled, scores, isTrue) }
  package init(from row: inout RowReader) {
    self.init(labelled: row.read(), scores: row.read(), isTrue: row.read())
  }
}
