internal import FaceCore
package import Records

/// How many labelled faces the tracker does not acquire, over stills and videos.
///
/// Faces are matched as for all stages after the detector (`FaceMatching`).
package struct FaceAcquisition: FrameMetric {
  /// One frame's labelled faces that count.
  package struct Entry: Sendable, Hashable {
    var found: Int
    var missed: Int
  }

  package var frames = FrameTable<Entry>()
  package var videos = FrameTable<VideoSums<Sums>>()

  package init() {}

  /// The one metric.
  package static let definitions = [
    MetricDefinition(
      MetricName.failureToAcquire, "Failure to acquire", .lower, in: .proportion,
      stage: "landmarks",
      "labelled faces without a prediction of IoU .50 or more, over all of them; in "
        + "[0, 1], undefined without labelled faces",
      source: "ISO/IEC 19795-1, failure to acquire; assignment of maximum total IoU")
  ]

  /// Sums over frames, from which the metric follows.
  package typealias Sums = NamedCounts<Sum>

  /// What is counted.
  package enum Sum: Int, SumName {
    case found, missed
  }

  package func sums() -> Sums {
    frames.entries.reduce(into: Sums()) { sums, entry in
      sums[.found] += entry.found
      sums[.missed] += entry.missed
    }
  }

  /// The metric of `definitions`; n is the number of labelled faces.
  package func measurements(of sums: Sums) -> [Measurement] {
    let (missed, labelled) = (sums[.missed], sums[.found] + sums[.missed])
    return Self.definitions.map {
      $0.ratio(missed, of: labelled, else: "no labelled face counts")
    }
  }
}

extension FaceAcquisition: AdditiveFamily, FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [
    .labels, .faces, .analysedFrames, .facesOfSlices,
  ]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard frame.matching.labelled > 0 else { return }
    try add(
      Entry(found: frame.matching.matches.count, missed: frame.matching.missed.count),
      for: frame.frame.index)
  }

  package static let presentation = MetricPresentation(
    sliced: Set(definitions.map(\.name)))
}

extension FaceAcquisition.Entry: Packable {
  package func pack(into row: inout RowWriter) { row.write(found, missed) }
  package init(from row: inout RowReader) { self.init(found: row.read(), missed: row.read()) }
}
