package import Calibration
internal import Metrics
internal import Records

/// A metric that a sweep has of every setting.
struct SweepMetric: Sendable {
  /// The name in objectives: the catalogue's short name where the catalogue has the metric.
  let name: String
  let title: String
  let unit: String
  let better: Direction
  /// The value that is best, exactly where `better` is `closest`.
  private(set) var target: Double?
  /// How it is computed, and when it is undefined.
  let formula: String
  /// Whether reports show how it responds to each parameter, where it is defined.
  private(set) var isHeadline = false
  /// Why resamples give no interval of it; nil where they do.
  private(set) var noInterval: String?
  /// What to know before an objective that names it is trusted, without a full stop; nil for nothing.
  private(set) var warning: String?
  /// Of a metric that only clips have, what else a message says on stills; nil for other metrics.
  private(set) var absenceOnStills: String?
  /// What else a message says where it is undefined at every setting; nil for nothing.
  private(set) var alternative: String?
  /// From the sums of some frames; nil where it is undefined.
  let value: @Sendable (SweepCounts, StageCosts) -> Double?

  /// What a frame costs, in milliseconds.
  struct StageCosts: Sendable, Hashable {
    /// A run of the detector, with its input and output; nil where the sweep ran none.
    var detector: Double?
    /// A region that the landmark model reads, with the same; nil where the sweep read none.
    var region: Double?
  }

  /// Every metric, in the order of tables.
  static let all: [SweepMetric] = [
    counted(.fBeta(1), FaceOperatingPoint.f1).headline,
    counted(.recall, FaceOperatingPoint.recall).headline,
    counted(.precision, FaceOperatingPoint.precision).headline,
    counted(.fBeta(0.5), named: "f0.5", "F0.5 of faces", "as f1"),
    counted(.fBeta(2), named: "f2", "F2 of faces", "as f1"),
    SweepMetric(
      "fp_per_minute", "False positives per minute", "1/min", .lower,
      "output faces of videos that match no label, over the minutes of their analysed frames, each as "
        + "long as the mean interval of its video; undefined without labelled videos of two frames or more"
    ) { tally, _ in ratio(tally[.clipFalsePositives], tally[.microseconds] / 60e6) }
    .ofClips(
      ", which have no minutes (use fp_per_frame; in records and gates "
        + "\(DetectionOperatingPoint.falsePositivesPerImage.name) counts false detections)"),
    SweepMetric(
      "fp_per_frame", "False positives per frame", "1/frame", .lower,
      "output faces that match no label, over analysed frames; undefined without labels"
    ) { tally, _ in ratio(tally[.falsePositives], tally[.evaluated]) },
    SweepMetric(
      "errors_per_frame", "Errors per frame", "1/frame", .lower,
      "missed faces and false positives together, over analysed frames; undefined without labels"
    ) { tally, _ in
      ratio(tally[.labelled] - tally[.found] + tally[.falsePositives], tally[.evaluated])
    },
    SweepMetric(
      "coverage", "Frames with a face", "1", .higher,
      "analysed frames with an output face, over analysed frames"
    ) { tally, _ in ratio(tally[.withFace], tally[.analysed]) },
    SweepMetric(FaceTracking.trackedShare, "over all videos") { tally, _ in
      ratio(tally[.tracked], tally[.occasions])
    }.headline.ofClips(),
    SweepMetric(FaceTracking.lossesPerMinute) { tally, _ in
      ratio(tally[.losses], tally[.microsecondsWithFace] / 60e6)
    }.headline.ofClips(),
    SweepMetric(FaceTracking.detectorRate) { tally, _ in
      ratio(tally[.detectorRunsOfVideos], tally[.analysedOfVideos])
    }.headline.ofClips(),
    SweepMetric(LandmarkAccuracy.conditionalError) { tally, _ in
      ratio(tally[.errorSum], tally[.errorCount])
    }.headline.byOuterCorners,
    SweepMetric(LandmarkAccuracy.failureRate) { tally, _ in
      ratio(tally[.landmarkFailures], tally[.landmarkFaces])
    }.byOuterCorners,
    SweepMetric(LandmarkJitter.relative) { tally, _ in
      ratio(tally[.motionSum], tally[.motionCount])
    }.ofClips(),
    SweepMetric(LandmarkJitter.second) { tally, _ in
      ratio(tally[.changeSum], tally[.changeCount])
    }.headline.ofClips(),
    SweepMetric(LandmarkJitter.lag) { tally, _ in
      ratio(tally[.lagSum], tally[.lagCount])
    }.headline.ofClips(),
    SweepMetric(
      "coefficient_error", "Mean error of coefficients", "1", .lower,
      "mean of the absolute differences of all labelled coefficients of found faces"
    ) { tally, _ in ratio(tally[.coefficientSum], tally[.coefficientCount]) },
    SweepMetric(FaceOperatingPoint.scoreError) { tally, _ in
      tally.calibrationError(of: .detection)
    }.binned,
    SweepMetric(FaceOperatingPoint.presenceError) { tally, _ in
      tally.calibrationError(of: .presence)
    }.binned,
    SweepMetric(
      "model_time", "Time of the models per frame", "ms", .lower,
      "runs of the detector and regions read, each times its median time in this sweep, over "
        + "analysed frames; decoding, blendshapes and pose are the same for every setting; undefined "
        + "where the sweep did not run one of the models, as for the stored candidates of a run"
    ) { tally, costs in
      guard costs != StageCosts(),
        let detector = costs.detector ?? (tally[.detectorRuns] == 0 ? 0 : nil),
        let region = costs.region ?? (tally[.reads] == 0 ? 0 : nil)
      else { return nil }
      return ratio(tally[.detectorRuns] * detector + tally[.reads] * region, tally[.analysed])
    }.headline.withoutInterval("resamples do not vary how long a model takes on this machine")
      .timed,
  ]

  /// Pairs of metrics of which more of one may cost the other.
  static let tradeOffs = [
    ["recall", "precision"], ["f1", "model_time"], ["nme", "model_time"], ["jitter", "lag"],
  ]

  init(
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

  /// A metric of the catalogue; `detail` is what a sweep adds to its definition.
  init(
    _ definition: MetricDefinition, _ detail: String? = nil, isHeadline: Bool = false,
    value: @escaping @Sendable (SweepCounts, StageCosts) -> Double?
  ) {
    self.init(
      MetricCatalog.alias(of: definition.name) ?? definition.name, definition.title,
      definition.unit, definition.direction,
      ([definition.name] + [detail].compactMap(\.self)).joined(separator: ", "), value: value)
    self.isHeadline = isHeadline
    target = definition.target
  }

  private func with<Value>(
    _ field: WritableKeyPath<SweepMetric, Value>, _ value: Value
  ) -> SweepMetric {
    var metric = self
    metric[keyPath: field] = value
    return metric
  }

  private var headline: SweepMetric { with(\.isHeadline, true) }

  private func ofClips(_ words: String = "") -> SweepMetric { with(\.absenceOnStills, words) }

  /// By the outer corners of the eyes, which labels of five points lack.
  private var byOuterCorners: SweepMetric {
    let own = MetricCatalog.aliases[name] ?? name
    let others = ["interpupil", "box"].map { "'\(own.replacing("interocular", with: $0))'" }
    return with(
      \.alternative,
      "it is by the outer corners of the eyes; of labels without them, as of five points, use "
        + others.joined(separator: " or "))
  }

  private func withoutInterval(_ reason: String) -> SweepMetric { with(\.noInterval, reason) }

  /// By this machine's clock.
  private var timed: SweepMetric {
    with(
      \.warning,
      "\(name) rests on the median times of the models on this machine during this sweep: another "
        + "sweep or machine can choose otherwise, and 'with 95 %' only covers how often the models run"
    )
  }

  /// Of bins of confidences, which resamples do not keep.
  private var binned: SweepMetric { withoutInterval("resamples change the bins of confidences") }

  /// The values that the metric can take.
  var range: MetricRange {
    MetricCatalog.definition(of: MetricCatalog.aliases[name] ?? name)?.range
      ?? (unit == "1" ? .unit : unit.hasPrefix("1/") ? .rate : .atLeastZero)
  }

  private static func counted(
    _ metric: ThresholdMetric, _ definition: MetricDefinition
  ) -> SweepMetric {
    counted(
      metric, named: MetricCatalog.alias(of: definition.name) ?? definition.name,
      definition.title, definition.name)
  }

  private static func counted(
    _ metric: ThresholdMetric, named name: String, _ title: String, _ formula: String
  ) -> SweepMetric {
    SweepMetric(
      name, title, "1", metric.better,
      "\(formula): of output faces against labels, by total IoU of .50 or more, or of "
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

extension Objective {
  /// Reads an objective of a sweep: its metrics have their short names or those of the catalogue.
  ///
  /// Throws one line that names the metric which the sweep does not have, the goal that is the worst of its metric, or
  /// the limit that no value breaks.
  package init(_ text: String, of plan: SweepPlan) throws(CalibrationError) {
    self = try Objective(parsing: text).renamed { MetricCatalog.alias(of: $0) ?? $0 }
    let named = SweepMetric.additive(named: Set(names), facts: plan.facts)
    let known = plan.metrics + named
    try checkMetrics(among: known.map(\.name))
    try checkDirection(known.first { $0.name == metric }?.better)
    for limit in limits {
      guard let range = known.first(where: { $0.name == limit.metric })?.range,
        range.cannotMiss(limit.bound, isUpper: limit.relation.side == .lower)
      else { continue }
      throw .vacuousLimit(limit, range: range.words ?? "")
    }
  }
}

extension SweepRun {
  /// The metrics that objectives may name, for help.
  package static var metricList: String {
    "Metrics: "
      + SweepMetric.all.map { metric in
        let title = metric.title.lowercased() == metric.name ? [] : [metric.title.lowercased()]
        let words = title + (metric.unit == "1" ? [] : [metric.unit])
        return metric.name + (words.isEmpty ? "" : " (\(words.joined(separator: ", ")))")
      }.joined(separator: "; ")
      + ". With thresholds of expressions also expressions.NAME.f1, .precision, .recall, "
      + ".balanced_accuracy, .mcc, and \(SweepMetric.meanExpressionF1). Metrics of "
      + "'facegauge metrics' that are ratios of sums over frames, such as "
      + "\(IdentityTracking.idf1.name), also under their own names."
  }
}
