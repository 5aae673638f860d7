internal import Metrics
internal import Records

/// All of a dataset, or one slice, with the accumulators that its metrics come from.
struct SliceScores: Sendable {
  /// The name of the slice; nil for the whole dataset.
  let slice: String?
  private let scores: FamilyScores
  /// The metrics that the slice reports; nil for all of them.
  private let names: Set<String>?

  /// The whole dataset.
  init(_ scores: FamilyScores) {
    slice = nil
    self.scores = scores
    names = nil
  }

  /// One slice, of labelled faces or of frames; `others` are metrics that it reports in addition.
  init(_ scores: FamilyScores, slice: String, isOfFaces: Bool, others: Set<String> = []) {
    self.slice = slice
    self.scores = scores
    names = Set(
      scores.groups().flatMap(\.metrics).filter {
        $0.slice == nil
          && (MetricCatalog.isSliced($0.name, ofFaces: isOfFaces) || others.contains($0.name))
      }.map(\.name))
  }

  /// The intervals of percentiles of the slice's own latencies; nil for other metrics, which are resampled.
  func intervals(of metrics: [Measurement], in clusters: FrameClusters) -> [Interval?] {
    var metrics = metrics
    if slice != nil {
      for index in metrics.indices { metrics[index].slice = nil }
    }
    return scores.intervals(of: metrics, in: clusters)
  }

  /// The calibration errors among the metrics by name, as they were corrected.
  var calibrationErrors: [String: ExpectedCalibrationError] { scores.calibrationErrors }

  /// The families, ready to be resampled, that have measurements with a position by name and slice.
  func resampled(
    by clusters: FrameClusters, _ position: (_ name: String, _ slice: String?) -> Int?
  ) -> ResampledScores {
    guard let slice, let names else { return scores.resampled(by: clusters, position) }
    return scores.resampled(by: clusters) { name, own in
      own == nil && names.contains(name) ? position(name, slice) : nil
    }
  }

  /// The metrics; of a slice only those that slices report, with the slice's name.
  func groups() -> [MeasurementGroup] {
    guard let slice, let names else { return scores.groups() }
    return scores.groups().compactMap { group in
      let metrics = group.metrics.filter { $0.slice == nil && names.contains($0.name) }
        .map { metric in
          var metric = metric
          metric.slice = slice
          return metric
        }
      return metrics.isEmpty
        ? nil : MeasurementGroup(metrics: metrics, frames: group.frames, family: group.family)
    }
  }
}

/// All of a dataset, or one slice, before its accumulators are made, so that not all slices have theirs at once.
struct ScoredPart: Sendable {
  /// The name of the slice; nil for the whole dataset.
  var slice: String?
  /// Those of the whole dataset, or of the slice's labelled faces.
  let scores: FamilyScores
  /// The frames of a slice of frames.
  var frames: FrameRuns?
  /// What is kept in place of those that are of whole videos.
  var condensed: FamilyScores?
  /// What stands for the run, where the slice reports it too.
  var headlines: Set<String>?

  /// Makes the accumulators.
  func made() throws -> SliceScores {
    guard let slice else { return SliceScores(scores) }
    guard let frames else { return SliceScores(scores, slice: slice, isOfFaces: true) }
    return SliceScores(
      try scores.slice(of: frames, withHeadlines: headlines != nil, condensed: condensed),
      slice: slice, isOfFaces: false, others: headlines ?? [])
  }
}
