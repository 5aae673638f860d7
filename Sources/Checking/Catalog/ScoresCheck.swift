internal import FaceCore
internal import Metrics
internal import Platform
package import Records

/// Scores that are missing, that rank nothing, or that are on another scale than 0 to 1, rising with quality.
///
/// A detection is right if it finds a label that no better one found, at an IoU of at least .50. Those on ignored
/// labels and crowds count neither way.
package enum ScoresCheck: FindingCheck {
  static let falling = "scores.falling"
  static let cutOff = "scores.cut-off"
  static let first = "scores.first"
  package static let names = [
    "scores.missing", "scores.constant", "scores.percent", "scores.scale", falling,
    cutOff, "scores.ties", first,
  ]

  /// When a finding is one.
  private enum Limit {
    /// Right detections, and wrong ones, that a comparison of their scores needs.
    static let compared = 10
    /// Honest trackers rank right detections first; .25 has three in four pairs turned around.
    static let fallingAUC = 0.25
    /// Standard errors below .5, so that chance has no part in it.
    static let fallingErrors = 3.5
    /// Without wrong detections: the median of right scores, and the share of them that the default threshold keeps.
    static let fallingMedian = 0.25, fallingKept = 0.1
    /// How much more the boxes of higher scores overlap their labels where scores rise; of RetinaFace on WIDER .11.
    static let risingOverlap = 0.02
    /// The highest of percent, whose Brier score is better than that of .5 for each detection.
    static let percent = 50.0...100, brier = 0.25
    /// The lowest score of a list that was cut off, the precision and the recall at its end.
    static let cutScore = 0.1, cutPrecision = 0.5, cutRecall = 0.99
    /// Between the worst and the best order of ties.
    static let ties = 0.005
  }

  /// The default of `--min-face-detection-confidence`.
  private static let threshold = 0.5

  package static func findings(in sample: JoinedSample) -> [Finding] {
    // Our own pipeline is ranked by its candidates, of which the sample has none.
    guard sample.format != nil else { return [] }
    let scores = sample.frames.flatMap { $0.prediction.detections.map(\.score) }
    guard let low = scores.min(), let high = scores.max(), low.isFinite, high.isFinite else {
      return []
    }
    if let first = standingFirst(sample) { return [first] }
    guard sample.hasScores else { return [missing(scores.count)] }
    guard low < high else { return scores.count > 1 ? [constant(low, scores.count)] : [] }
    let outcomes = Outcomes(sample)
    guard low >= 0, high <= 1 else {
      let scale = percent(outcomes, low, high) ?? otherScale(scores, low, high)
      return [scale] + [falling(outcomes), ties(outcomes)].compactMap(\.self)
    }
    if let falling = falling(outcomes) ?? fallingUnderThreshold(outcomes) { return [falling] }
    return [cutOff(outcomes, lowest: low), ties(outcomes)].compactMap(\.self)
  }

  /// Rows that begin with the score, of which x, y and the size were then read one place late: such boxes are on no
  /// face, other than those at the left edge of images that faces fill.
  private static func standingFirst(_ sample: JoinedSample) -> Finding? {
    func standsFirst(_ detection: FaceDetection) -> Bool {
      let box = detection.box
      return (0...1).contains(box.x) && max(box.y, box.width, box.height) > 1.5
        && detection.score > 1
    }
    let detections = sample.frames.flatMap(\.prediction.detections)
    let count = detections.count(where: standsFirst)
    guard count >= Limit.compared, 10 * count >= 9 * detections.count,
      detections.contains(where: { $0.box.x != $0.box.x.rounded() }),
      case let outcomes = Outcomes(sample), 2 * outcomes.right.count <= outcomes.all.count
    else { return nil }
    return Finding(
      first, .suspect,
      "The first number of boxes is from 0 to 1, and their scores are beyond: rows begin with the score.",
      statistic: "share of detections with such a first number and score",
      before: Double(count) / Double(detections.count), n: detections.count,
      remedy:
        "Write the score as the last number of each row, after the box, and import the predictions again.",
      frames: sample.frames.filter { !$0.prediction.detections.isEmpty }.map(\.named))
  }

  private static func missing(_ count: Int) -> Finding {
    Finding(
      "scores.missing", .note,
      "The tracker gives no scores: AP, precision-recall, ECE and Brier score are undefined; recall and "
        + "precision count every face.",
      statistic: "different scores", before: 0, n: count)
  }

  private static func constant(_ score: Double, _ count: Int) -> Finding {
    Finding(
      "scores.constant", .note,
      "Every score is \(score.text(decimals: 2)), which ranks nothing: AP and precision-recall are "
        + "undefined.",
      statistic: "different scores", before: 1, n: count)
  }

  private static func percent(_ outcomes: Outcomes, _ low: Double, _ high: Double) -> Finding? {
    guard low >= 0, Limit.percent.contains(high), outcomes.right.count >= Limit.compared else {
      return nil
    }
    let squares = outcomes.all.map { detection in
      let gap = detection.score / 100 - (detection.isTrue ? 1 : 0)
      return gap * gap
    }
    let brier = squares.reduce(0, +) / Double(squares.count)
    guard brier < Limit.brier else { return nil }
    return Finding(
      "scores.percent", .suspect,
      "Scores reach \(high.text(decimals: 1)) and are right as often as they say if they are percent: "
        + "every face passes a threshold of \(threshold).",
      statistic: "Brier score of detections", after: brier, n: outcomes.all.count,
      remedy: Side.predictions.remedy(.percent), frames: outcomes.frames { !$0.isTrue })
  }

  private static func otherScale(_ scores: [Double], _ low: Double, _ high: Double) -> Finding {
    Finding(
      "scores.scale", .note,
      "Scores of \(low.text(decimals: 2)) to \(high.text(decimals: 2)) are no probabilities: they rank faces, "
        + "ECE and Brier score are undefined, and --min-face-detection-confidence is on their scale."
        + (low >= 0 && Limit.percent.contains(high)
          ? " If they are percent, import the predictions again with --repair \(FaceRepair.percent.text)."
          : ""),
      statistic: "share of scores outside 0 to 1",
      before: Double(scores.count { !(0...1).contains($0) }) / Double(scores.count),
      n: scores.count)
  }

  /// Where wrong detections have the higher scores.
  private static func falling(_ outcomes: Outcomes) -> Finding? {
    let (right, wrong) = (outcomes.right, outcomes.wrong)
    guard right.count >= Limit.compared, wrong.count >= Limit.compared else { return nil }
    let area = Outcomes.area(right, wrong)
    let (m, n) = (Double(right.count), Double(wrong.count))
    let error = ((m + n + 1) / (12 * m * n)).squareRoot()
    guard area < Limit.fallingAUC, area < 0.5 - Limit.fallingErrors * error else { return nil }
    return Finding(
      falling, .suspect,
      "Wrong detections have higher scores than right ones: scores fall with quality, as distances do.",
      statistic: "area under the ROC curve of scores, right against wrong detections",
      before: area, after: 1 - area, n: outcomes.all.count, remedy: fallingRemedy,
      frames: outcomes.frames { !$0.isTrue })
  }

  /// Where hardly a detection is wrong: right ones lie near 0, and less so the better their boxes fit.
  private static func fallingUnderThreshold(_ outcomes: Outcomes) -> Finding? {
    let right = outcomes.right.sorted()
    guard outcomes.wrong.count < Limit.compared, right.count >= 2 * Limit.compared,
      right[right.count / 2] <= Limit.fallingMedian,
      outcomes.wrong.isEmpty || Outcomes.area(right, outcomes.wrong) < 0.5
    else { return nil }
    let labelled = Double(outcomes.labelled)
    let before = Double(right.count { $0 >= threshold }) / labelled
    let after = Double(right.count { 1 - $0 >= threshold }) / labelled
    guard before <= Limit.fallingKept * after, outcomes.overlapOfHighScores < Limit.risingOverlap
    else { return nil }
    return Finding(
      falling, .suspect,
      "Right detections have scores near 0, so that a threshold of \(threshold) drops them: scores fall "
        + "with quality, as distances do.",
      statistic: "share of labelled faces found at score \(threshold)", before: before,
      after: after, n: outcomes.labelled, remedy: fallingRemedy,
      frames: outcomes.frames { $0.isTrue && $0.score < threshold })
  }

  private static let fallingRemedy = Side.predictions.remedy(.scoresFalling)

  private static func cutOff(_ outcomes: Outcomes, lowest: Double) -> Finding? {
    guard outcomes.all.count >= Limit.compared, outcomes.labelled > 0 else { return nil }
    let right = Double(outcomes.right.count)
    let recall = right / Double(outcomes.labelled)
    let precision = right / Double(outcomes.all.count)
    guard lowest >= Limit.cutScore, recall <= Limit.cutRecall, precision >= Limit.cutPrecision
    else { return nil }
    return Finding(
      cutOff, .note,
      "The lowest score is \(lowest.text(decimals: 2)), and precision-recall ends at recall "
        + "\(recall.text(decimals: 2)) with precision \(precision.text(decimals: 2)): AP counts the rest as 0.",
      statistic: "recall at the lowest score", before: recall, n: outcomes.labelled,
      remedy: "Save the tracker's faces down to a score near 0 before AP is compared.",
      frames: outcomes.framesOfMisses)
  }

  private static func ties(_ outcomes: Outcomes) -> Finding? {
    guard
      let bounds = TieBounds(
        outcomes.all.map { ($0.score, $0.isTrue) }, labels: outcomes.labelled),
      bounds.best - bounds.worst >= Limit.ties
    else { return nil }
    let (worst, best) = (bounds.worst.text(decimals: 3), bounds.best.text(decimals: 3))
    return Finding(
      "scores.ties", .note,
      "Right and wrong detections have equal scores: AP at IoU .50 is \(worst) to \(best) by their order, "
        + "and \(bounds.given.text(decimals: 3)) in that of the images, which pycocotools takes.",
      statistic: "AP at IoU .50, equal scores in the worst and in the best order",
      before: bounds.worst, after: bounds.best, n: bounds.tied)
  }
}

/// The detections of a sample, right or wrong; without those on ignored labels and crowds.
private struct Outcomes {
  struct Detection {
    let frame: Finding.Frame
    let score: Double
    /// The IoU with the label that it found; nil for a wrong one.
    let overlap: Double?
    var isTrue: Bool { overlap != nil }
  }

  private(set) var all: [Detection] = []
  private(set) var labelled = 0
  private(set) var framesOfMisses: [Finding.Frame] = []

  init(_ sample: JoinedSample) {
    for joined in sample.frames {
      let detections = joined.prediction.detections
      guard let outcome = joined.outcome else { continue }
      labelled += outcome.labelled
      if !outcome.missed.isEmpty { framesOfMisses.append(joined.named) }
      var overlaps: [Int: Double] = [:]
      for match in outcome.matches { overlaps[match.detection] = match.iou }
      for (index, detection) in detections.enumerated() where !outcome.ignored.contains(index) {
        all.append(
          Detection(frame: joined.named, score: detection.score, overlap: overlaps[index]))
      }
    }
  }

  /// The scores of right detections.
  var right: [Double] { all.filter(\.isTrue).map(\.score) }
  /// The scores of wrong detections.
  var wrong: [Double] { all.filter { !$0.isTrue }.map(\.score) }

  /// Frames of some detections, the highest scores first.
  func frames(where isShown: (Detection) -> Bool) -> [Finding.Frame] {
    var frames: [Finding.Frame] = []
    for detection in all.filter(isShown).sorted(by: { $0.score > $1.score })
    where !frames.contains(detection.frame) {
      frames.append(detection.frame)
      if frames.count == 5 { break }
    }
    return frames
  }

  /// How much more the right detections of the higher half of scores overlap their labels than those of the lower half.
  var overlapOfHighScores: Double {
    let sorted = all.filter(\.isTrue).sorted { $0.score < $1.score }.compactMap(\.overlap)
    func mean(_ part: ArraySlice<Double>) -> Double {
      part.reduce(0, +) / Double(max(1, part.count))
    }
    let middle = sorted.count / 2
    return mean(sorted[middle...]) - mean(sorted[..<middle])
  }

  /// The share of pairs in which the right one has the higher score, an equal one for half.
  static func area(_ right: [Double], _ wrong: [Double]) -> Double {
    let scored = (right.map { (score: $0, isTrue: true) } + wrong.map { ($0, false) })
      .sorted { $0.score < $1.score }
    var (pairs, below, first) = (0.0, 0, 0)
    while first < scored.count {
      let end = scored[first...].firstIndex { $0.score != scored[first].score } ?? scored.count
      let hits = scored[first..<end].count(where: \.isTrue)
      let misses = end - first - hits
      pairs += Double(hits) * (Double(below) + Double(misses) / 2)
      below += misses
      first = end
    }
    return pairs / (Double(right.count) * Double(wrong.count))
  }
}
