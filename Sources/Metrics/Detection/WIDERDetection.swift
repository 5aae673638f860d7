package import FaceCore
package import Records

/// WIDER FACE's average precision at its three levels, by the protocol of its official evaluation.
///
/// A level counts the faces whose attribute `wider_easy`, `wider_medium` or `wider_hard` is 1. By
/// falling score, each detection goes to the label that it overlaps most, the last pixel belonging to a
/// box. At IoU .5 or more it finds a face that counts, or is left out for one that does not; each
/// other one is kept, and a second one on a face is false. Scores are stretched to [0, 1] over the
/// whole dataset and cut at 1000 thresholds. Pictures without a labelled box are skipped. In [0, 1],
/// higher is better; undefined where a level counts no face, and where all scores are equal.
///
/// Source: Yang et al., WIDER FACE, 2016, and the evaluation code that comes with it.
package struct WIDERDetection: Metric {
  private struct Picture: Sendable, Hashable {
    /// Faces that each level counts.
    var counted = SIMD4<Int>()
    /// Whether any face says what a level counts.
    var hasLevels = false
    /// Lowest and highest score, also of a picture that is skipped.
    var scoreRange: ClosedRange<Double>?
    /// Scores of the detections that count in any level.
    var scores: [Double] = []
    /// A bit a level: in the low half where the detection counts, in the high half where it finds.
    var outcomes: [UInt8] = []
  }

  private static let levels = ["easy", "medium", "hard"]
  private static let attributes = levels.map { "wider_\($0)" }
  private static let thresholdCount = 1000
  private var frames: [Int: Picture] = [:]

  /// Starts without frames.
  package init() {}

  /// Whether any label says which faces a level counts.
  package var hasLevels: Bool { frames.values.contains(where: \.hasLevels) }

  /// Matches one picture with detections of every score; labels of another category take no part.
  ///
  /// Throws for a frame added before and for boxes or scores that are not well-formed.
  package mutating func add(frame: Int, labels: [FaceLabel], detections: [FaceDetection])
    throws(MetricError)
  {
    guard frames[frame] == nil else { throw .repeatedFrame(frame, in: Self.definitions[0].name) }
    try labels.validate(frame: frame)
    try detections.validate(frame: frame)
    let faces = labels.filter { $0.category == 1 }
    let levels = faces.map { face in
      Self.attributes.enumerated().reduce(UInt8(0)) {
        face.attributes[$1.element] == 1 ? $0 | 1 << UInt8($1.offset) : $0
      }
    }
    var picture = Picture()
    picture.hasLevels = faces.contains { face in
      Self.attributes.contains { face.attributes[$0] != nil }
    }
    for level in Self.levels.indices {
      picture.counted[level] = levels.count { $0 & 1 << UInt8(level) != 0 }
    }
    let ranks = detections.rankedByScore()
    if let first = ranks.first, let last = ranks.last {
      picture.scoreRange = detections[last].score...detections[first].score
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
        picture.scores.append(detections[rank].score)
        picture.outcomes.append(counts | finds << 4)
      }
    }
    frames[frame] = picture
  }

  /// Takes in the frames of another accumulator; throws where a frame is in both.
  package mutating func merge(_ other: WIDERDetection) throws(MetricError) {
    if let frame = other.frames.keys.filter({ frames[$0] != nil }).min() {
      throw .repeatedFrame(frame, in: Self.definitions[0].name)
    }
    frames.merge(other.frames) { own, _ in own }
  }

  /// Easy, medium and hard; n is how many faces the level counts.
  package func summarize() -> [Measurement] {
    let counted = frames.values.reduce(into: SIMD4<Int>()) { $0 &+= $1.counted }
    let ranges = frames.values.compactMap(\.scoreRange)
    let low = ranges.map(\.lowerBound).min() ?? 0
    let high = ranges.map(\.upperBound).max() ?? 0
    let sums = high > low ? sums(low: low, high: high) : nil
    return Self.levels.indices.map { level in
      let definition = Self.definitions[level]
      let faces = counted[level]
      if !hasLevels {
        return definition.undefined("no label says which faces WIDER's levels count", n: 0)
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
    for picture in frames.values {
      for (score, outcome) in zip(picture.scores, picture.outcomes) {
        let first = Self.firstThreshold(reachedBy: (score - low) / (high - low))
        for level in Self.levels.indices {
          let bit = UInt8(1) << UInt8(level)
          if outcome & bit != 0 { sums[first].kept[level] += 1 }
          if outcome & bit << 4 != 0 { sums[first].found[level] += 1 }
        }
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
    func threshold(_ index: Int) -> Double { 1 - Double(index + 1) / Double(thresholdCount) }
    var index = min(max(Int((1 - score) * Double(thresholdCount)), 0), thresholdCount - 1)
    while index > 0, score >= threshold(index - 1) { index -= 1 }
    while index + 1 < thresholdCount, score < threshold(index) { index += 1 }
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
      source: "Yang et al. 2016, WIDER FACE; its official evaluation code")
  }
}
