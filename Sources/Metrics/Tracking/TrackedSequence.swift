internal import FaceCore

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
  /// Frames whose largest face is compared with that of the frame before, and those where it is another.
  let largestCompared: Int, largestChanges: Int
  /// From the first frame to the last, whatever became of them; of a labelled sequence what its labelled frames span.
  let microseconds: Int64
  /// How often a face could have been there.
  private(set) var occasions = 0
  /// How often it was.
  private(set) var found = 0
  private(set) var gaps: [Gap] = []
  /// Whether a face was ever labelled, or in a dataset without labels ever given out.
  let hasFace: Bool

  /// Takes the frames of a sequence, or of a stretch of one; without `isLabelled` one without a label is not labelled,
  /// nor is one whose frames are all unlabelled.
  ///
  /// A stretch `isOfLabelledClip` where it is of the only clip of a dataset, which has a face.
  init(
    index: Int, frames: [(key: Int, entry: FaceTracking.Entry)], isLabelled: Bool,
    isOfLabelledClip: Bool
  ) {
    self.index = index
    let analysed = frames.filter { $0.entry.status == .analysed }
    self.analysed = analysed.count
    let isLabelled =
      isOfLabelledClip || isLabelled && !analysed.allSatisfy(\.entry.isUnlabelled)
    detectorRuns = analysed.count { $0.entry.detectorRan }
    dropped = frames.count { $0.entry.status == .dropped }
    largestCompared = analysed.count { $0.entry.isLargestOther != nil }
    largestChanges = analysed.count { $0.entry.isLargestOther == true }
    let faces = Set(analysed.flatMap(\.entry.labelled.keys)).sorted()
    let isOfLabels = isLabelled || !faces.isEmpty
    let timed = isOfLabels ? frames.filter { !$0.entry.isUnlabelled } : frames
    microseconds = Self.span(
      of: timed.map(\.entry.time), upTo: frames.last?.entry.time ?? 0)
    hasFace =
      isOfLabelledClip || !faces.isEmpty
      || !isLabelled && analysed.contains { $0.entry.hasFaces }
    if !isOfLabels {
      add(
        analysed.map {
          FaceGap.Sighting(frame: $0.key, time: $0.entry.time, isFound: $0.entry.hasFaces)
        },
        face: nil)
    }
    let known = analysed.filter { !$0.entry.isUnlabelled }
    var positions: [FaceTracking.LabelledFace: [Int]] = [:]
    for (position, frame) in known.enumerated() {
      for face in frame.entry.labelled.keys { positions[face, default: []].append(position) }
    }
    for face in faces {
      var rest = (positions[face] ?? [])[...]
      while let first = rest.first {
        let count = zip(rest, first...).prefix { $0 == $1 }.count
        add(
          known[first..<first + count].map {
            FaceGap.Sighting(
              frame: $0.key, time: $0.entry.time, isFound: $0.entry.labelled[face] == true)
          }, face: face)
        rest = rest.dropFirst(count)
      }
    }
  }

  /// From the first time to the last one, and up to one step more where the end is later.
  private static func span(of times: [Int64], upTo end: Int64) -> Int64 {
    guard let first = times.first, let last = times.last else { return 0 }
    let step = times.count > 1 ? last - times[times.count - 2] : 0
    return last - first + min(end - last, step)
  }

  private mutating func add(_ sightings: [FaceGap.Sighting], face: FaceTracking.LabelledFace?) {
    occasions += sightings.count
    found += sightings.count(where: \.isFound)
    gaps += FaceGap.all(in: sightings, afterFirst: face == nil).map { Gap(face: face, gap: $0) }
  }
}
