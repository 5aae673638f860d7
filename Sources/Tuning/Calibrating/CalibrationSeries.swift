internal import Calibration
internal import FaceCore
internal import Metrics
internal import Platform
internal import Records

/// A calibration as curves and tables of a record.
enum CalibrationSeries {
  /// Outcome over confidence before and after, the latter on held-out folds (`calibration.reliability.WHAT`).
  static func reliability(of fit: ScoreFit) -> Series {
    func line(_ label: String, _ evaluated: [ConfidenceOutcome]) -> Series.Line? {
      let bins = ReliabilityBins(evaluated, equalWidth: 10).bins
      return bins.isEmpty
        ? nil
        : Series.Line(label: label, x: bins.map(\.meanConfidence), y: bins.map(\.meanOutcome))
    }
    let lines = [
      line("before", fit.before), line("after, held out", fit.after),
      Series.Line(label: "perfect", x: [0, 1], y: [0, 1]),
    ]
    let score = fit.calibration
    return Series(
      name: "calibration.reliability.\(score.of)",
      title: "Outcome over confidence: \(title(score))",
      xLabel: "mean confidence of ten bins (a, b]", yLabel: "share that is true",
      lines: lines.compactMap { $0 })
  }

  /// The metrics of scores, the thresholds, and the offsets of clocks; empty ones are left out.
  static func tables(of file: CalibrationFile) -> [Series] {
    [
      table(
        "calibration.metrics", "Scores before and after, on held-out folds",
        [
          "scores", "method", "cases", "true", "clusters", "folds", "ECE before", "ECE after",
          "Brier before", "Brier after", "NLL before", "NLL after", "fall of NLL, 95 %",
        ], file.scores.map(metrics)),
      table(
        "calibration.detection-threshold", "Threshold of detection scores",
        [
          "scores", "threshold", "95 % interval", "present", "objective", "metric",
          "95 % interval of the metric", "held out", "at the present threshold", "cases",
          "warnings",
        ], file.detectionThreshold.map { [threshold($0)] } ?? []),
      table(
        "calibration.thresholds", "Thresholds of expressions",
        [
          "expression", "value", "threshold", "95 % interval", "present", "objective", "metric",
          "95 % interval of the metric", "held out", "at the present threshold", "faces",
          "warnings",
        ], file.thresholds.map(threshold)),
      table(
        "calibration.blendshapes", "Blendshapes before and after, on held-out folds",
        [
          "correction of", "faces", "held out", "MAE before", "MAE after", "CCC before",
          "CCC after",
        ],
        file.blendshapes.map { [agreement($0)] } ?? []),
      table(
        "calibration.clocks", "Time offsets of recordings",
        [
          "video", "offset (s)", "standard error (s)", "rate (%)", "standard error (%)",
          "correlation", "next best", "agree",
        ],
        file.timeOffsets.sorted { $0.key < $1.key }.map { name, offset in
          [
            name, offset.seconds.text(decimals: 3), text(offset.standardError, decimals: 4),
            text(offset.rate.map { $0 * 100 }, decimals: 4),
            text(offset.rateStandardError.map { $0 * 100 }, decimals: 4),
            text(offset.correlation), text(offset.secondCorrelation),
            offset.correlation == nil
              ? "given" : "\(offset.agreeing) of \(offset.channels.count) coefficients",
          ]
        }),
    ].compactMap { $0 }
  }

  /// The coefficients one by one (`calibration.channels`).
  static func channels(of fit: BlendshapeFit) -> Series {
    let shared = fit.calibration.shared
    return Series(
      name: "calibration.channels", title: "Corrected blendshapes one by one, on held-out folds",
      columns: [
        "coefficient", "faces", "offset", "gain", "crosstalk", "at rest", "MAE before",
        "MAE after", "CCC before", "CCC after",
      ],
      rows: fit.channels.map { channel in
        let name = channel.blendshape.rawValue
        let map = shared?.channels[name]
        return [
          name, "\(channel.before.count)", text(map?.offset), text(map?.gain),
          text(map?.crosstalk), text(shared?.rest[name]),
          text(channel.before.meanAbsoluteError), text(channel.after.meanAbsoluteError),
          text(channel.before.concordance), text(channel.after.concordance),
        ]
      })
  }

  private static func metrics(_ score: ScoreCalibration) -> [String] {
    let method = score.attempts.first {
      $0.negativeLogLikelihood == score.after.negativeLogLikelihood
    }
    return [
      title(score), method?.method ?? "–", "\(score.cases)",
      score.positives.shortText(significantDigits: 6), "\(score.clusters)", "\(score.folds)",
      text(score.before?.expectedError), text(score.after.expectedError),
      text(score.before?.brierScore), text(score.after.brierScore),
      text(score.before?.negativeLogLikelihood), text(score.after.negativeLogLikelihood),
      score.gain.map { text($0.interval, decimals: 4) } ?? "–",
    ]
  }

  private static func threshold(_ one: ScoreThreshold) -> [String] {
    [
      one.of, "\(one.threshold)", text(one.interval), "\(one.present)", one.objective,
      text(one.metric), text(one.metricInterval), text(one.heldOut), text(one.presentMetric),
      "\(one.cases)", (one.warnings + remark(one.limits)).joined(separator: "; "),
    ]
  }

  /// What is best on this data alone, where a limit has a confidence.
  private static func remark(_ limits: ThresholdLimits?) -> [String] {
    guard let limits, let plain = limits.plainThreshold else { return [] }
    return [
      "on this data alone \(plain) is best (\(text(limits.plainMetric)))"
        + (limits.brokenShare.map {
          "; a threshold chosen this way breaks a limit in \(($0 * 100).shortText()) % of resamples"
        } ?? "")
    ]
  }

  private static func threshold(_ one: ExpressionThreshold) -> [String] {
    [
      one.name, "\(one.value) \(one.isActiveAbove ? ">" : "≤")", "\(one.threshold)",
      text(one.interval), "\(one.present)", one.objective, text(one.metric),
      text(one.metricInterval), text(one.heldOut), text(one.presentMetric), "\(one.cases)",
      (one.warnings + remark(one.limits)).joined(separator: "; "),
    ]
  }

  private static func agreement(_ blendshapes: BlendshapeCalibration) -> [String] {
    let whom =
      ((blendshapes.shared == nil ? [] : ["everybody"]) + blendshapes.subjects.keys.sorted())
      .joined(separator: ", ")
    return [
      whom, "\(blendshapes.faces)",
      blendshapes.folds == 0 ? "nothing" : "\(blendshapes.folds) folds of \(blendshapes.heldOut)",
      text(blendshapes.before?.meanAbsoluteError), text(blendshapes.after?.meanAbsoluteError),
      text(blendshapes.before?.concordance), text(blendshapes.after?.concordance),
    ]
  }

  private static func title(_ score: ScoreCalibration) -> String {
    if case .expression(let name)? = score.kind { "expression \(name)" } else { score.of }
  }

  private static func text(_ value: Double?, decimals: Int = 3) -> String {
    value.map { $0.text(decimals: decimals) } ?? "–"
  }

  private static func text(_ interval: Interval, decimals: Int = 3) -> String {
    guard let low = interval.low, let high = interval.high else { return "–" }
    return "\(low.text(decimals: decimals)) to \(high.text(decimals: decimals))"
  }

  /// A table; nil without rows.
  static func table(
    _ name: String, _ title: String, _ columns: [String], _ rows: [[String]]
  ) -> Series? {
    rows.isEmpty ? nil : Series(name: name, title: title, columns: columns, rows: rows)
  }
}
