internal import FaceCore
package import Records

/// For how long faces are missed, and given out where no labelled face is, over the video sequences.
///
/// Faces are matched as for all stages after the detector (`FaceMatching`); what falls on ignored
/// labels and crowds does not count. Where a tracker repeats its last values (`ScoredFrame.isFrozen`)
/// every labelled face is missed, as for `FaceTracking`. An analysed frame lasts until the next one;
/// the last one lasts no time, and one whose faces are not labelled counts neither way.
package struct FaceErrorTime: FrameMetric {
  /// One analysed frame.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    /// In microseconds.
    var time: Int64
    var missed: Int
    var unmatched: Int
    var isUnlabelled = false
  }

  package var frames = FrameTable<Entry>()
  package var videos = FrameTable<VideoSums<Sums>>()

  package init() {}

  package static var table: String { falseTime.name }

  /// How long faces are missed, then how long false ones are given out.
  package static let definitions = [missedTime, falseTime]

  /// Time without a face that is labelled, over the time of all frames.
  package static let missedTime = definition(
    "missed_s_per_minute", "Missed face time per minute",
    "seconds for which a labelled face has no match (IoU of .50 or more), or the tracker "
      + "repeats its last values as for tracking.tracked_share, each face")
  /// Time with a face that is none, over the time of all frames.
  package static let falseTime = definition(
    "false_track_s_per_minute", "False face time per minute",
    "seconds for which a face is given out that matches no label (IoU under .50), each face")

  private static let definition = DefinitionGroup(
    prefix: "tracking.", range: .rate, unit: "s/min",
    ending: " for itself and from an analysed frame to the next, over the minutes from "
      + "first to last analysed frame of each sequence, also those without a labelled face; frames that are not "
      + "labelled are left out; "
      + "undefined without labels or video sequences",
    source: "labelled video sequences; frames and their timestamps")

  /// Sums over sequences, from which the metric follows.
  package typealias Sums = NamedSums<Count, Time, Double>

  /// What is counted.
  package enum Count: Int, SumName {
    case frames
  }

  /// Microseconds of missed faces and of faces that match no label, each face for itself, and those of all frames.
  package enum Time: Int, SumName {
    case missed, spent, whole
  }

  /// The frames whose faces are labelled.
  package var countedFrames: FrameRuns { frames.keys { !$0.isUnlabelled } }

  package func sums() -> Sums {
    var sums = Sums()
    sums[.frames] = frames.entries.count { !$0.isUnlabelled }
    for frames in frames.sequences.map(\.entries) {
      for (frame, next) in zip(frames, frames.dropFirst()) where !frame.isUnlabelled {
        let microseconds = Double(next.time) - Double(frame.time)
        sums[.whole] += microseconds
        sums[.missed] += microseconds * Double(frame.missed)
        sums[.spent] += microseconds * Double(frame.unmatched)
      }
    }
    return sums
  }

  /// The metrics of `definitions`; n is the number of frames.
  package func measurements(of sums: Sums) -> [Measurement] {
    zip(Self.definitions, [Time.missed, .spent]).map { definition, time in
      definition.measurement(
        sums[.frames] > 0 && sums[.whole] > 0 ? 60 * sums[time] / sums[.whole] : nil,
        n: sums[.frames],
        else: sums[.frames] == 0
          ? "no labelled frame of a video sequence was analysed" : "the timestamps span no time")
    }
  }
}

extension FaceErrorTime: AdditiveFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.labels, .faces]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard frame.isVideo, frame.prediction.status == .analysed else { return }
    try add(
      Entry(
        sequence: frame.frame.sequence, time: frame.frame.timestampMicroseconds,
        missed: frame.isFrozen ? frame.matching.labelled : frame.matching.missed.count,
        unmatched: frame.matching.unmatched.count, isUnlabelled: frame.isUnlabelled),
      for: frame.frame.index)
  }

  /// Whether there is an analysed frame of a video sequence.
  package var isPresent: Bool { !frames.isEmpty || !videos.isEmpty }
  package static let presentation = MetricPresentation(
    headlines: [.init(.errorRates, definitions.map(\.name), isCompared: false)])
}

extension FaceErrorTime.Entry: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(sequence, time, missed, unmatched, isUnlabelled)
  }

  package init(from row: inout RowReader) {
    self.init(
      sequence: row.read(), time: row.read(), missed: row.read(), unmatched: row.read(),
      isUnlabelled: row.read())
  }
}
