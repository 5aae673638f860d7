internal import FaceCore
internal import Metrics
internal import Records

/// Sorts labelled faces and frames into the slices that they belong to.
struct SliceScoring: Sendable {
  private let tracker: JudgedTracker
  private let rules: ExpressionRules
  private var faces: [Slice: FaceSliceScoring] = [:]
  private var frames: [Slice: [Int]] = [:]
  /// How many slices each dimension has.
  private var counts: [String: Int] = [:]

  /// A dimension with more slices than this is a measured quantity, and left out.
  static let mostSlices = 24

  init(_ tracker: JudgedTracker, rules: ExpressionRules) {
    self.tracker = tracker
    self.rules = rules
  }

  /// Takes in one analysed frame of a labelled dataset.
  mutating func add(
    _ frame: Int, labels: [FaceLabel], faces predicted: [FacePrediction], matching: FaceMatching,
    pairs: FaceMatching, outcome: DetectionOutcome?, frameSlices: [Slice]
  ) throws(MetricError) {
    for slice in frameSlices where isOpen(slice, isKnown: frames[slice] != nil) {
      frames[slice, default: []].append(frame)
    }
    var members: [Slice: Set<Int>] = [:]
    for label in (matching.matches.map(\.label) + matching.missed).sorted() {
      for slice in Slice.slices(of: labels[label]) { members[slice, default: []].insert(label) }
    }
    for (slice, own) in members where isOpen(slice, isKnown: faces[slice] != nil) {
      try faces[slice, default: FaceSliceScoring(tracker, rules: rules)].add(
        frame, labels: labels, faces: predicted, matching: matching, pairs: pairs, outcome: outcome,
        where: own.contains)
    }
  }

  /// Whether a slice takes more; counts a new one, and closes a dimension of too many.
  private mutating func isOpen(_ slice: Slice, isKnown: Bool) -> Bool {
    if !isKnown { counts[slice.dimension, default: 0] += 1 }
    guard counts[slice.dimension, default: 0] <= Self.mostSlices else {
      faces = faces.filter { $0.key.dimension != slice.dimension }
      frames = frames.filter { $0.key.dimension != slice.dimension }
      return false
    }
    return true
  }

  /// The dimensions that have slices to compare: two or more, and not too many.
  private var dimensions: Set<String> {
    Set(counts.filter { (2...Self.mostSlices).contains($0.value) }.keys)
  }

  /// The slices with their parts, in order; `whole` is the scoring of all frames.
  func parts(of whole: Scoring) -> [ScoredPart] {
    let dimensions = dimensions
    let faces = faces.filter { dimensions.contains($0.key.dimension) }
      .map { (slice: $0.key, part: ScoredPart(faces: $0.value, slice: $0.key.name)) }
    let frames = frames.filter { dimensions.contains($0.key.dimension) }
      .map { slice, keys in
        var part = whole
        let keys = Set(keys)
        part.draw(FrameDraw(0..<(keys.max() ?? 0) + 1, where: keys.contains))
        return (slice: slice, part: ScoredPart(frames: part, slice: slice.name))
      }
    return (faces + frames).sorted { $0.slice < $1.slice }.map(\.part)
  }

  /// What a reader must know of the slices.
  func notes() -> [String] {
    counts.filter { $0.value > Self.mostSlices }.keys.sorted().map { dimension in
      "'\(dimension)' has more than \(Self.mostSlices) values and makes no slices."
    }
  }
}
