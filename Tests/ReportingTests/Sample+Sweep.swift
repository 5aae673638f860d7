import Records

extension Sample {
  /// A sweep of a video run over two parameters and one that does nothing, the same on every machine.
  static let sweep: Record = {
    var record = empty
    record.sweep = Sweep(
      mode: "video", parameters: parameters, metrics: metrics, settings: settings, columns: columns,
      defaultSetting: setting(0.5, 0.5), cost: cost, advice: [best, limited, impossible],
      fronts: [
        Sweep.Front(
          metrics: ["jitter", "lag"],
          settings: [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].reversed().map { setting($0, 0.9) }),
        Sweep.Front(
          metrics: ["f1", "nme", "latency"], settings: [setting(0.4, 0.3), setting(0.9, 0.9)]),
      ], effects: effects)
    record.sweep?.intervals = columns.mapValues { column in
      column.map { value in value.map { [0.9 * $0, 1.1 * $0] } }
    }
    record.series = [precisionRecall, roc]
    return record
  }()

  /// The sections that the sweep fills.
  static let sweepSectionIDs = [
    "summary", "settings", "sweep-advice", "sweep-curves", "sweep-fronts", "sweep-effects",
    "sweep-cost",
    "provenance",
  ]

  private static let detection = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
  private static let presence = [0.1, 0.3, 0.5, 0.7, 0.9]

  private static let parameters = [
    Sweep.Parameter(name: "min-face-detection-confidence", values: detection),
    Sweep.Parameter(name: "min-face-presence-confidence", values: presence),
    Sweep.Parameter(name: "min-tracking-confidence", values: [0.5]),
  ]

  private static let settings = detection.flatMap { first in presence.map { [first, $0, 0.5] } }

  private static func setting(_ detection: Double, _ presence: Double) -> Int {
    settings.firstIndex { $0[0] == detection && $0[1] == presence } ?? 0
  }

  private static let metrics = [
    Sweep.Metric(name: "f1", title: "F1", unit: "1", better: .higher),
    Sweep.Metric(name: "recall", title: "Recall", unit: "1", better: .higher),
    Sweep.Metric(name: "precision", title: "Precision", unit: "1", better: .higher),
    Sweep.Metric(name: "nme", title: "NME of found faces", unit: "1", better: .lower),
    Sweep.Metric(name: "jitter", title: "Jitter", unit: "‰", better: .lower),
    Sweep.Metric(
      name: "lag", title: "Lag", unit: "ms", better: .lower,
      note: "undefined where fewer than 30 frames are tracked"),
    Sweep.Metric(name: "latency", title: "Mean latency", unit: "ms", better: .lower),
    Sweep.Metric(name: "images", title: "Images evaluated", unit: "images", better: .higher),
  ]

  private static let columns: [String: [Double?]] = {
    func column(_ value: (Double, Double) -> Double?) -> [Double?] {
      settings.map { value($0[0], $0[1]) }
    }
    return [
      "f1": column { 0.875 - ($0 - 0.4) * ($0 - 0.4) - ($1 - 0.3) * ($1 - 0.3) / 4 },
      "recall": column { 1 - $0 / 2 - $1 / 16 },
      "precision": column { 0.5 + $0 / 2 + $1 / 32 },
      "nme": column { 0.0625 - $0 / 64 - $1 / 128 },
      "jitter": column { 4 - 2 * $0 - $1 },
      "lag": column { $0 > 0.85 && $1 < 0.2 ? nil : 10 + 16 * $0 - 4 * $1 },
      "latency": column { 6 + 4 * $1 },
      "images": column { _, _ in 1204 },
    ]
  }()

  private static let method = "percentile bootstrap of 31 clusters, 1000 resamples, seed 1"

  private static func interval(_ low: Double, _ high: Double) -> Interval {
    Interval(low: low, high: high, method: method)
  }

  private static func choices(at setting: Int, width: Double) -> [Sweep.MetricChoice] {
    metrics.map { metric in
      let value = columns[metric.name]?[setting] ?? nil
      let held = (0..<3).map { fold in value.map { $0 * (0.9375 + Double(fold) / 32) } }
      return Sweep.MetricChoice(
        name: metric.name, value: value,
        interval: metric.name == "lag"
          ? .none("the metric is undefined in 61 of 1000 resamples")
          : interval((value ?? 0) * (1 - width), (value ?? 0) * (1 + width)), heldOut: held,
        heldOutMean: held[1])
    }
  }

  private static let best: Sweep.Advice = {
    var advice = Sweep.Advice(objective: "max f1", metric: "f1", reason: nil)
    let position = setting(0.4, 0.3)
    advice.setting = position
    advice.parameters = [
      Sweep.ParameterChoice(
        name: parameters[0].name, value: 0.4, interval: interval(0.3, 0.5), share: 0.625),
      Sweep.ParameterChoice(
        name: parameters[1].name, value: 0.3, interval: interval(0.1, 0.7), share: 0.375),
      Sweep.ParameterChoice(
        name: parameters[2].name, value: 0.5, interval: interval(0.5, 0.5), share: 1),
    ]
    advice.metrics = choices(at: position, width: 0.0625)
    advice.draws = 1000
    advice.foldSettings = [position, position, setting(0.4, 0.5)]
    advice.optimism = 0.02734375
    advice.gain = Sweep.Gain(
      value: 0.02, interval: Interval(low: -0.0125, high: 0.0525, method: "max-t bootstrap"),
      conclusion: .noEvidence)
    advice.warnings = [
      "min-face-presence-confidence is flat: f1 changes by 0.04 from 0.1 to 0.7,"
        + " half its interval is 0.0547"
    ]
    return advice
  }()

  private static let limited: Sweep.Advice = {
    var advice = Sweep.Advice(
      objective: "min nme where lag <= 22 and recall >= 0.5", metric: "nme", reason: nil)
    let position = setting(0.9, 0.9)
    advice.setting = position
    advice.parameters = zip(parameters, settings[position]).map { parameter, value in
      Sweep.ParameterChoice(
        name: parameter.name, value: value,
        interval: .none("no setting meets the objective in 112 of 1000 resamples"), share: 0.5)
    }
    advice.metrics = choices(at: position, width: 0.03125)
    (advice.draws, advice.infeasibleDraws, advice.brokenDraws) = (1000, 112, 231)
    advice.foldSettings = [position, position, nil]
    advice.gain = Sweep.Gain(
      value: 0.009375, interval: Interval(low: 0.004, high: 0.0145, method: "max-t bootstrap"),
      conclusion: .better)
    advice.warnings = [
      "in 11.2 % of the resamples no setting meets the objective",
      "min-face-detection-confidence 0.9 is the highest that was tried",
    ]
    return advice
  }()

  private static let impossible = Sweep.Advice(
    objective: "max f1 where lag <= 2", metric: "f1",
    reason: "none of 35 settings meets lag <= 2, the nearest has 11.2")

  private static let effects: [Sweep.Effect] = {
    func effect(_ parameter: Int, _ metric: String, _ low: Double, _ high: Double, _ widths: Double)
      -> Sweep.Effect
    {
      Sweep.Effect(
        parameter: parameters[parameter].name, metric: metric, low: low, high: high,
        meanSpan: high - low,
        intervalWidths: widths, isThere: high > low, reason: nil)
    }
    return [
      effect(0, "f1", 0.615, 0.865, 2.25), effect(0, "lag", 12.8, 22.4, 4),
      effect(1, "f1", 0.775, 0.865, 0.75), effect(1, "images", 1204, 1204, 0),
    ]
      + ["f1", "lag"].map {
        Sweep.Effect(
          parameter: parameters[2].name, metric: $0, low: 0.5, high: 0.5, meanSpan: 0,
          intervalWidths: nil,
          isThere: false, reason: "one face: it is an overlap threshold, not a score")
      }
  }()

  private static let cost = Sweep.Cost(
    settings: 35, frames: 1204, detectorInferences: 1180, landmarkInferences: 2903,
    blendshapeInferences: 0, inferencesOfFullRuns: 51_310, distinctTracks: 212)

  private static let precisionRecall = Series(
    name: "sweep.pr", title: "Precision and recall",
    content: .curve(
      Series.Curve(
        xLabel: "recall", yLabel: "precision",
        lines: [
          Series.Line(
            label: "detector", x: (0...20).map { Double($0) / 25 },
            y: (0...20).map { 1 - Double($0 * $0) / 800 })
        ], marks: [Series.Mark(label: "default 0.5", x: 0.64, y: 0.68)])))

  private static let roc = Series(
    name: "sweep.roc", title: "ROC",
    content: .curve(
      Series.Curve(
        xLabel: "false positive rate", yLabel: "recall",
        lines: [
          Series.Line(
            label: "presence", x: (0...20).map { Double($0 * $0) / 400 },
            y: (0...20).map { Double($0) / 20 })
        ])))
}
