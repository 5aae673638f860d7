/// The detections of one category over all images, best score first, for COCO's averages.
struct COCORanking {
  /// Labels that count, for each area range.
  let counted: SIMD4<Int>
  private let images: [COCOMatches]
  /// Precision at each true detection, best score first; one list a setting.
  private let atHit: [[Double]]

  /// Ranks the matches of one category; images come in the order that settles equal scores.
  init(_ images: [COCOMatches]) {
    self.images = images
    counted = images.reduce(into: SIMD4<Int>()) { $0 &+= $1.counted }
    var detections: [COCOMatches.Detection] = []
    detections.reserveCapacity(images.reduce(0) { $0 + $1.detections.count })
    for image in images { detections += image.detections }
    let areas = COCOParameters.areas.indices.map { COCOParameters.bits(area: $0) }
    let thresholds = COCOParameters.thresholds.count
    var atHit = [[Double]](repeating: [], count: areas.count * thresholds)
    var (seen, ignored) = (0, [Int](repeating: 0, count: atHit.count))
    var ignoredOfArea = [Int](repeating: 0, count: areas.count)
    for position in ScoreOrder.descending(detections.map(\.score)) {
      seen += 1
      var rest = detections[position].isIgnored
      for area in areas.indices where rest & areas[area] == areas[area] {
        ignoredOfArea[area] += 1
        rest &= ~areas[area]
      }
      while rest != 0 {
        ignored[rest.trailingZeroBitCount] += 1
        rest &= rest - 1
      }
      var hits = detections[position].isTrue
      while hits != 0 {
        let setting = hits.trailingZeroBitCount
        let kept = seen - ignored[setting] - ignoredOfArea[setting / thresholds]
        atHit[setting].append(Double(atHit[setting].count + 1) / Double(kept))
        hits &= hits - 1
      }
    }
    self.atHit = atHit
  }

  /// Interpolated precision at the 101 recalls; nil where no label counts.
  func precisions(area: Int, threshold: Int) -> [Double]? {
    guard counted[area] > 0 else { return nil }
    var atHit = atHit[area * COCOParameters.thresholds.count + threshold]
    for index in atHit.indices.dropLast().reversed() {
      atHit[index] = max(atHit[index], atHit[index + 1])
    }
    return COCOParameters.hitsNeeded(of: counted[area]).map { hits in
      hits <= atHit.count ? atHit[hits - 1] : 0
    }
  }

  /// Share of labels found by the best detections of each image, nil for all that count; nil where no label counts.
  func recall(area: Int, threshold: Int, detectionsPerImage limit: Int?) -> Double? {
    guard counted[area] > 0 else { return nil }
    var found = 0
    if limit.map({ limit in images.allSatisfy { $0.detections.count <= limit } }) ?? true {
      found = atHit[area * COCOParameters.thresholds.count + threshold].count
    } else if let limit {
      let bit = COCOParameters.bit(area: area, threshold: threshold)
      for image in images {
        for detection in image.detections.prefix(limit) where detection.isTrue & bit != 0 {
          found += 1
        }
      }
    }
    return Double(found) / Double(counted[area])
  }
}
