package import Records

extension SingleObjectTracking {
  /// OTB's figures, then VOT's.
  package static let definitions = [
    successArea, precision, meanOverlap, longTermF, longTermPrecision, longTermRecall,
    longTermConfidence,
  ]

  private static let otb = "OTB (Wu, Lim and Yang 2013), one-pass evaluation"
  private static let vot = "VOT long-term (Lukežič et al. 2018)"

  /// Area under OTB's success plot.
  package static let successArea = definition(
    "success_auc", "Success (area under curve)", .higher,
    "share of labelled frames with an IoU over t, mean over the 21 thresholds t of 0, 0.05 … 1; "
      + "mean over sequences; in [0, 20/21]", otb
  ).within(.unit)
  /// OTB's precision at its usual threshold.
  package static let precision = definition(
    "precision@20px", "Centre within 20 px", .higher,
    "share of labelled frames where the centres of the two boxes are 20 px or less apart; mean over "
      + "sequences; in [0, 1]", otb
  ).within(.unit)
  /// Mean IoU.
  package static let meanOverlap = definition(
    "mean_iou", "Mean IoU with the target", .higher,
    "mean IoU over the labelled frames, 0 where no face is given out; mean over sequences; in "
      + "[0, 1]", otb
  ).within(.unit)
  /// The largest F over the confidence.
  package static let longTermF = definition(
    "vot.f", "Long-term F", .higher,
    "largest 2·Pr·Re / (Pr + Re) over 100 thresholds of the confidence: ∞, 98 quantiles, −∞; faces "
      + "below the tracker's own threshold count too; of equal ones the highest threshold; in "
      + "[0, 1]", vot
  ).within(.unit)
  /// Precision where F is largest.
  package static let longTermPrecision = definition(
    "vot.pr", "Long-term precision", .higher,
    "mean IoU over frames with a face of the confidence of tracking.vot.f or more, 0 where the "
      + "target is not there, 1 without such frames; mean over sequences; in [0, 1]", vot
  ).within(.unit)
  /// Recall where F is largest.
  package static let longTermRecall = definition(
    "vot.re", "Long-term recall", .higher,
    "sum of the IoU over frames with a face of the confidence of tracking.vot.f or more, over the "
      + "labelled frames; mean over sequences; in [0, 1]", vot
  ).within(.unit)
  /// The confidence at which F is largest.
  package static let longTermConfidence = definition(
    "vot.confidence", "Confidence of the largest long-term F", .neither,
    "threshold of the confidence that tracking.vot.f has, the lowest confidence for −∞; undefined "
      + "where F is 0", vot
  ).within(.any)

  /// The figures in the order of `definitions`; n is the number of frames.
  package func summarize() -> [Measurement] {
    let sequences = targets()
    guard !sequences.isEmpty else {
      return Self.definitions.map {
        $0.undefined("no video sequence has one target and at most one face given out", n: 0)
      }
    }
    let labelled = sequences.map { $0.filter(\.hasTarget) }
    let n = labelled.reduce(0) { $0 + $1.count }
    func mean(_ definition: MetricDefinition, _ value: (Entry) -> Double) -> Measurement {
      let means = labelled.map { frames in
        frames.reduce(0) { $0 + value($1) } / Double(frames.count)
      }
      return definition.measurement(means.reduce(0, +) / Double(means.count), n: n)
    }
    return [
      mean(Self.successArea) { entry in
        Double((0...20).count { entry.overlap > Double($0) / 20 }) / 21
      },
      mean(Self.precision) { ($0.distance ?? .infinity) <= 20 ? 1 : 0 },
      mean(Self.meanOverlap) { $0.overlap },
    ] + longTermFigures(sequences)
  }

  private func longTermFigures(_ sequences: [[Entry]]) -> [Measurement] {
    let definitions = Self.definitions.suffix(4)
    let n = sequences.reduce(0) { $0 + $1.count }
    let given = sequences.joined().filter { $0.anyOverlap != nil }
    guard !given.isEmpty else {
      return definitions.map { $0.undefined("no face is given out", n: n) }
    }
    guard given.allSatisfy({ $0.confidence != nil }) else {
      return definitions.map { $0.undefined("not every face has a confidence", n: n) }
    }
    let best = LongTermCurve(sequences).best
    let confidence =
      best.threshold == -.infinity ? given.compactMap(\.confidence).min() : best.threshold
    return [
      Self.longTermF.measurement(best.f, n: n),
      Self.longTermPrecision.measurement(best.precision, n: n),
      Self.longTermRecall.measurement(best.recall, n: n),
      best.f > 0
        ? Self.longTermConfidence.measurement(confidence ?? 0, n: n)
        : Self.longTermConfidence.undefined("no face given out overlaps the target", n: n),
    ]
  }

  private static func definition(
    _ name: String, _ title: String, _ direction: Direction, _ formula: String, _ source: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "tracking.\(name)", title: title, stage: "tracking", unit: "1", direction: direction,
      formula: formula + "; undefined without a video sequence of one labelled face and at most "
        + "one given out",
      source: source)
  }
}
