internal import FaceCore

/// A detection after matching: its score, and how well it fits the face that it found.
package struct RankedDetection: Sendable, Hashable {
  /// The detector's confidence.
  package let score: Double
  /// IoU with the label that it found; nil for a false positive.
  package let iou: Double?
}

/// What is found and what is false when every detection of a score or more is kept.
struct ScoreStep: Sendable, Hashable {
  /// The lowest score that is kept; ∞ before any is.
  var score = Double.infinity
  /// Detections that found a label.
  var truePositives = 0
  /// Detections that found none.
  var falsePositives = 0
  /// Sum over the true ones of 1 − IoU.
  var localisationError = 0.0

  /// Adds a detection as often as it comes in a row.
  mutating func add(iou: Double?, times: Int) {
    if let iou {
      truePositives += times
      localisationError += Double(times) * (1 - iou)
    } else {
      falsePositives += times
    }
  }

  /// Localisation-recall-precision error in [0, 1], 0 best; nil without labels and detections.
  ///
  /// LRP = (Σ over TP of (1 − IoU) / (1 − `minOverlap`) + FP + FN) / (TP + FP + FN).
  func lrp(labelled: Int, minOverlap: Double) -> Double? {
    let missed = labelled - truePositives
    let all = truePositives + falsePositives + missed
    guard all > 0 else { return nil }
    return (localisationError / (1 - minOverlap) + Double(falsePositives + missed)) / Double(all)
  }
}

/// FROC's recalls and the least LRP error of all score thresholds, from detections that come by falling score.
///
/// Detections of equal score enter together. Nothing is interpolated: every value can be had by a threshold.
struct ThresholdScan {
  /// FROC's rates of false positives an image.
  static let rates = [0.125, 0.25, 0.5, 1, 2, 4, 8]

  private let labelled: Int
  private let minOverlap: Double
  /// The most false positives that each rate allows.
  private let limits: [Int]
  /// True positives of the lowest threshold so far that keeps each rate; 0 where none does.
  private var found = [Int](repeating: 0, count: rates.count)
  /// The rates before this one are kept by no lower threshold.
  private var firstOpen = 0
  private var step = ScoreStep()
  private var before = 0
  /// The least LRP error, 1 for keeping nothing, and the highest score that has it.
  private(set) var best: (error: Double, score: Double?) = (1, nil)

  /// Starts without detections, where so many labels count in so many images.
  init(labelled: Int, images: Int, minOverlap: Double) {
    self.labelled = labelled
    self.minOverlap = minOverlap
    limits = Self.limits(ofImages: images)
  }

  /// The most false positives in so many images that each rate allows.
  static func limits(ofImages images: Int) -> [Int] {
    rates.map { rate in
      var limit = Int((rate * Double(images)).rounded(.down))
      while Double(limit + 1) / Double(images) <= rate { limit += 1 }
      while limit > 0, Double(limit) / Double(images) > rate { limit -= 1 }
      return limit
    }
  }

  /// Adds a detection as often as it comes in a row; its score is no higher than that of the one before.
  mutating func add(score: Double, iou: Double?, times: Int) {
    if score != step.score {
      close()
      step.score = score
    }
    step.add(iou: iou, times: times)
  }

  /// Ends the step of the last score.
  mutating func close() {
    while firstOpen < limits.count, step.falsePositives > limits[firstOpen] { firstOpen += 1 }
    // A step that finds nothing more has neither a higher recall nor a lower error.
    guard step.truePositives > before else { return }
    before = step.truePositives
    for rate in firstOpen..<limits.count { found[rate] = before }
    if let error = step.lrp(labelled: labelled, minOverlap: minOverlap), error < best.error {
      best = (error, step.score)
    }
  }

  /// The highest recall of a threshold with at most each rate of false positives.
  var recalls: [Double] { found.map { Double($0) / Double(labelled) } }
}

extension RankedDetection: Packable {
  package func pack(into row: inout RowWriter) { row.write(score, iou) }
  package init(from row: inout RowReader) { self.init(score: row.read(), iou: row.read()) }
}

extension DetectionOutcome {
  /// The detections that count, in their own order.
  func ranked(_ detections: [FaceDetection]) -> [RankedDetection] {
    var ious: [Int: Double] = [:]
    for match in matches { ious[match.detection] = match.iou }
    let ignored = Set(ignored)
    return detections.indices.filter { !ignored.contains($0) }.map {
      RankedDetection(score: detections[$0].score, iou: ious[$0])
    }
  }
}
