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
  }

  static let minOverlap = 0.5
  /// What is kept of each frame.
  package var frames = FrameTable<Image>()

  /// Starts without frames.
  package init() {}

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

  /// The metric that errors name.
  package static var table: String { Self.froc.name }

  /// The metrics in the order of `definitions`; n is the labels that count, for calibration the detections.
  package func summarize() -> [Measurement] {
    let images = frames.entries
    let operating = ScoreStep.steps(of: detections(\.kept), gainingOnly: true).last
    return Self.localisation(
      ScoreStep.steps(of: detections(\.all), gainingOnly: true), operating,
      labelled: images.reduce(0) { $0 + $1.labelled }, images: frames.count) + calibration()
  }

  /// Those of all images, in a list of no more than its own size.
  private func detections(_ ofImage: (Image) -> [RankedDetection]) -> [RankedDetection] {
    var detections: [RankedDetection] = []
    detections.reserveCapacity(frames.entries.reduce(0) { $0 + ofImage($1).count })
    for image in frames.entries { detections += ofImage(image) }
    return detections
  }

  private static func localisation(
    _ steps: [ScoreStep], _ operating: ScoreStep?, labelled: Int, images: Int
  ) -> [Measurement] {
    let noLabel = "no labelled face counts: there is none, or all are ignored or crowds"
    let recalls = [ScoreStep].freeResponseRates.compactMap {
      steps.recall(
        atFalsePositivesPerImage: $0, labelled: labelled, images: images)
    }
    let operating = operating ?? ScoreStep(score: .infinity)
    let best = steps.optimalLRP(labelled: labelled, minOverlap: minOverlap)
    func metric(_ definition: MetricDefinition, _ value: Double?, else reason: String)
      -> Measurement
    {
      value.map { definition.measurement($0, n: labelled) }
        ?? definition.undefined(reason, n: labelled)
    }
    return [
      metric(
        froc,
        recalls.isEmpty ? nil : recalls.reduce(0, +) / Double(recalls.count), else: noLabel),
      metric(
        lrp, operating.lrp(labelled: labelled, minOverlap: minOverlap),
        else: "neither a labelled face nor a detection counts"),
      metric(olrp, best?.error, else: noLabel),
      metric(
        olrpScore, best?.score,
        else: best == nil ? noLabel : "no score gives a lower error than finding nothing"),
    ]
  }

  /// Reads the images again for each list of outcomes, so that one is in memory at a time.
  private func calibration() -> [Measurement] {
    func metrics(
      _ detections: (Image) -> [RankedDetection], bins count: Int, _ outcome: (Double?) -> Double,
      _ metrics: [(definition: MetricDefinition, value: (ReliabilityBins) -> Double?)]
    ) -> [Measurement] {
      var evaluated: [ConfidenceOutcome] = []
      var (n, stray): (Int, Double?) = (0, nil)
      for image in frames.entries {
        for detection in detections(image) {
          n += 1
          if let one = ConfidenceOutcome(detection.score, outcome: outcome(detection.iou)) {
            evaluated.append(one)
          } else if stray == nil {
            stray = detection.score
          }
        }
      }
      if let stray {
        return metrics.map {
          $0.definition.undefined(
            "the scores are no probabilities: \(stray) is outside [0, 1]", n: n)
        }
      }
      let bins = ReliabilityBins(evaluated, equalWidth: count)
      return metrics.map { Self.measurement(of: $0.definition, $0.value(bins), n: n) }
    }
    return metrics(
      { $0.all }, bins: 10, { $0 == nil ? 0 : 1 },
      [(Self.ece, { $0.expectedError }), (Self.brier, { BrierScore($0)?.score })])
      + metrics(
        { $0.kept }, bins: 20, { $0 == nil ? 0 : 1 }, [(Self.dECE, { $0.expectedError })])
      + metrics({ $0.kept }, bins: 25, { $0 ?? 0 }, [(Self.laECE, { $0.expectedError })])
  }

  private static func measurement(
    of definition: MetricDefinition, _ value: Double?, n: Int
  ) -> Measurement {
    value.map { definition.measurement($0, n: n) }
      ?? definition.undefined(
        "no detection counts: there is none, or all lie on ignored faces or crowds", n: 0)
  }

  /// Recall at FROC's seven rates (`detection.froc`); nil without labels.
  package func freeResponseCurve() -> Series? {
    let images = frames.entries
    let labelled = images.reduce(0) { $0 + $1.labelled }
    let steps = ScoreStep.steps(of: detections(\.all), gainingOnly: true)
    let rates = [ScoreStep].freeResponseRates
    let recalls = rates.compactMap {
      steps.recall(
        atFalsePositivesPerImage: $0, labelled: labelled, images: frames.count)
    }
    guard recalls.count == rates.count else { return nil }
    return Series(
      name: SeriesName.falsePositives, title: "Recall over false positives per image",
      content: .curve(
        Series.Curve(
          xLabel: "false positives per image", yLabel: "recall",
          lines: [Series.Line(label: "IoU 0.50", x: rates, y: recalls)], marks: [])))
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
      content: .curve(
        Series.Curve(
          xLabel: "mean confidence", yLabel: "precision",
          lines: [
            Series.Line(
              label: "detections", x: bins.map(\.meanConfidence), y: bins.map(\.meanOutcome)),
            Series.Line(label: "perfect", x: [0, 1], y: [0, 1]),
          ], marks: [])))
  }
}

extension DetectionOutcome {
  /// The detections that count, in their own order.
  fileprivate func ranked(_ detections: [FaceDetection]) -> [RankedDetection] {
    var ious: [Int: Double] = [:]
    for match in matches { ious[match.detection] = match.iou }
    let ignored = Set(ignored)
    return detections.indices.filter { !ignored.contains($0) }.map {
      RankedDetection(score: detections[$0].score, iou: ious[$0])
    }
  }
}

extension RankedDetections {
  /// FROC, LRP, then calibration.
  package static let definitions = [froc, lrp, olrp, olrpScore, ece, brier, dECE, laECE]

  private static let froc = definition(
    "froc", "FROC", .higher,
    "mean over 1/8, 1/4, 1/2, 1, 2, 4 and 8 false positives per image of the highest recall of a "
      + "threshold with at most so many, equal scores together, nothing interpolated; in [0, 1], "
      + "undefined without labels", "Bunch et al. 1978; van Ginneken et al. 2010 for the rates")
  private static let lrp = definition(
    "lrp", "LRP error", .lower,
    "(sum over TP of (1 - IoU) / .5 + FP + FN) / (TP + FP + FN) at the operating point; in [0, 1], "
      + "undefined without labels and detections", oksuz)
  private static let olrp = definition(
    "olrp", "Optimal LRP error", .lower,
    "minimum over score thresholds of the LRP error, 1 for finding nothing; in [0, 1], undefined "
      + "without labels", oksuz)
  private static let olrpScore = definition(
    "olrp.score", "Score of the optimal LRP error", .neither,
    "the highest score threshold that reaches detection.olrp; undefined where finding nothing is as "
      + "good", oksuz)
  private static let ece = definition(
    "ece", "ECE of detections", .lower,
    "sum over 10 bins (a, b] of score, 0 in the first, of n_b / n |mean score - precision|; every "
      + "detection, misses not seen; in [0, 1], undefined without detections",
    "Naeini et al. 2015; Guo et al. 2017")
  private static let brier = definition(
    "brier", "Brier score of detections", .lower,
    "mean of (score - 1 for true, 0 for false)²; every detection, misses not seen; in [0, 1], "
      + "undefined without detections", "Brier 1950")
  private static let dECE = definition(
    "d_ece", "D-ECE", .lower,
    "sum over 20 bins (a, b] of score, 0 in the first, of n_b / n |mean score - precision|; "
      + "detections at the operating point, misses not seen; in [0, 1], undefined without detections",
    "Küppers et al. 2020, by confidence alone")
  private static let laECE = definition(
    "la_ece", "LaECE", .lower,
    "sum over 25 bins (a, b] of score, 0 in the first, of n_b / n |mean score - precision x mean IoU "
      + "of the true|; detections at the operating point, misses not seen; in [0, 1], undefined "
      + "without detections", "Oksuz et al. 2023")
  private static let oksuz = "Oksuz et al. 2018, 2022; matching as in COCO at IoU .50"

  private static func definition(
    _ name: String, _ title: String, _ direction: Direction, _ formula: String, _ source: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "detection.\(name)", title: title, stage: "detection", unit: "1",
      direction: direction, formula: formula, source: source
    ).within(.unit)
  }
}

extension RankedDetections: MetricFamily {
  package static let requirements: MetricRequirements = [.labels, .ranking, .analysedFrames]

  package init(_ context: MetricContext) { self.init() }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard let detections = frame.detections else { return }
    try add(
      frame: frame.frame.index, labels: frame.labels, detections: detections.ranked,
      kept: detections.keptRanked)
  }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    let detections = frames.entries.lazy.flatMap { $0.all + $0.kept }
    return detections.allSatisfy { (0...1).contains($0.score) }
      ? Resampler(self, of: clusters) : FrameResampler(family: self, isSlice: isSlice)
  }

  /// The metrics for draws of clusters, from detections that were ranked once; every score is in [0, 1].
  private struct Resampler: FamilyResampler {
    /// A detection, with the bins of its score among few and among more bins.
    private struct Ranked {
      let score: Double
      /// IoU with the label that it found; less than 0 for a false positive.
      let iou: Double
      let bin: UInt8
      let finerBin: UInt8

      init(_ detection: RankedDetection, _ bins: Bins) {
        score = detection.score
        iou = detection.iou ?? -1
        bin = UInt8(bins.coarse.bin(of: score))
        finerBin = UInt8(bins.fine.bin(of: score))
      }

      var isTrue: Bool { iou >= 0 }
      var detection: RankedDetection { RankedDetection(score: score, iou: isTrue ? iou : nil) }
    }

    private struct Bins {
      let coarse, fine: ReliabilitySums
    }

    private let all: DrawnRanking<Ranked>
    private let kept: DrawnRanking<Ranked>
    /// Labels that count, and images.
    private let counts: ClusterCounts

    init(_ family: RankedDetections, of clusters: FrameClusters) {
      typealias Scored = (cluster: Int, score: Double, item: Ranked)
      /// One list is in memory at a time, of no more than its own size.
      func ranking(_ bins: Bins, of detections: (Image) -> [RankedDetection]) -> DrawnRanking<
        Ranked
      > {
        var scored: [Scored] = []
        scored.reserveCapacity(family.frames.entries.reduce(0) { $0 + detections($1).count })
        for (frame, image) in family.frames.keyed {
          guard let cluster = clusters.cluster(of: frame) else { continue }
          scored += detections(image).map { (cluster, $0.score, Ranked($0, bins)) }
        }
        return DrawnRanking(scored)
      }
      all = ranking(
        Bins(coarse: ReliabilitySums(bins: 10), fine: ReliabilitySums(bins: 10)), of: \.all)
      kept = ranking(
        Bins(coarse: ReliabilitySums(bins: 20), fine: ReliabilitySums(bins: 25)), of: \.kept)
      var counts = ClusterCounts(width: 2)
      for (frame, image) in family.frames.keyed {
        guard let cluster = clusters.cluster(of: frame) else { continue }
        counts.add(to: cluster) {
          $0[$0.startIndex] += Int32(image.labelled)
          $0[$0.startIndex + 1] += 1
        }
      }
      self.counts = counts
    }

    func measurements(of draw: ClusterDraw) -> [Measurement] {
      let copies = draw.copies
      var (steps, operating) = (ScoreLadder(gainingOnly: true), ScoreLadder(gainingOnly: true))
      var (ece, dECE, laECE) = (
        ReliabilitySums(bins: 10), ReliabilitySums(bins: 20), ReliabilitySums(bins: 25)
      )
      var squares = 0.0
      all.visit(copies) { detection, times in
        steps.add(detection.detection, times: times)
        let gap = detection.score - (detection.isTrue ? 1 : 0)
        squares += gap * gap * Double(times)
        if let one = ConfidenceOutcome(detection.score, isTrue: detection.isTrue) {
          ece.add(one, in: Int(detection.bin), times: times)
        }
      }
      kept.visit(copies) { detection, times in
        operating.add(detection.detection, times: times)
        if let one = ConfidenceOutcome(detection.score, isTrue: detection.isTrue) {
          dECE.add(one, in: Int(detection.bin), times: times)
        }
        if let one = ConfidenceOutcome(detection.score, outcome: max(detection.iou, 0)) {
          laECE.add(one, in: Int(detection.finerBin), times: times)
        }
      }
      let (n, known) = (ece.count, counts.sums(copies))
      return RankedDetections.localisation(
        steps.finished, operating.finished.last, labelled: known[0], images: known[1])
        + [
          RankedDetections.measurement(of: RankedDetections.ece, ece.expectedError, n: n),
          RankedDetections.measurement(
            of: RankedDetections.brier, n == 0 ? nil : squares / Double(n), n: n),
          RankedDetections.measurement(
            of: RankedDetections.dECE, dECE.expectedError, n: dECE.count),
          RankedDetections.measurement(
            of: RankedDetections.laECE, laECE.expectedError, n: laECE.count),
        ]
    }
  }

  package func series(_ context: SeriesContext) -> [Series] {
    [freeResponseCurve(), reliabilityDiagram()].compactMap { $0 }
  }
}

extension RankedDetections.Image: Packable {
  package func pack(into row: inout RowWriter) {
    let isPrefix = all.starts(with: kept)
    row.write(labelled, all, isPrefix ? kept.count : -1)
    if !isPrefix { row.write(kept) }
  }

  package init(from row: inout RowReader) {
    self.init(labelled: row.read(), all: row.read(), kept: [])
    let count: Int = row.read()
    kept = count < 0 ? row.read() : Array(all.prefix(count))
  }
}
