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

  /// The frames with a label or a detection that counts.
  package var countedFrames: FrameRuns { frames.keys { $0.labelled > 0 || !$0.scores.isEmpty } }

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
    guard labelled > 0 else { return Self.measurements(nil, labelled: 0) }
    // Precision falls and recall stays from one true detection to the next: the false ones set no envelope.
    var (recalls, precisions) = ([Double](), [Double]())
    for (rank, detection) in ScoreOrder.descending(scores).enumerated() where isTrue[detection] {
      let found = Double(recalls.count + 1)
      recalls.append(found / Double(labelled))
      precisions.append(found / Double(rank + 1))
    }
    return Self.measurements(
      (
        InterpolatedPrecision.area(recalls: recalls, precisions: precisions),
        InterpolatedPrecision.atElevenRecalls(recalls: recalls, precisions: precisions)
      ), labelled: labelled)
  }

  private static func measurements(
    _ averages: (allPoints: Double, elevenPoints: Double)?, labelled: Int
  ) -> [Measurement] {
    guard let averages else {
      return definitions.map {
        $0.undefined("no labelled face counts: there is none, or all are ignored or crowds", n: 0)
      }
    }
    return [
      allPoints.measurement(averages.allPoints, n: labelled),
      elevenPoints.measurement(averages.elevenPoints, n: labelled),
    ]
  }
}

extension VOCDetection {
  /// Both averages.
  package static let definitions = [allPoints, elevenPoints]

  private static let definition = DefinitionGroup(
    prefix: "detection.voc.", direction: .higher, range: .unit,
    ending: "; IoU .50 of boxes whose last pixel belongs to them, duplicates are false; in [0, 1], "
      + "undefined where no label counts",
    source: "Everingham et al. 2010, PASCAL VOC 2010; Padilla et al. 2020")
  private static let allPoints = definition(
    "ap", "VOC AP over all points", "area under the falling envelope of precision over recall")
  private static let elevenPoints = definition(
    "ap11", "VOC AP at eleven recalls",
    "mean over the recalls 0:.1:1 of the best precision at that recall or more",
    source: "Everingham et al. 2010, PASCAL VOC 2007; Padilla et al. 2020")
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
  private struct Resampler: BatchResampler {
    /// Whether each detection is true.
    private let ranking: DrawnRanking<Bool>
    /// Labels that count, true detections, and all detections.
    private let counts: ClusterCounts

    init(_ detection: VOCDetection, of clusters: FrameClusters) {
      var counts = ClusterCounts(width: 3)
      var scored = ScoredItems<Bool>(
        capacity: detection.frames.entries.reduce(0) { $0 + $1.scores.count })
      for (frame, image) in detection.frames.keyed {
        guard let cluster = clusters.cluster(of: frame) else { continue }
        counts.add(to: cluster) {
          $0[$0.startIndex] += Int32(image.labelled)
          $0[$0.startIndex + 1] += Int32(image.isTrue.count { $0 })
          $0[$0.startIndex + 2] += Int32(image.scores.count)
        }
        for (score, isTrue) in zip(image.scores, image.isTrue) {
          scored.append(isTrue, score: score, of: cluster)
        }
      }
      self.counts = counts
      ranking = DrawnRanking(scored)
    }

    /// Goes from the lowest score up, so that the envelope of precision is known at once.
    func measurements(of batch: DrawBatch) -> [[Measurement]] {
      let counted = batch.draws.map { counts.sums($0.copies) }
      var (found, seen) = (DrawBatch.Numbers.zero, DrawBatch.Numbers.zero)
      /// True detections that the highest recall needs that is not decided yet.
      var next = DrawBatch.Numbers.zero
      var needed: [[Double]] = []
      for (lane, counted) in counted.enumerated() {
        (found[lane], seen[lane]) = (Double(counted[1]), Double(counted[2]))
        needed.append(
          (0...10).map { Double(RecallLevels.hits(reaching: Double($0) / 10, of: counted[0])) }
            .filter { $0 <= found[lane] })
        next[lane] = needed[lane].last ?? 0
      }
      var (envelope, sum) = (DrawBatch.Numbers.zero, DrawBatch.Numbers.zero)
      var atLevels = DrawBatch.Numbers.zero
      ranking.visitReversed(batch) { isTrue, _, copies in
        let times = DrawBatch.Numbers(copies)
        defer { seen -= times }
        guard isTrue else { return }
        // A draw without the detection has no better precision here than at its next true one.
        let precision = found / seen
        envelope.replace(with: precision, where: precision .> envelope)
        sum += envelope * times
        found -= times
        guard (next .> found).holdsForAny else { return }
        for lane in needed.indices {
          while next[lane] > found[lane] {
            atLevels[lane] += envelope[lane]
            needed[lane].removeLast()
            next[lane] = needed[lane].last ?? 0
          }
        }
      }
      return counted.enumerated().map { lane, counted in
        VOCDetection.measurements(
          counted[0] == 0 ? nil : (sum[lane] / Double(counted[0]), atLevels[lane] / 11),
          labelled: counted[0])
      }
    }
  }

  package static let presentation = MetricPresentation(
    needs: [.scores: Set(definitions.map(\.name)), .ranking: Set(definitions.map(\.name))])
}

extension VOCDetection.Image: Packable {
  package func pack(into row: inout RowWriter) { row.write(labelled, scores, isTrue) }
  package init(from row: inout RowReader) {
    self.init(labelled: row.read(), scores: row.read(), isTrue: row.read())
  }
}
