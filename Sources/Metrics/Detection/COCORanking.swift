/// The detections of one category over all pictures, best score first, for COCO's averages.
struct COCORanking {
  /// Labels that count, for each area range.
  let counted: SIMD4<Int>
  private let pictures: [COCOMatches]
  private let isTrue: [UInt64]
  private let isIgnored: [UInt64]

  /// Ranks the matches of one category; pictures come in the order that settles equal scores.
  init(_ pictures: [COCOMatches]) {
    struct Entry {
      var score: Double
      var position: Int
    }
    self.pictures = pictures
    counted = pictures.reduce(into: SIMD4<Int>()) { $0 &+= $1.counted }
    let detections = pictures.flatMap(\.detections)
    var entries = detections.enumerated().map { Entry(score: $1.score, position: $0) }
    entries.sort {
      $0.score > $1.score || ($0.score == $1.score && $0.position < $1.position)
    }
    isTrue = entries.map { detections[$0.position].isTrue }
    isIgnored = entries.map { detections[$0.position].isIgnored }
  }

  /// Interpolated precision at the 101 recalls; nil where no label counts.
  func precisions(area: Int, threshold: Int) -> [Double]? {
    guard counted[area] > 0 else { return nil }
    let bit = COCOParameters.bit(area: area, threshold: threshold)
    var atHit: [Double] = []
    atHit.reserveCapacity(counted[area])
    var seen = 0
    for index in isTrue.indices where isIgnored[index] & bit == 0 {
      seen += 1
      if isTrue[index] & bit != 0 { atHit.append(Double(atHit.count + 1) / Double(seen)) }
    }
    for index in atHit.indices.dropLast().reversed() {
      atHit[index] = max(atHit[index], atHit[index + 1])
    }
    let total = Double(counted[area])
    var hit = 0
    return COCOParameters.recalls.map { recall in
      while hit < atHit.count, Double(hit + 1) / total < recall { hit += 1 }
      return hit < atHit.count ? atHit[hit] : 0
    }
  }

  /// Share of labels found by the best detections of each picture; nil where no label counts.
  func recall(area: Int, threshold: Int, detectionsPerPicture limit: Int) -> Double? {
    guard counted[area] > 0 else { return nil }
    let bit = COCOParameters.bit(area: area, threshold: threshold)
    let found = pictures.reduce(0) { sum, picture in
      sum + picture.detections.prefix(limit).count { $0.isTrue & bit != 0 }
    }
    return Double(found) / Double(counted[area])
  }
}
