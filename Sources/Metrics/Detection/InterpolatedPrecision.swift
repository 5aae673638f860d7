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
