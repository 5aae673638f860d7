extension FaceTracking {
  /// Counts that the shares and rates are ratios of; those of sequences add up to those of all.
  package struct Totals: Sendable, Hashable {
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
  }

  /// The counts over all frames so far.
  package func totals() -> Totals {
    sequences().reduce(into: Totals()) { totals, sequence in
      totals.analysed += sequence.analysed
      totals.detectorRuns += sequence.detectorRuns
      totals.occasions += sequence.occasions
      totals.found += sequence.found
      guard sequence.hasFace else { return }
      totals.losses += sequence.gaps.count { $0.gap.frames >= framesOfLoss }
      totals.microsecondsWithFace += sequence.microseconds
    }
  }
}
