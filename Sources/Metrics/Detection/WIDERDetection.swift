package import FaceCore
package import Records

/// WIDER FACE's average precision at its three levels, by the protocol of its official evaluation.
///
/// A level counts the faces whose attribute `wider_easy`, `wider_medium` or `wider_hard` is 1. By
/// falling score, each detection goes to the label that it overlaps most, the last pixel belonging to a
/// box. At IoU .5 or more it finds a face that counts, or is left out for one that does not; each
/// other one is kept, and a second one on a face is false. Scores are stretched to [0, 1] over the
/// whole dataset and cut at 1000 thresholds. Images without a labelled box are skipped. In [0, 1],
/// higher is better; undefined where a level counts no face, and where all scores are equal.
///
/// Source: Yang et al., WIDER FACE, 2016, and the evaluation code that comes with it.
package struct WIDERDetection: FrameMetric {
  /// One image.
  package struct Image: Sendable, Hashable {
    /// Faces that each level counts.
    var counted = SIMD4<Int>()
    /// Whether any face states which levels count it.
    var hasLevels = false
    /// Lowest and highest score, also of an image that is skipped.
    var scoreRange: ClosedRange<Double>?
    /// Scores of the detections that count in any level.
    var scores: [Double] = []
    /// A bit a level: in the low half where the detection counts, in the high half where it finds.
    var outcomes: [UInt8] = []
  }

  private static let levels = ["easy", "medium", "hard"]
  private static let attributes = levels.map { "wider_\($0)" }
  private static let thresholdCount = 1000
  private static let thresholds = (1...thresholdCount).map {
    1 - Double($0) / Double(thresholdCount)
  }
  package var frames = FrameTable<Image>()

  /// Whether a label may state which levels count its face; nothing is kept where none can.
  private let mayHaveLevels: Bool

  /// Starts without frames.
  package init(mayHaveLevels: Bool = true) {
    self.mayHaveLevels = mayHaveLevels
  }

  /// The frames with a label or a detection that counts.
  package var countedFrames: FrameRuns {
    frames.keys { $0.counted != SIMD4() || !$0.scores.isEmpty }
  }

  /// Whether any label states which levels count its face.
  package var hasLevels: Bool { frames.entries.contains(where: \.hasLevels) }

  /// Matches one image with detections of every score; labels of another category take no part.
  ///
  /// Throws for a frame added before and for boxes or scores that are not well-formed.
  package mutating func add(frame: Int, labels: [FaceLabel], detections: [FaceDetection])
    throws(MetricError)
  {
    try labels.validate(frame: frame)
    try detections.validate(frame: frame)
    let faces = labels.filter { $0.category == 1 }
    let levels = faces.map { face -> UInt8 in
      var bits: UInt8 = 0
      for (level, name) in Self.attributes.enumerated() where face.attributes[name] == 1 {
        bits |= 1 << UInt8(level)
      }
      return bits
    }
    var image = Image()
    image.hasLevels = faces.contains { face in
      Self.attributes.contains { face.attributes[$0] != nil }
    }
    for level in Self.levels.indices {
      let bit: UInt8 = 1 << UInt8(level)
      image.counted[level] = levels.count { $0 & bit != 0 }
    }
    let ranks = detections.rankedByScore()
    if let first = ranks.first, let last = ranks.last {
      image.scoreRange = detections[last].score...detections[first].score
    }
    if !faces.isEmpty {
      let nearest = NearestLabel(faces.map(\.box))
      var isFound = faces.map { _ in false }
      for rank in ranks {
        var (counts, finds): (UInt8, UInt8) = (0b111, 0)
        if let face = nearest.label(of: detections[rank].box, minOverlap: 0.5) {
          counts = levels[face]
          finds = isFound[face] ? 0 : counts
          isFound[face] = true
        }
        guard counts != 0 else { continue }
        image.scores.append(detections[rank].score)
        image.outcomes.append(counts | finds << 4)
      }
    }
    try add(image, for: frame)
  }

  /// Easy, medium and hard; n is how many faces the level counts.
  package func summarize() -> [Measurement] {
    let counted = frames.entries.reduce(into: SIMD4<Int>()) { $0 &+= $1.counted }
    let ranges = frames.entries.compactMap(\.scoreRange)
    let low = ranges.map(\.lowerBound).min() ?? 0
    let high = ranges.map(\.upperBound).max() ?? 0
    return Self.measurements(
      counted, hasLevels: hasLevels, hasScores: !ranges.isEmpty,
      high > low ? sums(low: low, high: high) : nil)
  }

  /// Of the counted faces of each level; `sums` are those at each threshold, nil where all scores are equal.
  private static func measurements(
    _ counted: SIMD4<Int>, hasLevels: Bool, hasScores: Bool, _ sums: [Sums]?
  ) -> [Measurement] {
    levels.indices.map { level in
      let definition = definitions[level]
      let faces = counted[level]
      if !hasLevels {
        return definition.undefined("no label states which of WIDER's levels count its face", n: 0)
      }
      if faces == 0 { return definition.undefined("this level counts no face", n: 0) }
      if !hasScores { return definition.measurement(0, n: faces) }
      guard let sums else {
        return definition.undefined(
          "all scores are equal, so that they cannot be stretched to [0, 1]", n: faces)
      }
      let recalls = sums.map { Double($0.found[level]) / Double(faces) }
      let precisions = sums.map {
        $0.kept[level] > 0 ? Double($0.found[level]) / Double($0.kept[level]) : 0
      }
      return definition.measurement(
        InterpolatedPrecision.area(recalls: recalls, precisions: precisions), n: faces)
    }
  }

  private struct Sums {
    var kept = SIMD4<Int>()
    var found = SIMD4<Int>()
  }

  /// At each threshold how many detections are kept and how many faces found, a lane a level.
  private func sums(low: Double, high: Double) -> [Sums] {
    var sums = Array(repeating: Sums(), count: Self.thresholdCount)
    let lanes = Self.lanes
    for image in frames.entries {
      for index in image.scores.indices {
        let outcome = Int(image.outcomes[index])
        let score = (image.scores[index] - low) / (high - low)
        let first = Self.firstThreshold(reachedBy: score)
        sums[first].kept &+= lanes[outcome & 15]
        sums[first].found &+= lanes[outcome >> 4]
      }
    }
    for index in sums.indices.dropFirst() {
      sums[index].kept &+= sums[index - 1].kept
      sums[index].found &+= sums[index - 1].found
    }
    return sums
  }

  /// A one in each lane whose bit is set, for each of 16 sets of bits.
  private static let lanes: [SIMD4<Int>] = (0..<16).map { (bits: Int) -> SIMD4<Int> in
    SIMD4(bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1)
  }

  /// The first of the falling thresholds 1 − k / 1000 that a stretched score reaches, from 0.
  private static func firstThreshold(reachedBy score: Double) -> Int {
    var index = min(max(Int((1 - score) * Double(thresholdCount)), 0), thresholdCount - 1)
    while index > 0, score >= thresholds[index - 1] { index -= 1 }
    while index + 1 < thresholdCount, score < thresholds[index] { index += 1 }
    return index
  }
}

extension WIDERDetection {
  /// Easy, medium and hard.
  package static let definitions = levels.map { level in
    MetricDefinition(
      "detection.wider.\(level)", "WIDER AP, \(level)", .higher, in: .unit,
      "area under the falling envelope of precision over recall at 1000 thresholds of the "
        + "scores stretched to [0, 1] over the dataset; IoU .50 of boxes whose last pixel belongs "
        + "to them, faces with wider_\(level) 1; in [0, 1], undefined where none counts",
      source: "Yang et al. 2016, WIDER FACE; its official evaluation code")
  }
}

extension WIDERDetection: MetricFamily {
  package static let requirements: MetricRequirements = [.labels, .ranking, .analysedFrames]

  package init(_ context: MetricContext) {
    self.init(
      mayHaveLevels: context.labelAttributes?.contains(where: Self.attributes.contains) ?? true)
  }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard mayHaveLevels, let detections = frame.detections else { return }
    try add(frame: frame.frame.index, labels: frame.labels, detections: detections.ranked)
  }

  package var isPresent: Bool { hasLevels }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    Resampler(self, of: clusters)
  }

  /// The levels for draws of clusters, from detections that were ranked once.
  private struct Resampler: BatchResampler {
    /// The outcome of each detection.
    private let ranking: DrawnRanking<UInt8>
    /// Counted faces, kept detections and found faces, each by level; images with levels, and with scores.
    private let counts: ClusterCounts
    /// Lowest and highest score of each cluster that has any.
    private let ranges: [(cluster: Int, scores: ClosedRange<Double>)]

    init(_ detection: WIDERDetection, of clusters: FrameClusters) {
      var counts = ClusterCounts(width: 11)
      var ranges: [Int: ClosedRange<Double>] = [:]
      var scored = ScoredItems<UInt8>(
        capacity: detection.frames.entries.reduce(0) { $0 + $1.scores.count })
      for (frame, image) in detection.frames.keyed {
        guard let cluster = clusters.cluster(of: frame) else { continue }
        func count(_ bit: Int) -> Int32 {
          let mask: UInt8 = 1 << UInt8(bit)
          return Int32(image.outcomes.count { $0 & mask != 0 })
        }
        counts.add(to: cluster) { counts in
          let start = counts.startIndex
          for level in 0..<3 {
            counts[start + level] += Int32(image.counted[level])
            counts[start + 3 + level] += count(level)
            counts[start + 6 + level] += count(4 + level)
          }
          counts[start + 9] += image.hasLevels ? 1 : 0
          counts[start + 10] += image.scoreRange == nil ? 0 : 1
        }
        if let own = image.scoreRange {
          let former = ranges[cluster] ?? own
          ranges[cluster] =
            min(former.lowerBound, own.lowerBound)...max(former.upperBound, own.upperBound)
        }
        for (score, outcome) in zip(image.scores, image.outcomes) {
          scored.append(outcome, score: score, of: cluster)
        }
      }
      self.counts = counts
      self.ranges = ranges.map { ($0.key, $0.value) }
      ranking = DrawnRanking(scored)
    }

    /// Goes from the lowest score up: from a threshold on there are those that were not passed before it.
    func measurements(of batch: DrawBatch) -> [[Measurement]] {
      let counted = batch.draws.map { counts.sums($0.copies) }
      var (low, high) = (
        DrawBatch.Numbers(repeating: .infinity), -DrawBatch.Numbers(repeating: .infinity)
      )
      for (cluster, scores) in ranges {
        let isDrawn = DrawBatch.Numbers(batch.copies[cluster]) .> 0
        low.replace(with: pointwiseMin(low, .init(repeating: scores.lowerBound)), where: isDrawn)
        high.replace(with: pointwiseMax(high, .init(repeating: scores.upperBound)), where: isDrawn)
      }
      let width = high - low
      var left = Left(counted)
      var first = counted.map { _ in WIDERDetection.thresholdCount }
      var sums = counted.map { _ in [Sums](repeating: Sums(), count: WIDERDetection.thresholdCount)
      }
      /// The stretched score that reaches a threshold before those; none does where all scores are equal.
      var next = DrawBatch.Numbers(repeating: .nan)
      next.replace(with: -.infinity, where: width .> 0)
      ranking.visitReversed(batch) { outcome, score, times in
        let stretched = (score - low) / width
        // One that a draw does not have reaches no threshold before its time.
        let isReached = stretched .>= next
        if isReached.holdsForAny {
          for lane in counted.indices where isReached[lane] {
            // A detection that the draw does not have may be far outside its scores.
            let reached = WIDERDetection.firstThreshold(
              reachedBy: min(max(stretched[lane], -1), 2))
            let own = left.sums(lane)
            for threshold in reached..<first[lane] { sums[lane][threshold] = own }
            first[lane] = reached
            next[lane] = reached > 0 ? WIDERDetection.thresholds[reached - 1] : .infinity
          }
        }
        left.pass(outcome, times)
      }
      return counted.indices.map { lane in
        WIDERDetection.measurements(
          SIMD4(counted[lane][0], counted[lane][1], counted[lane][2], 0),
          hasLevels: counted[lane][9] > 0, hasScores: counted[lane][10] > 0,
          width[lane] > 0 && width[lane].isFinite ? sums[lane] : nil)
      }
    }
  }

  /// Detections that are not passed yet, of several draws side by side.
  private struct Left {
    /// Those that are kept and those that find a face, by level.
    private var kept, found: (SIMD8<Int32>, SIMD8<Int32>, SIMD8<Int32>)

    /// All, from the counts of each draw.
    init(_ counted: [[Int]]) {
      func numbers(_ position: Int) -> SIMD8<Int32> {
        var numbers = SIMD8<Int32>.zero
        for lane in counted.indices { numbers[lane] = Int32(counted[lane][position]) }
        return numbers
      }
      kept = (numbers(3), numbers(4), numbers(5))
      found = (numbers(6), numbers(7), numbers(8))
    }

    /// Takes off a detection as often as each draw has it.
    mutating func pass(_ outcome: UInt8, _ times: SIMD8<Int32>) {
      if outcome & 1 != 0 { kept.0 &-= times }
      if outcome & 2 != 0 { kept.1 &-= times }
      if outcome & 4 != 0 { kept.2 &-= times }
      if outcome & 16 != 0 { found.0 &-= times }
      if outcome & 32 != 0 { found.1 &-= times }
      if outcome & 64 != 0 { found.2 &-= times }
    }

    /// What a draw has.
    func sums(_ lane: Int) -> Sums {
      Sums(
        kept: SIMD4(Int(kept.0[lane]), Int(kept.1[lane]), Int(kept.2[lane]), 0),
        found: SIMD4(Int(found.0[lane]), Int(found.1[lane]), Int(found.2[lane]), 0))
    }
  }

  package static let presentation = MetricPresentation(
    needs: [.scores: Set(definitions.map(\.name)), .ranking: Set(definitions.map(\.name))],
    headlines: [.init(.ranking, definitions.map(\.name))])
}

extension WIDERDetection.Image: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(counted, hasLevels, scoreRange?.lowerBound, scoreRange?.upperBound, scores, outcomes)
  }

  package init(from row: inout RowReader) {
    self.init(counted: row.read(), hasLevels: row.read())
    let (low, high): (Double?, Double?) = (row.read(), row.read())
    if let low, let high { scoreRange = low...high }
    scores = row.read()
    outcomes = row.read()
  }
}
