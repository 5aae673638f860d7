package import FaceCore
package import Records

/// What follows from the matched detections by score: FROC, the LRP error and calibration.
///
/// Each image is matched as `DetectionOutcome` documents, at IoU .50; detections on ignored faces
/// and crowds are left out. FROC, oLRP, ECE and Brier evaluate every detection, LRP, D-ECE and
/// LaECE those at the operating point. Calibration evaluates detections only; missed faces do not
/// count.
package struct RankedDetections: FrameMetric {
  /// One image, its detections that count.
  package struct Image: Sendable, Hashable {
    var labelled: Int
    var all: [RankedDetection]
    var kept: [RankedDetection]

    /// Whether the kept ones are the first of all.
    var keepsFirst: Bool { all.starts(with: kept) }
    /// The kept ones, where they are not the first of all.
    var keptApart: [RankedDetection] { keepsFirst ? [] : kept }
  }

  static let minOverlap = 0.5
  package var frames = FrameTable<Image>()

  package init() {}

  /// The frames with a label or a detection that counts.
  package var countedFrames: FrameRuns { frames.keys { $0.labelled > 0 || !$0.all.isEmpty } }

  /// Matches one image: detections of every score, and those that the operating point keeps.
  ///
  /// Throws for a frame added before and for boxes or scores that are not well-formed.
  package mutating func add(
    frame: Int, labels: [FaceLabel], detections: [FaceDetection], kept: [FaceDetection]
  ) throws(MetricError) {
    let all = try DetectionOutcome(frame: frame, labels: labels, detections: detections)
    let operating = try DetectionOutcome(frame: frame, labels: labels, detections: kept)
    try add(
      Image(
        labelled: all.labelled, all: all.ranked(detections), kept: operating.ranked(kept)),
      for: frame)
  }

  /// The metrics in the order of `definitions`; n is the labels that count, for calibration the detections.
  package func summarize() -> [Measurement] {
    var operating = ScoreStep()
    for image in frames.entries {
      for detection in image.kept { operating.add(iou: detection.iou, times: 1) }
    }
    let scan = scan()
    return Self.localisation(
      recalls: scan.recalls, best: scan.best, operating, labelled: labelled)
      + calibration()
  }

  /// Labels that count.
  private var labelled: Int { frames.entries.reduce(0) { $0 + $1.labelled } }

  /// All thresholds of all images.
  private func scan() -> ThresholdScan {
    let count = frames.entries.reduce(0) { $0 + $1.all.count }
    var (scores, overlaps) = ([Double](), [Double]())
    scores.reserveCapacity(count)
    overlaps.reserveCapacity(count)
    for image in frames.entries {
      for detection in image.all {
        scores.append(detection.score)
        overlaps.append(detection.iou ?? -1)
      }
    }
    var scan = ThresholdScan(
      labelled: labelled, images: frames.count, minOverlap: Self.minOverlap)
    for position in ScoreOrder.descending(scores) {
      let overlap = overlaps[position]
      scan.add(score: scores[position], iou: overlap < 0 ? nil : overlap, times: 1)
    }
    scan.close()
    return scan
  }

  /// From the recalls at FROC's rates, the least LRP error and its score, and the operating point.
  static func localisation(
    recalls: [Double], best: (error: Double, score: Double?), _ operating: ScoreStep, labelled: Int
  ) -> [Measurement] {
    let noLabel = "no labelled face counts: there is none, or all are ignored or crowds"
    let isLabelled = labelled > 0
    return [
      froc.measurement(
        isLabelled ? recalls.reduce(0, +) / Double(ThresholdScan.rates.count) : nil, n: labelled,
        else: noLabel),
      lrp.measurement(
        operating.lrp(labelled: labelled, minOverlap: minOverlap), n: labelled,
        else: "neither a labelled face nor a detection counts"),
      olrp.measurement(isLabelled ? best.error : nil, n: labelled, else: noLabel),
      olrpScore.measurement(
        isLabelled ? best.score : nil, n: labelled,
        else: isLabelled ? "no score gives a lower error than finding nothing" : noLabel),
    ]
  }

  /// What calibration follows from.
  private struct Calibration {
    var ece = ReliabilitySums(bins: 10)
    var dECE = ReliabilitySums(bins: 20)
    var laECE = ReliabilitySums(bins: 25)
    var squares = 0.0
    /// Detections, and the first score that is no probability, of all and of those at the operating point.
    var all: (count: Int, stray: Double?) = (0, nil)
    var kept: (count: Int, stray: Double?) = (0, nil)

    init(_ frames: FrameTable<Image>) {
      for image in frames.entries {
        for detection in image.all {
          all.count += 1
          guard let one = ConfidenceOutcome(detection.score, isTrue: detection.iou != nil) else {
            all.stray = all.stray ?? detection.score
            continue
          }
          ece.add(one)
          squares += (one.confidence - one.outcome) * (one.confidence - one.outcome)
        }
        for detection in image.kept {
          kept.count += 1
          guard let one = ConfidenceOutcome(detection.score, isTrue: detection.iou != nil),
            let degree = ConfidenceOutcome(detection.score, outcome: detection.iou ?? 0)
          else {
            kept.stray = kept.stray ?? detection.score
            continue
          }
          dECE.add(one)
          laECE.add(degree)
        }
      }
    }
  }

  package var calibrationErrors: [String: ExpectedCalibrationError] {
    let own = Calibration(frames)
    return [
      Self.ece.name: own.ece.error, Self.dECE.name: own.dECE.error,
      Self.laECE.name: own.laECE.error,
    ].compactMapValues(\.self)
  }

  private func calibration() -> [Measurement] {
    let own = Calibration(frames)
    let all = own.all
    func metric(
      _ definition: MetricDefinition, _ value: Double?, of detections: (count: Int, stray: Double?)
    ) -> Measurement {
      guard let stray = detections.stray else {
        return Self.measurement(of: definition, value, n: detections.count)
      }
      return definition.undefined(
        "the scores are no probabilities: \(stray) is outside [0, 1]", n: detections.count)
    }
    return [
      metric(Self.ece, own.ece.error?.value, of: all),
      metric(Self.brier, all.count == 0 ? nil : own.squares / Double(all.count), of: all),
      metric(Self.dECE, own.dECE.error?.value, of: own.kept),
      metric(Self.laECE, own.laECE.error?.value, of: own.kept),
    ]
  }

  static func measurement(
    of definition: MetricDefinition, _ value: Double?, n: Int
  ) -> Measurement {
    definition.measurement(
      value, n: n,
      else: "no detection counts: there is none, or all lie on ignored faces or crowds")
  }

  /// Recall at FROC's seven rates (`detection.froc`); nil without labels.
  package func freeResponseCurve() -> Series? {
    guard labelled > 0 else { return nil }
    return Series(
      name: SeriesName.falsePositives, title: "Recall over false positives per image",
      xLabel: "false positives per image", yLabel: "recall",
      lines: [Series.Line(label: "IoU 0.50", x: ThresholdScan.rates, y: scan().recalls)])
  }

  /// Precision over mean confidence in ten bins `(a, b]` (`detection.reliability`); nil where undefined.
  package func reliabilityDiagram() -> Series? {
    var evaluated: [ConfidenceOutcome] = []
    for image in frames.entries {
      for detection in image.all {
        guard let one = ConfidenceOutcome(detection.score, isTrue: detection.iou != nil) else {
          return nil
        }
        evaluated.append(one)
      }
    }
    guard !evaluated.isEmpty else { return nil }
    let bins = ReliabilityBins(evaluated, equalWidth: 10).bins
    return Series(
      name: SeriesName.reliability, title: "Precision over confidence, ten bins (a, b]",
      xLabel: "mean confidence", yLabel: "precision",
      lines: [
        Series.Line(
          label: "detections", x: bins.map(\.meanConfidence), y: bins.map(\.meanOutcome)),
        Series.Line(label: "perfect", x: [0, 1], y: [0, 1]),
      ])
  }
}

extension RankedDetections {
  /// FROC, LRP, then calibration.
  package static let definitions = [froc, lrp, olrp, olrpScore, ece, brier, dECE, laECE]

  private static let froc = definition(
    "froc", "FROC", .higher,
    "mean over 1/8, 1/4, 1/2, 1, 2, 4 and 8 false positives per image of the highest recall of a "
      + "threshold with at most so many, equal scores together, nothing interpolated; in [0, 1], "
      + "undefined without labels",
    source: "Bunch et al. 1978; van Ginneken et al. 2010 for the rates")
  private static let lrp = definition(
    "lrp", "LRP error",
    "(sum over TP of (1 - IoU) / .5 + FP + FN) / (TP + FP + FN) at the operating point; in [0, 1], "
      + "undefined without labels and detections")
  private static let olrp = definition(
    "olrp", "Optimal LRP error",
    "minimum over score thresholds of the LRP error, 1 for finding nothing; in [0, 1], undefined "
      + "without labels")
  private static let olrpScore = definition(
    "olrp.score", "Score of the optimal LRP error", .neither,
    "the highest score threshold that reaches detection.olrp; undefined where finding nothing is as "
      + "good")
  static let ece = definition(
    "ece", "ECE of detections",
    "sum over 10 bins (a, b] of score, 0 in the first, of n_b / n |mean score - precision|, "
      + "less what chance adds; every detection, misses not seen; in [0, 1], undefined without "
      + "detections", source: "Naeini et al. 2015; Guo et al. 2017; bias as in Kumar et al. 2019")
  static let brier = definition(
    "brier", "Brier score of detections",
    "mean of (score - 1 for true, 0 for false)²; every detection, misses not seen; in [0, 1], "
      + "undefined without detections", source: "Brier 1950")
  static let dECE = definition(
    "d_ece", "D-ECE",
    "sum over 20 bins (a, b] of score, 0 in the first, of n_b / n |mean score - precision|, "
      + "less what chance adds; detections at the operating point, misses not seen; in [0, 1], "
      + "undefined without detections",
    source: "Küppers et al. 2020, by confidence alone; bias as in Kumar et al. 2019")
  static let laECE = definition(
    "la_ece", "LaECE",
    "sum over 25 bins (a, b] of score, 0 in the first, of n_b / n |mean score - precision x mean IoU "
      + "of the true|, less what chance adds; detections at the operating point, misses not seen; "
      + "in [0, 1], undefined without detections",
    source: "Oksuz et al. 2023; bias as in Kumar et al. 2019")

  private static let definition = DefinitionGroup(
    prefix: "detection.", range: .unit,
    source: "Oksuz et al. 2018, 2022; matching as in COCO at IoU .50")
}

extension RankedDetections: FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.labels, .ranking, .analysedFrames]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard let detections = frame.detections else { return }
    try add(
      frame: frame.frame.index, labels: frame.labels, detections: detections.ranked,
      kept: detections.keptRanked)
  }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    let detections = frames.entries.lazy.flatMap { $0.all + $0.kept }
    return detections.allSatisfy { (0...1).contains($0.score) }
      ? RankedResampler(self, of: clusters) : FrameResampler(family: self, isSlice: isSlice)
  }

  package func series(_ context: SeriesContext) -> [Series] {
    [
      context.facts.contains(.ranking) ? freeResponseCurve() : nil,
      context.facts.contains(.scores) ? reliabilityDiagram() : nil,
    ].compactMap { $0 }
  }

  package static let presentation: MetricPresentation = {
    let ofOrder = Set([froc, olrp, olrpScore].map(\.name))
    let ofProbability = Set([ece, brier, dECE, laECE].map(\.name))
    return MetricPresentation(needs: [.scores: ofOrder.union(ofProbability), .ranking: ofOrder])
  }()
}

extension RankedDetections.Image: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(labelled, all, keepsFirst ? kept.count : -1)
    if !keepsFirst { row.write(kept) }
  }

  package init(from row: inout RowReader) {
    self.init(labelled: row.read(), all: row.read(), kept: [])
    let count: Int = row.read()
    kept = count < 0 ? row.read() : Array(all.prefix(count))
  }
}
