/// A detection after matching: its score, and how well it fits the face that it found.
package struct RankedDetection: Sendable, Hashable {
  /// The detector's confidence.
  package let score: Double
  /// IoU with the label that it found; nil for a false positive.
  package let iou: Double?

  /// Makes one.
  package init(score: Double, iou: Double?) {
    self.score = score
    self.iou = iou
  }
}

/// What is found and what is false when every detection of a score or more is kept.
package struct ScoreStep: Sendable, Hashable {
  /// The lowest score that is kept.
  package let score: Double
  /// Detections that found a label.
  package var truePositives = 0
  /// Detections that found none.
  package var falsePositives = 0
  /// Sum over the true ones of 1 − IoU.
  package var localisationError = 0.0

  /// A step a score, the highest first; equal scores enter together.
  ///
  /// `gainingOnly` leaves out those that find nothing more than the one before, but for the last: no highest
  /// recall and no least LRP error is at one of them.
  package static func steps(of detections: [RankedDetection], gainingOnly: Bool = false)
    -> [ScoreStep]
  {
    var ladder = ScoreLadder(gainingOnly: gainingOnly)
    for position in ScoreOrder.descending(detections.map(\.score)) {
      ladder.add(detections[position], times: 1)
    }
    return ladder.finished
  }
}

/// Steps under construction, from detections that come by falling score.
struct ScoreLadder {
  private let gainingOnly: Bool
  private var steps: [ScoreStep] = []
  private var step = ScoreStep(score: .infinity)
  private var before = 0

  init(gainingOnly: Bool) {
    self.gainingOnly = gainingOnly
  }

  mutating func add(_ detection: RankedDetection, times: Int) {
    if detection.score != step.score {
      if step.score.isFinite, !gainingOnly || step.truePositives > before { steps.append(step) }
      before = step.truePositives
      step = ScoreStep(
        score: detection.score, truePositives: before, falsePositives: step.falsePositives,
        localisationError: step.localisationError)
    }
    if let iou = detection.iou {
      step.truePositives += times
      step.localisationError += Double(times) * (1 - iou)
    } else {
      step.falsePositives += times
    }
  }

  var finished: [ScoreStep] { step.score.isFinite ? steps + [step] : steps }
}

extension [ScoreStep] {
  /// FROC's rates of false positives an image.
  package static var freeResponseRates: [Double] { [0.125, 0.25, 0.5, 1, 2, 4, 8] }

  /// The highest recall of a threshold with at most `rate` false positives an image; nil without labels.
  ///
  /// Nothing is interpolated: every value can be had by a threshold. 0 where none keeps the rate.
  package func recall(atFalsePositivesPerImage rate: Double, labelled: Int, images: Int)
    -> Double?
  {
    guard labelled > 0, images > 0 else { return nil }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if Double(self[middle].falsePositives) / Double(images) <= rate {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return Double(low == 0 ? 0 : self[low - 1].truePositives) / Double(labelled)
  }

  /// The lowest localisation-recall-precision error and its score; nil without labels.
  ///
  /// Of equal errors the highest score counts; no score is given where keeping nothing is best.
  package func optimalLRP(labelled: Int, minOverlap: Double) -> (error: Double, score: Double?)? {
    guard labelled > 0 else { return nil }
    var best: (error: Double, score: Double?) = (1, nil)
    for step in self {
      if let error = step.lrp(labelled: labelled, minOverlap: minOverlap), error < best.error {
        best = (error, step.score)
      }
    }
    return best
  }
}

extension ScoreStep {
  /// Localisation-recall-precision error in [0, 1], 0 best; nil without labels and detections.
  ///
  /// LRP = (Σ over TP of (1 − IoU) / (1 − `minOverlap`) + FP + FN) / (TP + FP + FN).
  package func lrp(labelled: Int, minOverlap: Double) -> Double? {
    let missed = labelled - truePositives
    let all = truePositives + falsePositives + missed
    guard all > 0 else { return nil }
    return (localisationError / (1 - minOverlap) + Double(falsePositives + missed)) / Double(all)
  }
}

extension RankedDetection: Packable {
  package func pack(into row: inout RowWriter) { row.write(score, iou) }
  package init(from row: inout RowReader) { self.init(score: row.read(), iou: row.read()) }
}
