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

  /// How many thresholds there are.
  static let thresholdCount = 10

  /// The bit that stands for a setting.
  static func bit(area: Int, threshold: Int) -> UInt64 {
    1 << UInt64(area * thresholdCount + threshold)
  }

  /// The bits of every threshold of an area range.
  static func bits(area: Int) -> UInt64 {
    (1 << UInt64(thresholdCount) - 1) << UInt64(area * thresholdCount)
  }

  /// The bits of the area ranges that an area is outside of.
  static func bits(outside area: Double) -> UInt64 {
    var bits: UInt64 = 0
    for (index, range) in areas.enumerated() where !range.contains(area) {
      bits |= self.bits(area: index)
    }
    return bits
  }
}

/// What COCO's evaluation keeps of one image: no boxes, only scores and outcomes.
package struct COCOMatches: Sendable, Hashable {
  /// A category that has labels or detections in the image.
  struct Category: Sendable, Hashable {
    let number: Int
    /// Labels that count, for each area range.
    fileprivate(set) var counted = SIMD4<Int>()
    /// How many detections are kept.
    fileprivate(set) var kept = 0
    /// Detections beyond the limit, which count nowhere.
    fileprivate(set) var leftOut = 0
  }

  /// A detection's score and its outcome in each setting.
  struct Detection: Sendable, Hashable {
    var score: Double
    /// Settings in which it found a label that counts.
    var isTrue: UInt64 = 0
    /// Settings in which it counts neither for nor against.
    var isIgnored: UInt64 = 0
  }

  /// By number.
  private(set) var categories: [Category] = []
  /// Those of the first category, best score first, then those of the next.
  private(set) var detections: [Detection] = []

  /// How many detections were beyond the limit.
  var leftOut: Int { categories.reduce(0) { $0 + $1.leftOut } }

  /// Each category with its detections, best score first.
  func forEach(_ body: (Category, ArraySlice<Detection>) -> Void) {
    var first = 0
    for category in categories {
      body(category, detections[first..<first + category.kept])
      first += category.kept
    }
  }

  /// Matches the labels and the best detections of each category; `number` gives a detection's category.
  init(
    labels: [FaceLabel], detections all: [FaceDetection], maxDetections: Int,
    category number: (Int) -> Int
  ) {
    let ranks = all.rankedByScore().grouped(by: number)
    let faces = Array(labels.indices).grouped { labels[$0].category }
    var matcher = GreedyMatcher(
      thresholds: COCOParameters.thresholds, choices: COCOParameters.areas.count)
    detections.reserveCapacity(ranks.count)
    var (face, rank) = (0, 0)
    while face < faces.count || rank < ranks.count {
      let next = min(
        face < faces.count ? faces[face].group : .max, rank < ranks.count ? ranks[rank].group : .max
      )
      var category = Category(number: next)
      let first = face
      while face < faces.count, faces[face].group == next {
        let label = labels[faces[face].index]
        let isIgnored =
          label.isCrowd || label.isIgnored ? .max : COCOParameters.bits(outside: label.area)
        for area in COCOParameters.areas.indices
        where isIgnored & COCOParameters.bit(area: area, threshold: 0) == 0 {
          category.counted[area] += 1
        }
        matcher.add(label.box, isCrowd: label.isCrowd, isIgnored: isIgnored)
        face += 1
      }
      while rank < ranks.count, ranks[rank].group == next {
        let index = ranks[rank].index
        rank += 1
        guard category.kept < maxDetections else {
          category.leftOut += 1
          continue
        }
        var outcome = Detection(score: all[index].score)
        let box = all[index].box
        matcher.match(box, among: first..<face) { _, _, counted, ignored in
          outcome.isTrue |= counted
          outcome.isIgnored |= ignored
        }
        outcome.isIgnored |= COCOParameters.bits(outside: box.area) & ~outcome.isTrue
        detections.append(outcome)
        category.kept += 1
      }
      categories.append(category)
    }
  }
}

extension [Int] {
  /// The same with the group of each, by group; each group keeps its order.
  fileprivate func grouped(by group: (Int) -> Int) -> [(group: Int, index: Int)] {
    let all = map { (group: group($0), index: $0) }
    guard let first = all.first, !all.allSatisfy({ $0.group == first.group }) else { return all }
    return all.enumerated().sorted {
      ($0.element.group, $0.offset) < ($1.element.group, $1.offset)
    }.map(\.element)
  }
}

extension COCOMatches.Detection: Packable {
  /// Four area ranges of ten thresholds, each true at the lower thresholds and else of one kind, take 1 to 3 bytes.
  ///
  /// The lowest four bits of their code tell where the other thresholds are ignored; four bits for each area range count
  /// the true ones.
  package func pack(into row: inout RowWriter) {
    score.pack(into: &row)
    var code: UInt64 = 0
    for area in COCOParameters.areas.indices {
      let all = COCOParameters.bits(area: area)
      let (own, ignored) = (isTrue & all, isIgnored & all)
      let count = own.nonzeroBitCount
      guard own == Self.lowest(count, area: area), ignored == 0 || ignored == all & ~own else {
        row.write(UInt64(0), isTrue, isIgnored)
        return
      }
      code |= UInt64(count) << UInt64(4 * area + 4)
      if ignored != 0 { code |= 1 << UInt64(area) }
    }
    row.write(code + 1)
  }

  package init(from row: inout RowReader) {
    self.init(score: row.read())
    let code: UInt64 = row.read()
    guard code > 0 else {
      (isTrue, isIgnored) = (row.read(), row.read())
      return
    }
    let bits = code - 1
    for area in COCOParameters.areas.indices {
      let count = bits >> UInt64(4 * area + 4) & 15
      let own = Self.lowest(Int(count), area: area)
      isTrue |= own
      if bits >> UInt64(area) & 1 != 0 { isIgnored |= COCOParameters.bits(area: area) & ~own }
    }
  }

  private static func lowest(_ count: Int, area: Int) -> UInt64 {
    (1 << UInt64(count) - 1) << UInt64(area * COCOParameters.thresholdCount)
  }
}

extension COCOMatches.Category: Packable {
  package func pack(into row: inout RowWriter) { row.write(number, counted, kept, leftOut) }
  package init(from row: inout RowReader) {
    self.init(number: row.read())
    (counted, kept, leftOut) = (row.read(), row.read(), row.read())
  }
}

extension COCOMatches: Packable {
  package func pack(into row: inout RowWriter) { row.write(categories, detections) }
  package init(from row: inout RowReader) { (categories, detections) = (row.read(), row.read()) }
}
