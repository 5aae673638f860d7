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
  /// What is kept of each frame.
  package var frames = FrameTable<Image>()

  /// Whether a label may state which levels count its face; nothing is kept where none can.
  private let mayHaveLevels: Bool

  /// Starts without frames.
  package init() { self.init(mayHaveLevels: true) }

  private init(mayHaveLevels: Bool) {
    self.mayHaveLevels = mayHaveLevels
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
    let levels = faces.map { face in
      Self.attributes.enumerated().reduce(UInt8(0)) {
        face.attributes[$1.element] == 1 ? $0 | 1 << UInt8($1.offset) : $0
      }
    }
    var image = Image()
    image.hasLevels = faces.contains { face in
      Self.attributes.contains { face.attributes[$0] != nil }
    }
    for level in Self.levels.indices {
      image.counted[level] = levels.count { $0 & 1 << UInt8(level) != 0 }
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

  /// The metric that errors name.
  package static var table: String { Self.definitions[0].name }

  /// Easy, medium and hard; n is how many faces the level counts.
  package func summarize() -> [Measurement] {
    let counted = frames.entries.reduce(into: SIMD4<Int>()) { $0 &+= $1.counted }
    let ranges = frames.entries.compactMap(\.scoreRange)
    let low = ranges.map(\.lowerBound).min() ?? 0
    let high = ranges.map(\.upperBound).max() ?? 0
    let sums = high > low ? sums(low: low, high: high) : nil
    return Self.levels.indices.map { level in
      let definition = Self.definitions[level]
      let faces = counted[level]
      if !hasLevels {
        return definition.undefined("no label states which of WIDER's levels count its face", n: 0)
      }
      if faces == 0 { return definition.undefined("this level counts no face", n: 0) }
      if ranges.isEmpty { return definition.measurement(0, n: faces) }
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
    let lanes = (0..<16).map { bits in SIMD4((0..<4).map { bits >> $0 & 1 }) }
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
      name: "detection.wider.\(level)", title: "WIDER AP, \(level)", stage: "detection", unit: "1",
      direction: .higher,
      formula: "area under the falling envelope of precision over recall at 1000 thresholds of the "
        + "scores stretched to [0, 1] over the dataset; IoU .50 of boxes whose last pixel belongs "
        + "to them, faces with wider_\(level) 1; in [0, 1], undefined where none counts",
      source: "Yang et al. 2016, WIDER FACE; its official evaluation code"
    ).within(.unit)
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
}

extension WIDERDetection {
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
