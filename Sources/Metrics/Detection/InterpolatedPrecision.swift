/// Average precision from recalls and precisions at falling thresholds.
enum InterpolatedPrecision {
  /// Area under the falling envelope of precision over recall (VOC 2010 and WIDER).
  static func area(recalls: [Double], precisions: [Double]) -> Double {
    let envelope = envelope(precisions)
    var (area, before) = (0.0, 0.0)
    for (recall, precision) in zip(recalls, envelope) where recall != before {
      area += (recall - before) * precision
      before = recall
    }
    return area
  }

  /// Mean of the best precision at or over the recalls 0, 0.1, ... 1 (VOC 2007).
  static func atElevenRecalls(recalls: [Double], precisions: [Double]) -> Double {
    let envelope = envelope(precisions)
    return (0...10).reduce(0) { sum, tenth in
      let first = recalls.firstIndex { $0 >= Double(tenth) / 10 }
      return sum + (first.map { envelope[$0] } ?? 0)
    } / 11
  }

  /// Mean of the best precision at or over the recalls 0, .01, ... 1 (COCO) of detections in their order.
  static func atHundredAndOneRecalls(_ isTrue: some Sequence<Bool>, of labels: Int) -> Double {
    var (seen, atHit) = (0, [Double]())
    for isTrue in isTrue {
      seen += 1
      if isTrue { atHit.append(Double(atHit.count + 1) / Double(seen)) }
    }
    let envelope = envelope(atHit)
    return COCOParameters.hitsNeeded(of: labels).reduce(0) {
      $0 + ($1 <= envelope.count ? envelope[$1 - 1] : 0)
    } / Double(COCOParameters.recalls.count)
  }

  private static func envelope(_ precisions: [Double]) -> [Double] {
    var envelope = precisions
    for index in envelope.indices.dropLast().reversed() {
      envelope[index] = max(envelope[index], envelope[index + 1])
    }
    return envelope
  }
}

/// Recalls as numbers of true detections.
enum RecallLevels {
  /// How many true detections a recall needs where so many labels count, 1 or more.
  static func hits(reaching recall: Double, of labels: Int) -> Int {
    let total = Double(labels)
    var hits = max(Int((recall * total).rounded(.up)), 1)
    while hits > 1, Double(hits - 1) / total >= recall { hits -= 1 }
    while hits < labels, Double(hits) / total < recall { hits += 1 }
    return hits
  }
}

/// What COCO's average precision at one IoU threshold is over every order of detections with equal scores.
///
/// In [0, 1]; in the best order the true ones of each score come first, in the worst one last. pycocotools keeps the order of
/// the images, which is one between the two.
package struct TieBounds: Sendable, Hashable {
  /// The average of the worst order, of the one that was given, and of the best.
  package let worst, given, best: Double
  /// Detections whose score both true and false ones have.
  package let tied: Int

  /// From the score of each detection and whether it is true; nil where no label counts.
  package init?(_ detections: [(score: Double, isTrue: Bool)], labels: Int) {
    guard labels > 0 else { return nil }
    let order = ScoreOrder.descending(detections.map(\.score)).map { detections[$0] }
    var (low, high, tied) = ([Bool](), [Bool](), 0)
    var first = 0
    while first < order.count {
      let end = order[first...].firstIndex { $0.score != order[first].score } ?? order.count
      let hits = order[first..<end].count(where: \.isTrue)
      let misses = end - first - hits
      if hits > 0, misses > 0 { tied += end - first }
      let (right, wrong) = (repeatElement(true, count: hits), repeatElement(false, count: misses))
      high += Array(right) + wrong
      low += Array(wrong) + right
      first = end
    }
    worst = InterpolatedPrecision.atHundredAndOneRecalls(low, of: labels)
    given = InterpolatedPrecision.atHundredAndOneRecalls(order.map(\.isTrue), of: labels)
    best = InterpolatedPrecision.atHundredAndOneRecalls(high, of: labels)
    self.tied = tied
  }
}
