internal import Calibration
internal import Records

/// A metric that a sweep has of every setting, by its name in objectives.
struct SweepMetric: Sendable {
  let name: String
  let title: String
  let unit: String
  let better: Direction
  /// How it is computed, and when it is undefined.
  let formula: String
  /// From the sums of some frames; nil where it is undefined.
  let value: @Sendable (SweepCounts, StageCosts) -> Double?

  /// What a frame costs, in milliseconds.
  struct StageCosts: Sendable, Hashable {
    /// A run of the detector, with its input and output.
    var detector = 0.0
    /// A region that the landmark model reads, with the same.
    var region = 0.0
  }

  /// Every metric, in the order of tables.
  static let all: [SweepMetric] =
    [
      counted("f1", "F1 of faces", .fBeta(1), "faces.f1"),
      counted("recall", "Recall of faces", .recall, "faces.recall"),
      counted("precision", "Precision of faces", .precision, "faces.precision"),
      counted("f0.5", "F0.5 of faces", .fBeta(0.5), "as f1"),
      counted("f2", "F2 of faces", .fBeta(2), "as f1"),
      SweepMetric(
        "fp_per_minute", "False positives per minute", "1/min", .lower,
        "output faces of videos that match no label, over the minutes of their analysed frames, each as "
          + "long as the mean interval of its video; undefined without labelled videos of two frames or more"
      ) { tally, _ in ratio(tally[.clipFalsePositives], tally[.microseconds] / 60e6) },
      SweepMetric(
        "fp_per_frame", "False positives per frame", "1/frame", .lower,
        "output faces that match no label, over analysed frames; undefined without labels"
      ) { tally, _ in ratio(tally[.falsePositives], tally[.evaluated]) },
      SweepMetric(
        "cost", "Errors per frame", "1/frame", .lower,
        "missed faces and false positives together, over analysed frames; undefined without labels"
      ) { tally, _ in
        ratio(tally[.labelled] - tally[.found] + tally[.falsePositives], tally[.evaluated])
      },
      SweepMetric(
        "coverage", "Frames with a face", "1", .higher,
        "analysed frames with an output face, over analysed frames"
      ) { tally, _ in ratio(tally[.withFace], tally[.analysed]) },
      SweepMetric(
        "tracked_share", "Tracked share", "1", .higher,
        "tracking.tracked_share, over all videos"
      ) { tally, _ in ratio(tally[.tracked], tally[.occasions]) },
      SweepMetric(
        "losses_per_minute", "Losses per minute", "1/min", .lower, "tracking.losses_per_minute"
      ) { tally, _ in ratio(tally[.losses], tally[.microsecondsWithFace] / 60e6) },
      SweepMetric(
        "detector_rate", "Detector rate", "1", .lower,
        "analysed frames in which the detector runs, over analysed frames"
      ) { tally, _ in ratio(tally[.detectorRuns], tally[.analysed]) },
      SweepMetric(
        "nme", "NME of found faces", "1", .lower, "landmarks.nme.interocular.conditional"
      ) { tally, _ in ratio(tally[.errorSum], tally[.errorCount]) },
      SweepMetric(
        "failure_rate", "Landmark failure rate", "1", .lower,
        "landmarks.fr.interocular@0.08: labelled faces missed or with an NME above 0.08"
      ) { tally, _ in ratio(tally[.landmarkFailures], tally[.landmarkFaces]) },
      SweepMetric(
        "motion", "Motion per frame", "‰", .lower,
        "jitter.static.interocular: jitter only where the subject is still"
      ) { tally, _ in ratio(tally[.motionSum], tally[.motionCount]) },
      SweepMetric(
        "jitter", "Change of motion per frame", "px", .lower, "jitter.second"
      ) { tally, _ in ratio(tally[.changeSum], tally[.changeCount]) },
      SweepMetric(
        "lag", "Lag of smoothing", "ms", .lower, "lag.ms"
      ) { tally, _ in ratio(tally[.lagSum], tally[.lagCount]) },
      SweepMetric(
        "coefficient_error", "Mean error of coefficients", "1", .lower,
        "mean of the absolute differences of all labelled coefficients of found faces"
      ) { tally, _ in ratio(tally[.coefficientSum], tally[.coefficientCount]) },
      SweepMetric(
        "detection_error", "ECE of the scores of faces", "1", .lower,
        "faces.score_ece: ten bins of the scores of faces that the detector found and that were given "
          + "out"
      ) { tally, _ in tally.calibrationError(of: .detection) },
      SweepMetric(
        "presence_error", "ECE of the presence of faces", "1", .lower,
        "faces.presence_ece: ten bins of the presence of output faces"
      ) { tally, _ in tally.calibrationError(of: .presence) },
      SweepMetric(
        "latency", "Time of the models per frame", "ms", .lower,
        "runs of the detector and regions read, each times its median time in this sweep, over "
          + "analysed frames; decoding, blendshapes and pose are the same for every setting"
      ) { tally, costs in
        costs == StageCosts()
          ? nil
          : ratio(
            tally[.detectorRuns] * costs.detector + tally[.reads] * costs.region, tally[.analysed])
      },
    ]

  /// The metrics whose response to each knob is told, those that are defined.
  static let headlines = [
    "f1", "recall", "precision", "tracked_share", "losses_per_minute", "detector_rate", "nme",
    "jitter", "lag", "latency",
  ]

  private init(
    _ name: String, _ title: String, _ unit: String, _ better: Direction, _ formula: String,
    value: @escaping @Sendable (SweepCounts, StageCosts) -> Double?
  ) {
    self.name = name
    self.title = title
    self.unit = unit
    self.better = better
    self.formula = formula
    self.value = value
  }

  private static func counted(
    _ name: String, _ title: String, _ metric: ThresholdMetric, _ definition: String
  ) -> SweepMetric {
    SweepMetric(
      name, title, "1", metric.better,
      "\(definition): of output faces against labels, by total IoU of .50 or more, or of "
        + "detections where no landmark model runs; undefined without labels"
    ) { tally, _ in
      guard tally[.labelled] > 0 else { return nil }
      return metric.value(
        of: OperatingCounts(
          truePositives: tally[.found], falsePositives: tally[.falsePositives],
          positives: tally[.labelled], negatives: 0, minutes: nil))
    }
  }

  private static func ratio(_ part: Double, _ whole: Double) -> Double? {
    whole > 0 ? part / whole : nil
  }
}

extension SweepRun {
  /// The names that objectives may use.
  package static var metricNames: [String] { SweepMetric.all.map(\.name) }

  /// The names with what they are, for help.
  package static var metricList: String {
    "Metrics: "
      + SweepMetric.all.map { metric in
        let title = metric.title.lowercased() == metric.name ? [] : [metric.title.lowercased()]
        let words = title + (metric.unit == "1" ? [] : [metric.unit])
        return metric.name + (words.isEmpty ? "" : " (\(words.joined(separator: ", ")))")
      }.joined(separator: "; ") + "."
  }
}
