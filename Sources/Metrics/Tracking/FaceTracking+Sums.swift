internal import FaceCore

extension FaceTracking {
  /// Counts that the shares and rates are ratios of; those of sequences add up to those of all.
  package enum Count: Int, SumName {
    /// Analysed frames of videos, and those in which the detector ran.
    case analysed, detectorRuns
    /// How often a face could have been there, and how often it was.
    case occasions, found
    /// Stretches without a face that are losses.
    case losses
    /// From first to last frame, over sequences that have a face.
    case microsecondsWithFace
    /// Frames of videos that live mode passed over.
    case dropped
    /// Sequences that have a face.
    case sequencesWithFace
    /// Frames whose largest face is compared with that of the frame before, and those where it is another.
    case largestCompared, largestChanges
  }

  /// What the metrics follow from.
  package struct Totals: ClusterSums {
    /// What the shares and rates are ratios of.
    package var counts = NamedCounts<Count>()
    /// How long the losses that ended took, in microseconds.
    var reacquired: [Int64] = []
    /// The longest stretch without a face, in microseconds.
    var longestGap: Int64 = 0

    /// Starts at 0.
    package init() {}

    package mutating func add(_ other: Totals, times: Int) {
      counts.add(other.counts, times: times)
      for time in other.reacquired { reacquired += repeatElement(time, count: times) }
      longestGap = max(longestGap, other.longestGap)
    }

    package var numbers: [Double] { counts.numbers }
    package init(numbers: inout ArraySlice<Double>) { counts = NamedSums(numbers: &numbers) }

    package func pack(into row: inout RowWriter) { row.write(counts, reacquired, longestGap) }

    package init(from row: inout RowReader) {
      counts = row.read()
      reacquired = row.read()
      longestGap = row.read()
    }
  }

  /// The counts over all frames so far.
  package func sums() -> Totals {
    sequences().reduce(into: Totals()) { totals, sequence in
      totals.counts[.analysed] += sequence.analysed
      totals.counts[.dropped] += sequence.dropped
      totals.counts[.detectorRuns] += sequence.detectorRuns
      totals.counts[.occasions] += sequence.occasions
      totals.counts[.found] += sequence.found
      totals.counts[.largestCompared] += sequence.largestCompared
      totals.counts[.largestChanges] += sequence.largestChanges
      guard sequence.hasFace else { return }
      let gaps = sequence.gaps.map(\.gap)
      let losses = gaps.filter { $0.frames >= framesOfLoss }
      totals.counts[.sequencesWithFace] += 1
      totals.counts[.losses] += losses.count
      totals.counts[.microsecondsWithFace] += Int(sequence.microseconds)
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
    row.write(isLargestOther, isUnlabelled)
  }

  package init(from row: inout RowReader) {
    self.init(
      sequence: row.read(), time: row.read(),
      status: FramePrediction.Status(rawValue: row.read()) ?? .analysed, detectorRan: row.read(),
      hasFaces: row.read(), labelled: [:])
    let (faces, isFound): ([FaceTracking.LabelledFace], [Bool]) = (row.read(), row.read())
    for (face, isFound) in zip(faces, isFound) { labelled[face] = isFound }
    isLargestOther = row.read()
    isUnlabelled = row.read()
  }
}
