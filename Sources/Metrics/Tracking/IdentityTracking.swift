package import FaceCore

/// How well faces keep who they are: CLEAR-MOT, ID measures and HOTA over the labelled video sequences.
///
/// Faces are compared by the boxes of `FaceMatching`, pairs have an IoU of .50 or more but for HOTA, and
/// each sequence stands alone. A prediction on an ignored label, a crowd or a labelled face without
/// identity counts neither way; one without identity is a track of that frame alone. Where an
/// identity is twice in a frame, the second has none. Frames that were not analysed are left out.
package struct IdentityTracking: FrameMetric {
  /// One analysed frame.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    /// Index of the sequence.
    package var sequence: Int
    /// Who is labelled, ascending.
    var people: [Int]
    /// Who is given out, ascending; nil, at the end, for a face without identity.
    var tracks: [Int?]
    /// IoU of each person with each track, a row a person.
    var overlaps: [Double]
  }

  /// What is kept of each frame.
  package var frames = FrameTable<Entry>()

  /// Starts without frames.
  package init() {}

  /// Whether there are identities on both sides, so that the figures mean something.
  package var hasIdentities: Bool {
    frames.entries.contains { !$0.people.isEmpty }
      && frames.entries.contains { $0.tracks.contains { $0 != nil } }
  }

  /// Takes in one frame with who is who in it; throws for a frame added before.
  package mutating func add(
    _ frame: Frame, isVideo: Bool, prediction: FramePrediction, labels: [FaceLabel],
    matching: FaceMatching
  ) throws(MetricError) {
    guard isVideo, prediction.status == .analysed else { return }
    var labelOf: [Int: Int] = [:]
    var nameless: Set<Int> = []
    for label in (matching.matches.map(\.label) + matching.missed).sorted() {
      if let identity = labels[label].identity, labelOf[identity] == nil {
        labelOf[identity] = label
      } else {
        nameless.insert(label)
      }
    }
    let left = Set(matching.ignored).union(
      matching.matches.filter { nameless.contains($0.label) }.map(\.face))
    var faceOf: [Int: Int] = [:]
    var anonymous: [Int] = []
    for face in prediction.faces.indices where !left.contains(face) {
      if let identity = prediction.faces[face].identity, faceOf[identity] == nil {
        faceOf[identity] = face
      } else {
        anonymous.append(face)
      }
    }
    let people = labelOf.sorted { $0.key < $1.key }
    let tracks = faceOf.sorted { $0.key < $1.key }
    let boxes = (tracks.map(\.value) + anonymous).map { prediction.faces[$0].finiteBox }
    let entry = Entry(
      sequence: frame.sequence, people: people.map(\.key),
      tracks: tracks.map(\.key) + anonymous.map { _ in nil },
      overlaps: people.flatMap { person in
        let box = labels[person.value].matchingBox(beside: prediction.faces)
        return boxes.map { $0.map { box.iou(with: $0) } ?? 0 }
      })
    try add(entry, for: frame.index)
  }

  /// The figure that errors name.
  package static var table: String { "tracking.mota" }

  /// What happened in all sequences, in the order of sequences and frames.
  func events() -> IdentityEvents {
    frames.sequences.reduce(into: IdentityEvents()) { $0.add(sequence: $1.entries) }
  }

  /// What HOTA counts in all sequences.
  func higherOrderCounts() -> HigherOrderCounts {
    frames.sequences.reduce(into: HigherOrderCounts()) { $0.add(sequence: $1.entries) }
  }
}
