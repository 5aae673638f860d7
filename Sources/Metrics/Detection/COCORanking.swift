import FaceCore

/// The detections of one category over all images, best score first, for COCO's averages.
struct COCORanking {
  /// Labels that count, for each area range.
  private(set) var counted = SIMD4<Int>()
  /// One a detection; the masks are those of its outcome.
  private var scores: [Double] = []
  private var isTrue: [UInt64] = []
  private var isIgnored: [UInt64] = []
  /// True detections within the best of an image at the area range of all, for each limit and threshold.
  private var foundWithin = [Int](
    repeating: 0, count: COCODetection.imageLimits.count * COCOParameters.thresholdCount)
  /// True detections; one a setting.
  private var found: [Int] = []
  /// Interpolated precisions at the 101 recalls, one setting after the other; 0 where no label counts.
  private var precisions: [Double] = []

  private static let settings = COCOParameters.areas.count * COCOParameters.thresholdCount

  /// Adds an image; images come in the order that settles equal scores.
  mutating func add(_ image: ArraySlice<COCOMatches.Detection>, counted labels: SIMD4<Int>) {
    counted &+= labels
    for (rank, detection) in image.enumerated() {
      scores.append(detection.score)
      isTrue.append(detection.isTrue)
      isIgnored.append(detection.isIgnored)
      var hits = detection.isTrue & COCOParameters.bits(area: 0)
      while hits != 0 {
        for (index, limit) in COCODetection.imageLimits.enumerated() where rank < limit {
          foundWithin[index * COCOParameters.thresholdCount + hits.trailingZeroBitCount] += 1
        }
        hits &= hits - 1
      }
    }
  }

  /// The same with the detections ranked.
  var ranked: COCORanking {
    var ranking = self
    (ranking.scores, ranking.isTrue, ranking.isIgnored) = ([], [], [])
    let (thresholds, areas) = (COCOParameters.thresholdCount, COCOParameters.areas.count)
    let areaBits = (0..<areas).map(COCOParameters.bits(area:))
    // Detections that count in no threshold of an area range, and those that do not in single settings.
    var ignoredOfArea = [Int](repeating: 0, count: areas)
    var ignored = [Int](repeating: 0, count: Self.settings)
    var found = ignored
    // No setting has more true detections than labels that count; precision at each, one setting after the other.
    let room = (0..<Self.settings).map { counted[$0 / thresholds] }
    let starts = room.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    var atHit = [Double](repeating: 0, count: starts[Self.settings])
    for (seen, position) in ScoreOrder.descending(scores).enumerated() {
      var hits = isTrue[position]
      var rest = isIgnored[position]
      for area in 0..<areas where rest & areaBits[area] == areaBits[area] {
        ignoredOfArea[area] += 1
        rest &= ~areaBits[area]
      }
      while hits != 0 {
        let setting = hits.trailingZeroBitCount
        hits &= hits - 1
        let kept = seen + 1 - ignored[setting] - ignoredOfArea[setting / thresholds]
        atHit[starts[setting] + found[setting]] = Double(found[setting] + 1) / Double(kept)
        found[setting] += 1
      }
      while rest != 0 {
        ignored[rest.trailingZeroBitCount] += 1
        rest &= rest - 1
      }
    }
    ranking.found = found
    ranking.precisions.reserveCapacity(Self.settings * COCOParameters.recalls.count)
    for area in 0..<areas {
      let needed =
        counted[area] > 0
        ? COCOParameters.hitsNeeded(of: counted[area])
        : [Int](repeating: .max, count: COCOParameters.recalls.count)
      for setting in area * thresholds..<(area + 1) * thresholds {
        let (start, hits) = (starts[setting], found[setting])
        for hit in stride(from: start + hits - 2, through: start, by: -1) {
          atHit[hit] = max(atHit[hit], atHit[hit + 1])
        }
        for needed in needed {
          ranking.precisions.append(needed <= hits ? atHit[start + needed - 1] : 0)
        }
      }
    }
    return ranking
  }

  /// Interpolated precision at the 101 recalls; nil where no label counts.
  func precisions(area: Int, threshold: Int) -> ArraySlice<Double>? {
    let start =
      (area * COCOParameters.thresholdCount + threshold) * COCOParameters.recalls.count
    return counted[area] > 0 ? precisions[start..<start + COCOParameters.recalls.count] : nil
  }

  /// Share of labels found by all detections that count; nil where no label counts.
  func recall(area: Int, threshold: Int) -> Double? {
    counted[area] > 0
      ? Double(found[area * COCOParameters.thresholdCount + threshold]) / Double(counted[area])
      : nil
  }

  /// Share of all labels found by the best detections of each image, a number of `imageLimits`; nil where none counts.
  func recall(threshold: Int, detectionsPerImage limit: Int) -> Double? {
    guard counted[0] > 0, let index = COCODetection.imageLimits.firstIndex(of: limit) else {
      return nil
    }
    return Double(foundWithin[index * COCOParameters.thresholdCount + threshold])
      / Double(counted[0])
  }
}
