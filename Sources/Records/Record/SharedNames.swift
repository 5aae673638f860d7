/// Names of metrics that other modules than Metrics look up; a test holds them to the catalogue.
package enum MetricName {
  /// What names of average precisions begin with.
  package static let averagePrecision = "detection.ap"
  /// Mean error of coefficients.
  package static let coefficientError = "blendshapes.mae"
  /// Concordance of coefficients.
  package static let coefficientConcordance = "blendshapes.ccc"
  /// What names of average recalls begin with.
  package static let averageRecall = "detection.ar"
  /// Recall of detections at the run's threshold.
  package static let detectionRecall = "detection.recall@score"
  /// Precision of detections at the run's threshold.
  package static let detectionPrecision = "detection.precision@score"
  /// Share of labelled faces without an output face.
  package static let failureToAcquire = "faces.failure_to_acquire"
  /// What names of normalised mean errors begin with, before the normaliser.
  package static let landmarkError = "landmarks.nme."
  /// What names of failure rates begin with, before the normaliser and the limit.
  package static let landmarkFailureRate = "landmarks.fr."
  /// Share of labelled faces that a face given out matches.
  package static let faceRecall = "faces.recall"
  /// Share of faces given out that match a label.
  package static let facePrecision = "faces.precision"
  /// Recall and precision at the run's setting, of faces and of detections.
  package static let operatingPoint = [
    faceRecall, facePrecision, detectionRecall, detectionPrecision,
  ]
  /// Misses and false faces over time, else over images.
  package static let errorRates = [
    "tracking.missed_s_per_minute", "tracking.false_track_s_per_minute", "faces.missed_per_image",
    "faces.false_per_image", "detection.fp_per_image@score",
  ]
  /// Median time of the frozen reference kernel.
  package static let referenceKernel = "profiler.reference"

  /// The stage of a whole frame.
  package static let total = "total"
  /// The stage from a file's bytes to pixels.
  package static let decode = "decode"
  /// The stage of a whole frame without decoding its file.
  package static let pipeline = "pipeline"
  /// The stage of a whole frame from the moment it is due.
  package static let response = "response"
  /// The way to a tracker and back, of a frame and its answer.
  package static let transfer = "transfer"
  /// What no stage accounts for.
  package static let unaccounted = "unaccounted"
  /// Names that no tracker's own stages may have.
  package static let reservedStages = [unaccounted, response, transfer, pipeline]

  /// A percentile, `mean` or `max` of the times of a stage.
  package static func latency(_ stage: String, _ metric: String) -> String {
    "latency.\(stage).\(metric)"
  }

  /// The same percentile of whole frames: from the moment they are due, without decoding files, and all.
  package static func frameTimes(_ metric: String) -> [String] {
    frameStages.map { latency($0, metric) }
  }

  /// The stages of whole frames, the one to prefer first.
  package static let frameStages = [response, pipeline, total]

  /// Whether a metric is of the times of whole frames without decoding.
  package static func isOfPipeline(_ name: String) -> Bool {
    frameStage(of: name) == pipeline
  }

  /// The stage of whole frames whose times a metric is of; nil for another metric.
  package static func frameStage(of name: String) -> String? {
    frameStages.first { stage in
      // What follows is the metric: with another word it is a stage of a tracker, such as `pipeline.decode`.
      name.hasPrefix(latency(stage, "")) && !name.dropFirst(latency(stage, "").count).contains(".")
    }
  }

  /// Whether a metric is of the times of whole frames.
  package static func isOfFrameTimes(_ name: String) -> Bool {
    frameStage(of: name) != nil
  }
}

/// Names of series that reports draw in a way of their own: each is used by what computes the series, and by its
/// readers.
package enum SeriesName {
  /// Precision over recall of detections at IoU .50.
  package static let precisionRecall = "detection.pr@50"
  /// Scores of true and false positives.
  package static let scores = "detection.scores"
  /// Recall over false positives per image.
  package static let falsePositives = "detection.froc"
  /// Precision over confidence.
  package static let reliability = "detection.reliability"
  /// Labelled faces without a detection.
  package static let misses = "detection.misses"
  /// What names of cumulative errors begin with, before the normaliser.
  package static let cumulativeErrors = "landmarks.ced."
  /// Mean error of each point by the interocular distance.
  package static let pointErrors = "landmarks.points.interocular"
  /// Mean position of each point by the interocular distance.
  package static let pointPositions = "landmarks.places.interocular"
  /// Motion of landmarks over frequency, a line for each clip.
  package static let clipAmplitudes = "jitter.clips.amplitude"
  /// The share of it that smoothing removes.
  package static let clipRemoved = "jitter.clips.removed"
  /// What went wrong in each clip, worst first.
  package static let clips = "clips"
  /// The worst and the best slice of each property, with the test of their gap.
  package static let sliceGaps = "slices.gaps"
  /// The frames with most errors.
  package static let worstFrames = "frames.worst"
  /// Faces that tracking lost.
  package static let losses = "tracking.losses"

  /// The times of a stage, of all frames or of one population.
  package static func latency(_ stage: String, _ population: FramePopulation? = nil) -> String {
    "latency.\(stage)" + (population.map { "@\($0.rawValue)" } ?? "")
  }

  /// The time of a frame over the run.
  package static let timelineTimes = "latency.timeline.times"
  /// Frames a second over the run.
  package static let timelineRate = "latency.timeline.rate"
  /// What names of the device's readings over the run begin with.
  package static let timelineReading = "latency.timeline.reading."
  /// The stretches of the run between lasting changes.
  package static let timelinePhases = "latency.timeline.phases"

  /// The population that a series of times is of; nil for all frames.
  package static func population(of series: String) -> FramePopulation? {
    series.split(separator: "@").dropFirst().first.flatMap { FramePopulation(rawValue: String($0)) }
  }

  /// The times of whole frames, the series to prefer first.
  package static let frameTimes =
    MetricName.frameStages.map { latency($0) }
    + [MetricName.pipeline, MetricName.total].map { latency($0, .tracked) }

  /// The stage of whole frames whose times a series has; nil for another series.
  package static func frameStage(of name: String) -> String? {
    let all = name.prefix { $0 != "@" }
    return MetricName.frameStages.first { latency($0) == all }
  }

  /// Whether a series is of the times of whole frames.
  package static func isOfFrameTimes(_ name: String) -> Bool {
    frameStage(of: name) != nil
  }
}

/// The columns of `SeriesName.clips`, in their order.
package enum ClipColumn: String, CaseIterable, Sendable {
  case clip, frames
  case labelled = "labelled faces"
  case missed, recall
  case falseFaces = "false faces"
  case error = "NME, mean of frames"
  case worst = "worst frame"
  case number
}

/// The columns of `SeriesName.worstFrames`, in their order.
package enum WorstFrameColumn: String, CaseIterable, Sendable {
  case frame, number, missed
  case falseFaces = "false faces"
  case error = "NME"
}
