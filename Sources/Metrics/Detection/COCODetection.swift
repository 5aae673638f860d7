package import FaceCore
internal import Platform
package import Records
internal import Statistics

/// COCO's twelve detection statistics, as `pycocotools.cocoeval` defines them.
///
/// Each detection takes, by falling score, the free label of its category with the largest IoU at or
/// over the threshold. A crowd or ignored label, or one outside the area range, counts neither found
/// nor missed; a detection on it, or an unmatched one outside the range, counts neither way; a crowd
/// takes any number of detections, by the share of the detection inside it. Precision is
/// interpolated at 101 recalls and averaged over recalls, thresholds .50:.05:.95 and the categories
/// that have labels. In [0, 1], higher is better; undefined where no label counts.
///
/// Source: Lin et al., Microsoft COCO, 2014. Unlike pycocotools, an ignore flag is honoured without
/// a crowd flag, and a label's id never matters.
package struct COCODetection: FrameMetric {
  package var frames = FrameTable<COCOMatches>()
  /// How many detections of a category count in an image, by falling score.
  package let maxDetections: Int
  /// COCO's own limit.
  package static let defaultMaxDetections = 100

  /// Starts without frames; `maxDetections` is at least COCO's 100.
  package init(maxDetections: Int = COCODetection.defaultMaxDetections) {
    self.maxDetections = max(maxDetections, Self.defaultMaxDetections)
  }

  /// Throws where another accumulator has another limit.
  package func check(_ other: COCODetection) throws(MetricError) {
    guard maxDetections == other.maxDetections else {
      throw .detectionLimitsDiffer(maxDetections, other.maxDetections)
    }
  }

  /// Images with more detections than count, and how many detections were left out of them.
  package var cutOff: (images: Int, detections: Int) {
    frames.entries.reduce((0, 0)) { sum, matches in
      let left = matches.leftOut
      return (sum.0 + (left > 0 ? 1 : 0), sum.1 + left)
    }
  }

  /// Matches one image; `categories` holds one a detection, nil means all are faces (1).
  ///
  /// Throws for a frame added before, a score that is not finite, a box or an area that is not
  /// well-formed, and as many categories as there are not detections. Detections are neither
  /// thresholded nor clipped; the best `maxDetections` per category count.
  package mutating func add(
    frame: Int, labels: [FaceLabel], detections: [FaceDetection], categories: [Int]? = nil
  ) throws(MetricError) {
    if let categories, categories.count != detections.count {
      throw .categoryCount(categories.count, detections: detections.count, frame: frame)
    }
    try labels.validate(frame: frame)
    try detections.validate(frame: frame)
    let entry = COCOMatches(
      labels: labels, detections: detections, maxDetections: maxDetections
    ) { categories?[$0] ?? 1 }
    try add(entry, for: frame)
  }

  /// The twelve statistics in COCO's order; n is how many labels count in their area range.
  package func summarize() -> [Measurement] {
    let rankings = rankings()
    let counted = rankings.reduce(into: SIMD4<Int>()) { $0 &+= $1.counted }
    return Self.statistics.map { statistic in
      let n = counted[statistic.area]
      return statistic.measurement(of: rankings.compactMap { statistic.value($0) }, n: n)
    }
  }

  /// One ranking a category, in the order of categories; images in the order of the frames' keys.
  func rankings() -> [COCORanking] {
    var positions: [Int: Int] = [:]
    var rankings: [(category: Int, ranking: COCORanking)] = []
    for image in frames.entries {
      image.forEach { category, detections in
        let position = positions[category.number] ?? rankings.count
        if position == rankings.count {
          positions[category.number] = position
          rankings.append((category.number, COCORanking()))
        }
        rankings[position].ranking.add(detections, counted: category.counted)
      }
    }
    return rankings.sorted { $0.category < $1.category }.map(\.ranking.ranked)
  }

  /// Every detection's score with whether it is true, ignored ones left out, at IoU .50; by frame.
  func outcomes() -> [(frame: Int, score: Double, isTrue: Bool)] {
    let bit = COCOParameters.bit(area: 0, threshold: 0)
    return frames.keyed.flatMap { frame, matches in
      matches.detections.filter { $0.isIgnored & bit == 0 }
        .map { (frame, $0.score, $0.isTrue & bit != 0) }
    }
  }
}

extension COCODetection {
  /// The twelve statistics in COCO's order.
  package static let definitions = statistics.map(\.definition)

  /// One of the twelve.
  struct Statistic: Sendable {
    /// What is averaged over the categories.
    enum Kind: Sendable {
      /// Precision, also averaged over recalls and some IoU thresholds.
      case precision(Range<Int>)
      /// Recall of the best detections of each image, or of all, averaged over the IoU thresholds.
      case recall(Int?)
    }

    var definition: MetricDefinition
    var area: Int
    var kind: Kind

    /// The statistic of one category; nil where none of its labels counts.
    func value(_ ranking: COCORanking) -> Double? {
      switch kind {
      case .precision(let thresholds):
        thresholds.flatMap { ranking.precisions(area: area, threshold: $0) ?? [] }.mean
      case .recall(let limit):
        COCOParameters.thresholds.indices.compactMap { threshold in
          limit.map { ranking.recall(threshold: threshold, detectionsPerImage: $0) }
            ?? ranking.recall(area: area, threshold: threshold)
        }.mean
      }
    }

    /// The mean over the categories that have a value; n is how many labels count.
    func measurement(of categories: [Double], n: Int) -> Measurement {
      definition.measurement(categories.mean, n: n, else: COCODetection.reasons[area])
    }

    /// The bits of the settings that the statistic is of.
    var settings: UInt64 {
      switch kind {
      case .precision(let thresholds):
        thresholds.reduce(0) { $0 | COCOParameters.bit(area: area, threshold: $1) }
      case .recall: 0
      }
    }
  }

  /// The numbers of detections of an image that recalls are limited to.
  static let imageLimits = [1, 10, 100]

  private static let reasons = [
    "", "small (area of 32² px or less) ", "medium (area of 32² to 96² px) ",
    "large (area of 96² px or more) ",
  ].map { "no \($0)labelled face counts: there is none, or all are ignored or crowds" }

  static let statistics = [
    precision("ap", "AP at IoU .50:.95", 0, 0..<10, "IoU .50:.05:.95"),
    precision("ap50", "AP at IoU .50", 0, 0..<1, "at IoU .50"),
    precision("ap75", "AP at IoU .75", 0, 5..<6, "at IoU .75"),
    precision("ap_small", "AP of small faces", 1, 0..<10, "areas from 0 to 32² px"),
    precision("ap_medium", "AP of medium faces", 2, 0..<10, "areas from 32² to 96² px"),
    precision("ap_large", "AP of large faces", 3, 0..<10, "areas from 96² px"),
    recall("ar1", "AR of 1 detection", 0, 1, "the best detection of an image"),
    recall("ar10", "AR of 10 detections", 0, 10, "the best 10 detections of an image"),
    recall("ar100", "AR of 100 detections", 0, 100, "the best 100 detections of an image"),
    recall("ar_small", "AR of small faces", 1, nil, "areas from 0 to 32² px"),
    recall("ar_medium", "AR of medium faces", 2, nil, "areas from 32² to 96² px"),
    recall("ar_large", "AR of large faces", 3, nil, "areas from 96² px"),
  ]

  private static func precision(
    _ name: String, _ title: String, _ area: Int, _ thresholds: Range<Int>, _ scope: String
  ) -> Statistic {
    let over = thresholds.count > 1 ? "101 recalls, IoU .50:.05:.95" : "101 recalls"
    return Statistic(
      definition: definition(
        name, title,
        "interpolated precision, mean over \(over) and categories; \(scope)" + limited),
      area: area, kind: .precision(thresholds))
  }

  private static func recall(
    _ name: String, _ title: String, _ area: Int, _ limit: Int?, _ scope: String
  ) -> Statistic {
    Statistic(
      definition: definition(
        name, title,
        "recall, mean over IoU .50:.05:.95 and categories; \(scope)"
          + (limit == nil ? limited : "")),
      area: area, kind: .recall(limit))
  }

  private static let limited = "; the best 100 detections of an image (--max-detections)"
  private static let definition = DefinitionGroup(
    prefix: "detection.", direction: .higher, range: .unit,
    ending: "; in [0, 1], undefined where no label counts",
    source: "Lin et al. 2014, COCO; pycocotools.cocoeval")
}

extension COCODetection {
  /// Precision at 101 recalls at IoU .50 (`detection.pr@50`), mean of categories; nil without labels.
  package func precisionRecallCurve(marks: [Series.Mark] = []) -> Series? {
    let lines = rankings().compactMap { $0.precisions(area: 0, threshold: 0) }
    guard !lines.isEmpty else { return nil }
    let mean = COCOParameters.recalls.indices.map { index in
      lines.reduce(0) { $0 + $1[index] } / Double(lines.count)
    }
    let line = Series.Line(label: "IoU 0.50", x: COCOParameters.recalls, y: mean)
    return Series(
      name: SeriesName.precisionRecall, title: "Precision over recall at IoU 0.50",
      xLabel: "recall", yLabel: "precision", lines: [line], marks: marks)
  }

  /// Counts of true and false positives at IoU .50 by score (`detection.scores`), threshold marked.
  ///
  /// Equal bins over [0, 1], or where a score is outside of that from the lowest score to the highest; the
  /// highest is in the last. Ignored detections and those after the best 100 of an image are left out.
  /// Nil where nothing was detected.
  package func scoreHistogram(minFaceDetectionConfidence: Double) -> Series? {
    let outcomes = outcomes()
    let bins = 20
    let scores = outcomes.map(\.score)
    guard let lowest = scores.min(), let highest = scores.max() else { return nil }
    let isShare = lowest >= 0 && highest <= 1
    let low = isShare ? 0 : lowest
    // Halves keep the width finite; a single score gets a bin of its own on either side.
    let half = isShare ? 0.5 : max(highest / 2 - lowest / 2, abs(lowest) * 0x1p-40, 1e-9)
    let edges = (0...bins).map { low + half * (2 * Double($0) / Double(bins)) }
    var counts = [Array(repeating: 0, count: bins), Array(repeating: 0, count: bins)]
    for outcome in outcomes {
      let position = (outcome.score / 2 - low / 2) / half * Double(bins)
      var bin = min(max(Int(position), 0), bins - 1)
      if bin > 0, outcome.score < edges[bin] { bin -= 1 }
      if bin + 1 < bins, outcome.score >= edges[bin + 1] { bin += 1 }
      counts[outcome.isTrue ? 0 : 1][bin] += 1
    }
    let threshold = Series.Mark(
      label: "minFaceDetectionConfidence", x: minFaceDetectionConfidence, y: 0)
    return Series(
      name: SeriesName.scores, title: "Scores of true and false positives at IoU 0.50",
      content: .histogram(
        .init(
          xLabel: "score", edges: edges, groups: ["true positives", "false positives"],
          counts: counts, marks: [threshold])))
  }
}

extension COCODetection: MetricFamily {
  package static let requirements: MetricRequirements = [.labels, .ranking, .analysedFrames]

  package init(_ context: MetricContext) {
    self.init(maxDetections: context.maxDetections)
  }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard let detections = frame.detections else { return }
    try add(frame: frame.frame.index, labels: frame.labels, detections: detections.ranked)
  }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    COCOResampler(self, of: clusters, isSlice: isSlice)
  }

  /// The statistics of an area range rest on frames with a label or a detection that counts in it.
  package var ownFrames: [(metrics: Set<String>, frames: FrameRuns)] {
    var counted = COCOParameters.areas.map { _ in FrameRuns() }
    for (frame, image) in frames.keyed {
      for area in counted.indices {
        let bit = COCOParameters.bit(area: area, threshold: 0)
        let isThere =
          image.categories.contains { $0.counted[area] > 0 }
          || image.detections.contains { $0.isIgnored & bit == 0 }
        if isThere { counted[area].append(frame) }
      }
    }
    return counted.enumerated().map { area, frames -> (metrics: Set<String>, frames: FrameRuns) in
      let own = Self.statistics.filter { $0.area == area }
      return (metrics: Set(own.map(\.definition.name)), frames: frames)
    }
  }

  package func measurements(
    swappedWith other: any MetricFamily, _ choices: [[Bool]], of clusters: FrameClusters
  ) -> [[Measurement]] {
    guard let other = other as? Self else { preconditionFailure("families in another order") }
    return COCOResampler(self, swappedWith: other, of: clusters).measurements(
      of: choices.map { COCOResampler.draw($0, of: clusters) })
  }

  package func series(_ context: SeriesContext) -> [Series] {
    var marks: [Series.Mark] = []
    if let recall = context.values[DetectionOperatingPoint.recall.name],
      let precision = context.values[DetectionOperatingPoint.precision.name]
    {
      marks.append(
        Series.Mark(
          label: "operating point (\(context.operatingPoint))", x: recall, y: precision))
    }
    return [
      context.facts.contains(.ranking) ? precisionRecallCurve(marks: marks) : nil,
      context.facts.contains(.scores)
        ? scoreHistogram(minFaceDetectionConfidence: context.minScore) : nil,
    ].compactMap { $0 }
  }

  package func notes(_ context: SeriesContext) -> [String] {
    var notes: [String] = []
    let cutOff = cutOff
    if cutOff.images > 0 {
      notes.append(
        "AP and AR count the best \(context.maxDetections) detections of an image "
          + "(--max-detections): \(cutOff.detections) in \(cutOff.images) images were left out.")
    }
    let matches = outcomes().count(where: \.isTrue)
    // Files hold scores as Float, and one that is equal passes.
    if context.facts.contains(.scores), matches > 0,
      let highest = frames.entries.flatMap(\.detections).map({ Float($0.score) }).max(),
      highest < Float(context.minScore)
    {
      notes.append(
        "The threshold of detections, \(context.minScore.plainText) (min-face-detection-confidence), is above "
          + "every score, also of the \(matches) that match a label; the highest is \(highest). Set it lower, "
          + "or sweep it.")
    }
    return notes
  }

  /// The best detections of an image, and precision by falling score; recall of all detections needs no order.
  private static let ofOrder = Set(
    statistics.filter {
      switch $0.kind {
      case .precision: true
      case .recall(let limit): limit.map { $0 < defaultMaxDetections } ?? false
      }
    }.map(\.definition.name))

  package static let presentation = MetricPresentation(
    sliced: ["detection.ap50"], needs: [.scores: ofOrder, .ranking: ofOrder],
    headlines: [.init(.ranking, choice: 1, ["detection.ap", "detection.ap50"])])
}
