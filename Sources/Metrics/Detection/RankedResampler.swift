internal import Records

/// The metrics of ranked detections for draws of clusters, from detections that were ranked once; all scores are in [0, 1].
///
/// They equal those of `RankedDetections` over the drawn frames, but for the order in which numbers are added up.
struct RankedResampler: BatchResampler {
  private struct Ranked {
    /// IoU with the label that it found; less than 0 for a false positive.
    let overlap: Double
    /// Whether it is among the detections of every score, and among those at the operating point.
    let isOfAll, isKept: Bool
  }

  private let ranking: DrawnRanking<Ranked>
  /// Labels that count, and images.
  private let counts: ClusterCounts

  init(_ family: RankedDetections, of clusters: FrameClusters) {
    var scored = ScoredItems<Ranked>(
      capacity: family.frames.entries.reduce(0) { $0 + $1.all.count + $1.keptApart.count })
    var counts = ClusterCounts(width: 2)
    for (frame, image) in family.frames.keyed {
      guard let cluster = clusters.cluster(of: frame) else { continue }
      counts.add(to: cluster) {
        $0[$0.startIndex] += Int32(image.labelled)
        $0[$0.startIndex + 1] += 1
      }
      func append(_ detection: RankedDetection, isOfAll: Bool, isKept: Bool) {
        scored.append(
          Ranked(overlap: detection.iou ?? -1, isOfAll: isOfAll, isKept: isKept),
          score: detection.score, of: cluster)
      }
      let (apart, shared) = (image.keptApart, image.keepsFirst ? image.kept.count : 0)
      for (position, detection) in image.all.enumerated() {
        append(detection, isOfAll: true, isKept: position < shared)
      }
      for detection in apart { append(detection, isOfAll: false, isKept: true) }
    }
    self.counts = counts
    ranking = DrawnRanking(scored)
  }

  func measurements(of batch: DrawBatch) -> [[Measurement]] {
    let known = batch.draws.map { counts.sums($0.copies) }
    var scan = BatchScan(known.map { ($0[0], $0[1]) })
    var operating = BatchStep()
    var (ece, dECE, laECE) = (
      BatchReliability(bins: 10), BatchReliability(bins: 20), BatchReliability(bins: 25)
    )
    var squares = DrawBatch.Numbers.zero
    ranking.visit(batch) { detection, score, copies in
      let times = DrawBatch.Numbers(copies)
      let isTrue = detection.overlap >= 0
      let outcome: Double = isTrue ? 1 : 0
      if detection.isOfAll {
        scan.add(score: score, overlap: detection.overlap, times)
        let gap = score - outcome
        squares += gap * gap * times
        ece.add(score, outcome: outcome, times)
      }
      if detection.isKept {
        operating.add(overlap: detection.overlap, times)
        dECE.add(score, outcome: outcome, times)
        laECE.add(score, outcome: isTrue ? detection.overlap : 0, times)
      }
    }
    scan.close()
    return known.enumerated().map { lane, known in
      let n = ece.count(lane)
      return RankedDetections.localisation(
        recalls: scan.found.map { $0[lane] / Double(known[0]) },
        best: (scan.best[lane], scan.bestScore[lane].isNaN ? nil : scan.bestScore[lane]),
        operating.step(lane), labelled: known[0])
        + [
          RankedDetections.measurement(of: RankedDetections.ece, ece.error(lane)?.value, n: n),
          RankedDetections.measurement(
            of: RankedDetections.brier, n == 0 ? nil : squares[lane] / Double(n), n: n),
          RankedDetections.measurement(
            of: RankedDetections.dECE, dECE.error(lane)?.value, n: dECE.count(lane)),
          RankedDetections.measurement(
            of: RankedDetections.laECE, laECE.error(lane)?.value, n: laECE.count(lane)),
        ]
    }
  }
}

/// `ScoreStep` for several draws side by side.
private struct BatchStep {
  /// Detections that found a label, those that found none, and the sum over the true ones of 1 − IoU.
  private(set) var found, wrong, localisationError: DrawBatch.Numbers

  init() { (found, wrong, localisationError) = (.zero, .zero, .zero) }

  mutating func add(overlap: Double, _ times: DrawBatch.Numbers) {
    if overlap >= 0 {
      found += times
      localisationError += times * (1 - overlap)
    } else {
      wrong += times
    }
  }

  func step(_ lane: Int) -> ScoreStep {
    var step = ScoreStep()
    step.truePositives = Int(found[lane])
    step.falsePositives = Int(wrong[lane])
    step.localisationError = localisationError[lane]
    return step
  }
}

/// `ThresholdScan` for several draws side by side.
private struct BatchScan {
  private var labelled = DrawBatch.Numbers.zero
  /// The most false positives that each of FROC's rates allows.
  private var limits: [DrawBatch.Numbers]
  private var step = BatchStep()
  private var score = Double.infinity
  private var before = DrawBatch.Numbers.zero
  /// True positives at each rate.
  private(set) var found: [DrawBatch.Numbers]
  /// The least LRP error, and the highest score that has it; NaN where keeping nothing has.
  private(set) var best = DrawBatch.Numbers.one
  private(set) var bestScore = DrawBatch.Numbers(repeating: .nan)

  /// Starts without detections, where so many labels count in so many images of each draw.
  init(_ known: [(labelled: Int, images: Int)]) {
    found = ThresholdScan.rates.map { _ in .zero }
    limits = found
    for (lane, known) in known.enumerated() {
      labelled[lane] = Double(known.labelled)
      for (rate, limit) in ThresholdScan.limits(ofImages: known.images).enumerated() {
        limits[rate][lane] = Double(limit)
      }
    }
  }

  mutating func add(score: Double, overlap: Double, _ times: DrawBatch.Numbers) {
    if score != self.score {
      close()
      self.score = score
    }
    step.add(overlap: overlap, times)
  }

  /// Ends the step of the last score.
  mutating func close() {
    let hasMore = step.found .> before
    guard hasMore.holdsForAny else { return }
    before = step.found
    for rate in limits.indices {
      found[rate].replace(with: before, where: hasMore .& (step.wrong .<= limits[rate]))
    }
    let missed = labelled - before
    let error =
      (step.localisationError / (1 - RankedDetections.minOverlap) + (step.wrong + missed))
      / (step.wrong + labelled)
    let isBetter = hasMore .& (error .< best)
    best.replace(with: error, where: isBetter)
    bestScore.replace(with: score, where: isBetter)
  }
}

/// Reliability bins of equal width for several draws, from confidences that come from the highest to the lowest.
private struct BatchReliability {
  private struct Bin {
    var count = DrawBatch.Numbers.zero
    var confidence = DrawBatch.Numbers.zero
    var outcome = DrawBatch.Numbers.zero
    var squares = DrawBatch.Numbers.zero
  }

  private let bins: Int
  private var bin: Int
  /// Confidences of the bin are above it; less than any for the first bin.
  private var edge: Double
  private var open = Bin()
  private var closed: [Bin] = []

  init(bins: Int) {
    self.bins = bins
    bin = bins - 1
    edge = Self.edge(under: bins - 1, of: bins)
    closed.reserveCapacity(bins)
  }

  mutating func add(_ confidence: Double, outcome: Double, _ times: DrawBatch.Numbers) {
    while confidence <= edge {
      closed.append(open)
      open = Bin()
      bin -= 1
      edge = Self.edge(under: bin, of: bins)
    }
    open.count += times
    open.confidence += confidence * times
    guard outcome != 0 else { return }
    open.outcome += outcome * times
    open.squares += outcome * outcome * times
  }

  private static func edge(under bin: Int, of bins: Int) -> Double {
    bin == 0 ? -1 : Double(bin) / Double(bins)
  }

  /// How many confidences a draw has.
  func count(_ lane: Int) -> Int {
    closed.reduce(Int(open.count[lane])) { $0 + Int($1.count[lane]) }
  }

  /// The calibration error of a draw; nil without confidences.
  func error(_ lane: Int) -> ExpectedCalibrationError? {
    ExpectedCalibrationError(
      (closed + [open]).map {
        ExpectedCalibrationError.Bin(
          count: Int($0.count[lane]), confidence: $0.confidence[lane], outcome: $0.outcome[lane],
          squares: $0.squares[lane])
      })
  }
}
