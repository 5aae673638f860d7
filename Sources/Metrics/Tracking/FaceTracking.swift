package import FaceCore

/// How well faces are kept from frame to frame, over the video sequences of a dataset.
///
/// Needs no labels. In a sequence where no label counts, a frame is one occasion to have a face, and
/// it is there if any face is given out; what comes before the first face is no gap. In a labelled
/// sequence every labelled face in a frame is an occasion, and it is there if it has a prediction of
/// IoU .50 or more (`FaceMatching`); a face is followed by its identity, or else by its position
/// among the labels. Frames that were dropped or broken are no occasions. Stills do not count.
package struct FaceTracking: FrameMetric {
  /// One frame of a video, analysed or not.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    /// Index of the sequence.
    package var sequence: Int
    var time: Int64
    var status: FramePrediction.Status
    var detectorRan: Bool
    var hasFaces: Bool
    var labelled: [LabelledFace: Bool]
  }

  /// A labelled face within a sequence: who it is, or else where it stands among the labels.
  struct LabelledFace: Sendable, Hashable, Comparable {
    var identity: Int?
    var position: Int

    static func < (first: LabelledFace, second: LabelledFace) -> Bool {
      (first.identity ?? -1, first.position) < (second.identity ?? -1, second.position)
    }
  }

  /// So many frames without a face make a loss; a shorter stretch is only a gap.
  package let framesOfLoss: Int
  /// What is kept of each frame.
  package var frames = FrameTable<Entry>()

  /// Starts without frames; a loss is `framesOfLoss` frames or more, at least 1.
  package init(framesOfLoss: Int = 3) {
    self.framesOfLoss = max(1, framesOfLoss)
  }

  /// Takes in one frame, analysed or not; a frame of a sequence of stills is left out.
  ///
  /// Timestamps must rise with the frames' indices within a sequence. Throws for a frame added before.
  package mutating func add(
    _ frame: Frame, isVideo: Bool, prediction: FramePrediction, labels: [FaceLabel],
    matching: FaceMatching
  ) throws(MetricError) {
    guard isVideo else { return }
    let found = Set(matching.matches.map(\.label))
    var labelled: [LabelledFace: Bool] = [:]
    for (position, label) in (found.union(matching.missed)).sorted().enumerated() {
      let identity = labels[label].identity
      var face = LabelledFace(identity: identity, position: identity == nil ? position : 0)
      while labelled[face] != nil { face.position += 1 }
      labelled[face] = found.contains(label)
    }
    try add(
      Entry(
        sequence: frame.sequence, time: frame.timestampMicroseconds, status: prediction.status,
        detectorRan: prediction.detectorRan, hasFaces: !prediction.faces.isEmpty, labelled: labelled
      ), for: frame.index)
  }

  /// The figure that errors name.
  package static var table: String { "tracking" }

  /// Throws where the settings differ.
  package func check(_ other: FaceTracking) throws(MetricError) {
    guard framesOfLoss == other.framesOfLoss else {
      throw .lossesDiffer(framesOfLoss, other.framesOfLoss)
    }
  }

  /// Every frame of a sequence with the figures that follow from it, in the order of sequences.
  func sequences() -> [TrackedSequence] {
    frames.sequences.map { index, keys, entries in
      TrackedSequence(index: index, frames: zip(keys, entries).map { ($0, $1) })
    }
  }
}

/// The occasions and gaps of one sequence.
struct TrackedSequence {
  /// A gap, and which labelled face has it; nil for any face.
  struct Gap {
    var face: FaceTracking.LabelledFace?
    var gap: FaceGap
  }

  let index: Int
  let analysed: Int
  let detectorRuns: Int
  let dropped: Int
  /// From the first frame to the last, whatever became of them.
  let microseconds: Int64
  /// How often a face could have been there.
  private(set) var occasions = 0
  /// How often it was.
  private(set) var found = 0
  private(set) var gaps: [Gap] = []
  /// Whether a face was ever labelled, or without labels ever given out.
  let hasFace: Bool

  init(index: Int, frames: [(key: Int, entry: FaceTracking.Entry)]) {
    self.index = index
    let analysed = frames.filter { $0.entry.status == .analysed }
    self.analysed = analysed.count
    detectorRuns = analysed.count { $0.entry.detectorRan }
    dropped = frames.count { $0.entry.status == .dropped }
    microseconds = (frames.last?.entry.time ?? 0) - (frames.first?.entry.time ?? 0)
    let faces = Set(analysed.flatMap(\.entry.labelled.keys)).sorted()
    hasFace = !faces.isEmpty || analysed.contains { $0.entry.hasFaces }
    if faces.isEmpty {
      add(
        analysed.map {
          FaceGap.Sighting(frame: $0.key, time: $0.entry.time, isFound: $0.entry.hasFaces)
        },
        face: nil)
    }
    for face in faces {
      let isThere = { (entry: FaceTracking.Entry) in entry.labelled[face] != nil }
      var rest = analysed[...]
      while let first = rest.firstIndex(where: { isThere($0.entry) }) {
        let run = rest[first...].prefix { isThere($0.entry) }
        add(
          run.map {
            FaceGap.Sighting(
              frame: $0.key, time: $0.entry.time, isFound: $0.entry.labelled[face] == true)
          }, face: face)
        rest = rest[run.endIndex...]
      }
    }
  }

  private mutating func add(_ sightings: [FaceGap.Sighting], face: FaceTracking.LabelledFace?) {
    occasions += sightings.count
    found += sightings.count(where: \.isFound)
    gaps += FaceGap.all(in: sightings, afterFirst: face == nil).map { Gap(face: face, gap: $0) }
  }
}
