import FaceCore

/// COCO's parameters: forty settings, four area ranges times ten IoU thresholds.
enum COCOParameters {
  /// IoU .50:.05:.95, the exact numbers of `numpy.linspace(.5, .95, 10)`.
  static let thresholds: [Double] = {
    let step = (0.95 - 0.5) / 9
    return (0..<9).map { Double($0) * step + 0.5 } + [0.95]
  }()
  /// Recall 0:.01:1, the exact numbers of `numpy.linspace(0, 1, 101)`.
  static let recalls: [Double] = (0...100).map { Double($0) * 0.01 }
  /// All, small, medium and large, in square pixels; both ends belong to the range.
  static let areas: [ClosedRange<Double>] = [0...1e10, 0...1024, 1024...9216, 9216...1e10]
  /// How many true detections each recall needs where so many labels count, ascending, 1 or more.
  static func hitsNeeded(of labels: Int) -> [Int] {
    recalls.map { RecallLevels.hits(reaching: $0, of: labels) }
  }

  /// The bit that stands for a setting.
  static func bit(area: Int, threshold: Int) -> UInt64 {
    1 << UInt64(area * thresholds.count + threshold)
  }

  /// The bits of every threshold of an area range.
  static func bits(area: Int) -> UInt64 {
    (bit(area: 0, threshold: thresholds.count) - 1) << UInt64(area * thresholds.count)
  }
}

/// What COCO's evaluation keeps of one category in one image: no boxes, only scores and outcomes.
package struct COCOMatches: Sendable, Hashable {
  /// A detection's score and its outcome in each setting.
  struct Detection: Sendable, Hashable {
    var score: Double
    /// Settings in which it found a label that counts.
    var isTrue: UInt64 = 0
    /// Settings in which it counts neither for nor against.
    var isIgnored: UInt64 = 0
  }

  let category: Int
  /// Labels that count, for each area range.
  private(set) var counted = SIMD4<Int>()
  /// Best score first.
  private(set) var detections: [Detection]
  /// Detections beyond the limit, which count nowhere.
  let leftOut: Int

  fileprivate init(
    category: Int, counted: SIMD4<Int>, detections: [Detection], leftOut: Int
  ) {
    self.category = category
    self.counted = counted
    self.detections = detections
    self.leftOut = leftOut
  }

  /// Matches the labels and the best detections of one category in one image.
  init(
    category: Int, labels: [FaceLabel], detections all: [FaceDetection], maxDetections: Int
  ) {
    self.category = category
    let ranked = all.rankedByScore().prefix(maxDetections).map { all[$0] }
    leftOut = all.count - ranked.count
    var outcomes = ranked.map { Detection(score: $0.score) }
    var matcher = GreedyMatcher(
      labels: labels, boxes: ranked.map(\.box), floor: COCOParameters.thresholds[0])
    for (area, range) in COCOParameters.areas.enumerated() {
      let isIgnored = labels.map { $0.isCrowd || $0.isIgnored || !range.contains($0.area) }
      counted[area] = isIgnored.count { !$0 }
      for (index, threshold) in COCOParameters.thresholds.enumerated() {
        let bit = COCOParameters.bit(area: area, threshold: index)
        matcher.match(threshold: threshold, isIgnored: isIgnored) { detection, label, _ in
          if isIgnored[label] {
            outcomes[detection].isIgnored |= bit
          } else {
            outcomes[detection].isTrue |= bit
          }
        }
      }
      for (index, detection) in ranked.enumerated() where !range.contains(detection.box.area) {
        outcomes[index].isIgnored |= COCOParameters.bits(area: area) & ~outcomes[index].isTrue
      }
    }
    detections = outcomes
  }
}

extension COCOMatches.Detection: Packable {
  /// Four area ranges of ten thresholds, each mostly true at the lower thresholds and else of one kind, take 1 to 3 bytes.
  package func pack(into row: inout RowWriter) {
    score.pack(into: &row)
    var codes: UInt64 = 0
    for area in COCOParameters.areas.indices.reversed() {
      guard let code = code(area: area) else {
        row.write(UInt64(0), isTrue, isIgnored)
        return
      }
      codes = codes * Self.codeCount + code
    }
    row.write(codes + 1)
  }

  package init(from row: inout RowReader) {
    self.init(score: row.read())
    var codes: UInt64 = row.read()
    guard codes > 0 else {
      (isTrue, isIgnored) = (row.read(), row.read())
      return
    }
    codes -= 1
    for area in COCOParameters.areas.indices {
      let (all, code) = (COCOParameters.bits(area: area), codes % Self.codeCount)
      isTrue |= Self.lowest(code >> 1, area: area)
      if code & 1 != 0 { isIgnored |= all & ~isTrue }
      codes /= Self.codeCount
    }
  }

  /// Twice how many of the lower thresholds it is true at, and 1 more where it counts at no other one; nil for other outcomes.
  private func code(area: Int) -> UInt64? {
    let all = COCOParameters.bits(area: area)
    let (own, ignored) = (isTrue & all, isIgnored & all)
    let count = UInt64(own.nonzeroBitCount)
    guard own == Self.lowest(count, area: area) else { return nil }
    return ignored == 0 && own != all ? count * 2 : ignored == all & ~own ? count * 2 + 1 : nil
  }

  private static let codeCount = UInt64(COCOParameters.thresholds.count + 1) * 2

  private static func lowest(_ count: UInt64, area: Int) -> UInt64 {
    COCOParameters.bits(area: area) & ((COCOParameters.bit(area: area, threshold: Int(count))) &- 1)
  }
}

extension COCOMatches: Packable {
  package func pack(into row: inout RowWriter) { row.write(category, counted, detections, leftOut) }
  package init(from row: inout RowReader) {
    self.init(
      category: row.read(), counted: row.read(), detections: row.read(), leftOut: row.read())
  }
}
