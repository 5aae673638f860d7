import FaceCore

/// The detections of one category over all images, best score first, for COCO's averages.
struct COCORanking {
  /// Outcomes of detections, of which there are few different ones.
  private struct Outcome: Hashable {
    var isTrue: UInt64
    var isIgnored: UInt64
  }

  /// Labels that count, for each area range.
  private(set) var counted = SIMD4<Int>()
  private var scores: [Double] = []
  /// Positions among the different outcomes, one a detection.
  private var outcomes: [UInt32] = []
  private var different: [Outcome] = []
  private var positions: [Outcome: UInt32] = [:]
  /// True detections within the best of an image at the area range of all, for each limit and threshold.
  private var foundWithin = COCODetection.imageLimits.map { _ in
    [Int](repeating: 0, count: COCOParameters.thresholds.count)
  }
  /// True detections, and interpolated precisions where labels count; one a setting.
  private var found: [Int] = []
  private var precisions: [[Double]] = []

  /// Adds an image; images come in the order that settles equal scores.
  mutating func add(_ image: COCOMatches) {
    counted &+= image.counted
    for (rank, detection) in image.detections.enumerated() {
      let outcome = Outcome(isTrue: detection.isTrue, isIgnored: detection.isIgnored)
      let position = positions[outcome] ?? UInt32(different.count)
      if position == different.count {
        positions[outcome] = position
        different.append(outcome)
      }
      scores.append(detection.score)
      outcomes.append(position)
      var hits = detection.isTrue & COCOParameters.bits(area: 0)
      while hits != 0 {
        for (index, limit) in COCODetection.imageLimits.enumerated() where rank < limit {
          foundWithin[index][hits.trailingZeroBitCount] += 1
        }
        hits &= hits - 1
      }
    }
  }

  /// The same with the detections ranked.
  var ranked: COCORanking {
    var ranking = self
    let order = ScoreOrder.descending(scores).map { outcomes[$0] }
    (ranking.scores, ranking.outcomes) = ([], [])
    for setting in 0..<COCOParameters.areas.count * COCOParameters.thresholds.count {
      let bit: UInt64 = 1 << UInt64(setting)
      var atHit: [Double] = []
      var kept = 0
      for position in order {
        let outcome = different[Int(position)]
        if outcome.isIgnored & bit == 0 { kept += 1 }
        if outcome.isTrue & bit != 0 { atHit.append(Double(atHit.count + 1) / Double(kept)) }
      }
      ranking.found.append(atHit.count)
      for index in atHit.indices.dropLast().reversed() {
        atHit[index] = max(atHit[index], atHit[index + 1])
      }
      let labels = counted[setting / COCOParameters.thresholds.count]
      ranking.precisions.append(
        labels == 0
          ? []
          : COCOParameters.hitsNeeded(of: labels).map { $0 <= atHit.count ? atHit[$0 - 1] : 0 })
    }
    return ranking
  }

  /// Interpolated precision at the 101 recalls; nil where no label counts.
  func precisions(area: Int, threshold: Int) -> [Double]? {
    counted[area] > 0 ? precisions[area * COCOParameters.thresholds.count + threshold] : nil
  }

  /// Share of labels found by all detections that count; nil where no label counts.
  func recall(area: Int, threshold: Int) -> Double? {
    counted[area] > 0
      ? Double(found[area * COCOParameters.thresholds.count + threshold]) / Double(counted[area])
      : nil
  }

  /// Share of all labels found by the best detections of each image, a number of `imageLimits`; nil where none counts.
  func recall(threshold: Int, detectionsPerImage limit: Int) -> Double? {
    guard counted[0] > 0, let index = COCODetection.imageLimits.firstIndex(of: limit) else {
      return nil
    }
    return Double(foundWithin[index][threshold]) / Double(counted[0])
  }
}
