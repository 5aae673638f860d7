internal import Datasets
internal import FaceCore
internal import Metrics
internal import Records

/// Sorts labelled faces and frames into the slices that they belong to.
struct SliceScoring: Sendable {
  private let context: MetricContext
  private let absence: FamilyScores.Absence
  private var faces: [Slice: FamilyScores] = [:]
  private var frames: [Slice: FrameRuns] = [:]
  /// What slices of frames keep in place of whole videos.
  private var condensed: [Slice: FamilyScores] = [:]
  /// How many slices each dimension has.
  private var counts: [String: Int] = [:]

  /// A dimension with more slices than this is a measured quantity, and left out.
  static let maxSlices = 24

  init(_ context: MetricContext, absence: FamilyScores.Absence) {
    self.context = context
    self.absence = absence
  }

  /// Takes in one analysed frame of a labelled dataset.
  mutating func add(_ frame: ScoredFrame, frameSlices: [Slice]) throws(MetricError) {
    for slice in frameSlices where isOpen(slice, isKnown: frames[slice] != nil) {
      frames[slice, default: FrameRuns()].append(frame.frame.index)
    }
    var members: [Slice: Set<Int>] = [:]
    for label in (frame.matching.matches.map(\.label) + frame.matching.missed).sorted() {
      for slice in Slice.slices(of: frame.labels[label]) {
        members[slice, default: []].insert(label)
      }
    }
    for (slice, own) in members where isOpen(slice, isKnown: faces[slice] != nil) {
      try faces[slice, default: FamilyScores(context, absence: absence, isSliceOfFaces: true)].add(
        frame.restricted(to: { own.contains($0) }))
    }
  }

  /// Keeps of a whole video, the last there is, only what is needed in place of its frames; `whole` still has them.
  mutating func condense(_ video: Range<Int>, of whole: FamilyScores) throws(MetricError) {
    for slice in faces.keys { faces[slice]?.condense(video) }
    for (slice, frames) in frames {
      let own = frames.within(video)
      guard !own.isEmpty else { continue }
      let part = whole.condensed(own, withHeadlines: Self.isSeverity(slice))
      if condensed[slice] == nil {
        condensed[slice] = part
      } else {
        try condensed[slice]?.mergeCondensed(part)
      }
    }
  }

  /// Severities report what stands for the run, so that a report can draw it over them.
  private static func isSeverity(_ slice: Slice) -> Bool {
    SeverityAttribute.degradation(of: slice.dimension) != nil
  }

  /// How many bytes what is kept takes.
  var byteCount: Int {
    faces.values.reduce(0) { $0 + $1.byteCount } + frames.values.reduce(0) { $0 + $1.byteCount }
      + condensed.values.reduce(0) { $0 + $1.byteCount }
  }

  /// Takes in the slices of a later stretch of the dataset.
  mutating func merge(_ other: SliceScoring) throws(MetricError) {
    for (slice, own) in other.faces where faces[slice] != nil {
      try faces[slice]?.merge(own)
    }
    faces.merge(other.faces) { own, _ in own }
    for (slice, own) in other.frames { frames[slice, default: FrameRuns()].append(own) }
    for (slice, own) in other.condensed where condensed[slice] != nil {
      try condensed[slice]?.mergeCondensed(own)
    }
    condensed.merge(other.condensed) { own, _ in own }
    let known = Dictionary(grouping: Array(faces.keys) + frames.keys, by: \.dimension)
    for (dimension, count) in other.counts {
      let closed = max(count, counts[dimension, default: 0])
      counts[dimension] = closed > Self.maxSlices ? closed : known[dimension]?.count ?? 0
    }
    for (dimension, count) in counts where count > Self.maxSlices { close(dimension) }
  }

  private mutating func close(_ dimension: String) {
    faces = faces.filter { $0.key.dimension != dimension }
    frames = frames.filter { $0.key.dimension != dimension }
    condensed = condensed.filter { $0.key.dimension != dimension }
  }

  /// Whether a slice takes more; counts a new one, and closes a dimension of too many.
  private mutating func isOpen(_ slice: Slice, isKnown: Bool) -> Bool {
    if !isKnown { counts[slice.dimension, default: 0] += 1 }
    guard counts[slice.dimension, default: 0] <= Self.maxSlices else {
      close(slice.dimension)
      return false
    }
    return true
  }

  /// The dimensions that have slices to compare: two or more, and not too many.
  private var dimensions: Set<String> {
    Set(counts.filter { (2...Self.maxSlices).contains($0.value) }.keys)
  }

  /// The slices in order; `whole` has the scores of all frames, `absence` why some are undefined.
  func parts(of whole: FamilyScores) -> [ScoredPart] {
    let dimensions = dimensions
    let faces = faces.filter { dimensions.contains($0.key.dimension) }.map { slice, scores in
      var scores = scores
      scores.absence = whole.absence
      return (slice: slice, part: ScoredPart(slice: slice.name, scores: scores))
    }
    let headlines =
      frames.keys.contains(where: Self.isSeverity)
      ? Set(MetricCatalog.headlines(among: whole.groups().flatMap(\.metrics))) : []
    let frames = frames.filter { dimensions.contains($0.key.dimension) }.map { slice, frames in
      (
        slice: slice,
        part: ScoredPart(
          slice: slice.name, scores: whole, frames: frames, condensed: condensed[slice],
          headlines: Self.isSeverity(slice) ? headlines : nil)
      )
    }
    return (faces + frames).sorted { $0.slice < $1.slice }.map(\.part)
  }

  /// What a reader must know of the slices.
  func notes() -> [String] {
    let many = counts.filter { $0.value > Self.maxSlices }.keys.sorted().map { "'\($0)'" }
    guard many.count > 1 else {
      return many.map { "\($0) has more than \(Self.maxSlices) values and makes no slices." }
    }
    return [
      "\(many.joined(separator: ", ")) have more than \(Self.maxSlices) values each and make no "
        + "slices."
    ]
  }
}

extension Slice {
  /// The parts that a frame belongs to; of a clip of `facegauge animate` also its motion.
  static func slices(of frame: FrameContext, subject: String, video: String?) -> [Slice] {
    slices(ofFrame: frame.attributes, subject: subject)
      + [video.flatMap(Motion.ofClip).map { Slice("motion", $0.rawValue) }].compactMap(\.self)
  }
}
