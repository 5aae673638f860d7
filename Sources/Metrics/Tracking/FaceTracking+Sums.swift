internal import FaceCore

extension FaceTracking {
  /// Counts that the shares and rates are ratios of; those of sequences add up to those of all.
  package struct Totals: ClusterSums, Hashable {
    /// Analysed frames of videos.
    package var analysed = 0
    /// Those in which the detector ran.
    package var detectorRuns = 0
    /// How often a face could have been there.
    package var occasions = 0
    /// How often it was.
    package var found = 0
    /// Stretches without a face that are losses.
    package var losses = 0
    /// From first to last frame, over sequences that have a face.
    package var microsecondsWithFace: Int64 = 0
    /// Frames of videos that live mode passed over.
    var dropped = 0
    /// Sequences that have a face.
    var sequencesWithFace = 0
    /// How long the losses that ended took, in microseconds.
    var reacquired: [Int64] = []
    /// The longest stretch without a face, in microseconds.
    var longestGap: Int64 = 0

    /// Starts at 0.
    package init() {}

    package mutating func add(_ other: Totals, times: Int) {
      analysed += other.analysed * times
      detectorRuns += other.detectorRuns * times
      occasions += other.occasions * times
      found += other.found * times
      losses += other.losses * times
      microsecondsWithFace += other.microsecondsWithFace * Int64(times)
      dropped += other.dropped * times
      sequencesWithFace += other.sequencesWithFace * times
      for time in other.reacquired { reacquired += repeatElement(time, count: times) }
      longestGap = max(longestGap, other.longestGap)
    }
  }

  /// The counts over all frames so far.
  package func sums() -> Totals {
    sequences().reduce(into: Totals()) { totals, sequence in
      totals.analysed += sequence.analysed
      totals.dropped += sequence.dropped
      totals.detectorRuns += sequence.detectorRuns
      totals.occasions += sequence.occasions
      totals.found += sequence.found
      guard sequence.hasFace else { return }
      let gaps = sequence.gaps.map(\.gap)
      let losses = gaps.filter { $0.frames >= framesOfLoss }
      totals.sequencesWithFace += 1
      totals.losses += losses.count
      totals.microsecondsWithFace += sequence.microseconds
      totals.reacquired += losses.filter { $0.reacquired != nil }.map(\.microseconds)
      totals.longestGap = max(totals.longestGap, gaps.map(\.microseconds).max() ?? 0)
    }
  }
}

extension FaceTracking.LabelledFace: Packable {
  package func pack(into row: inout RowWriter) { row.write(identity, position) }
  package init(from row: inout RowReader) { self.init(identity: row.read(), position: row.read()) }
}

extension FaceTracking.Entry: Packable {
  package func pack(into row: inout RowWriter) {
    let faces = labelled.keys.sorted()
    row.write(sequence, time, status.rawValue, detectorRan, hasFaces)
    row.write(faces, faces.map { labelled[$0] == true })
  }

  package init(from row: inout RowReader) {
    self.init(
      sequence: row.read(), time: row.read(),
      status: FramePrediction.Status(rawValue: row.read()) ?? .analysed, detectorRan: row.read(),
      hasFaces: row.read(), labelled: [:])
    let (faces, isFound): ([FaceTracking.LabelledFace], [Bool]) = (row.read(), row.read())
    for (face, isFound) in zip(faces, isFound) { labelled[face] = isFound }
  }
}

extension FaceTracking.Totals: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(analysed, detectorRuns, occasions, found, losses, microsecondsWithFace, dropped)
    row.write(sequencesWithFace, reacquired, longestGap)
  }

  package init(from row: inout RowReader) {
    analysed = row.read()
    detectorRuns = row.read()
    occasions = row.read()
    found = row.read()
    losses = row.read()
    microsecondsWithFace = row.read()
    dropped = row.read()
    sequencesWithFace = row.read()
    reacquired = row.read()
    longestGap = row.read()
  }
}
