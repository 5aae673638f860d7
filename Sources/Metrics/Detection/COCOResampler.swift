internal import FaceCore
internal import Records

/// COCO's statistics for draws of clusters, from detections that were ranked once.
///
/// They equal those of `COCODetection` over the drawn frames, but for the order in which numbers are added up.
struct COCOResampler: FamilyResampler {
  private let categories: [Category]
  private let statistics: [COCODetection.Statistic]

  /// Ranks the detections of all frames that are of a cluster; slices report only some of the statistics.
  init(_ detection: COCODetection, of clusters: FrameClusters, isSlice: Bool) {
    let statistics = COCODetection.statistics.filter {
      !isSlice || COCODetection.presentation.sliced.contains($0.definition.name)
    }
    let settings = statistics.reduce(0) { $0 | $1.settings }
    var categories: [Int: Category.Matches] = [:]
    for (frame, all) in detection.frames.keyed {
      guard let cluster = clusters.cluster(of: frame) else { continue }
      for matches in all {
        categories[matches.category, default: Category.Matches(settings: settings)]
          .add(matches, of: cluster)
      }
    }
    self.categories = categories.sorted { $0.key < $1.key }.map { Category($0.value) }
    self.statistics = statistics
  }

  func measurements(of draw: ClusterDraw) -> [Measurement] {
    let averages = categories.map { $0.averages(draw.copies) }
    return statistics.map { statistic in
      let n = averages.reduce(0) { $0 + $1.counted[statistic.area] }
      let values = averages.compactMap { average in
        average.counted[statistic.area] > 0 ? average.value(of: statistic) : nil
      }
      return statistic.measurement(of: values, n: n)
    }
  }
}

/// Sums over the detections of a category in a draw.
private struct Averages {
  /// Labels that count, for each area range.
  var counted: ArraySlice<Int>
  /// Interpolated precision, added up over the recalls; one a setting.
  var precisions: [Double]
  /// True detections; one a setting.
  var found: ArraySlice<Int>
  /// Those at the area range of all within the best of an image, for each limit and threshold.
  var foundWithin: ArraySlice<Int>

  func value(of statistic: COCODetection.Statistic) -> Double {
    let thresholds = COCOParameters.thresholds.count
    let first = statistic.area * thresholds
    switch statistic.kind {
    case .precision(let range):
      let sum = range.reduce(0) { $0 + precisions[first + $1] }
      return sum / Double(range.count * COCOParameters.recalls.count)
    case .recall(let limit):
      let position = limit.flatMap(COCODetection.imageLimits.firstIndex)
      let sum = (0..<thresholds).reduce(0) { sum, threshold in
        sum
          + (position.map { foundWithin[foundWithin.startIndex + $0 * thresholds + threshold] }
            ?? found[found.startIndex + first + threshold])
      }
      return Double(sum) / Double(counted[counted.startIndex + statistic.area] * thresholds)
    }
  }
}

/// Precision of one setting while a draw is passed from its lowest score up.
private struct Setting {
  /// True detections that are left.
  var found: Int
  /// Detections of the draw that count neither way, but for those of whole area ranges that were passed.
  var ignored: Int
  /// The best precision so far is the ratio of these two, which are compared without a division.
  private var bestFound = 0
  private var bestKept = 1
  /// The recalls that the passed detections may still decide, from `first` to before `end` of all recalls.
  private let first: Int
  private var end: Int
  /// True detections that the highest of them needs; 0 without any.
  private var next = 0
  /// Interpolated precision, added up over the recalls.
  private(set) var precisions = 0.0

  /// Recalls that need more true detections than there are have the precision 0.
  init(found: Int, ignored: Int, recalls first: Int, _ needed: [Int]) {
    self.found = found
    self.ignored = ignored
    self.first = first
    end = first
    while end < first + COCOParameters.recalls.count, needed[end] <= found { end += 1 }
    next = end > first ? needed[end - 1] : 0
  }

  /// Passes a true detection, of so many detections up to it as `seen` states, ignored ones included.
  mutating func pass(_ times: Int, of seen: Int, _ needed: [Int]) {
    let kept = seen &- ignored
    if found &* bestKept > bestFound &* kept { (bestFound, bestKept) = (found, kept) }
    found -= times
    while next > found {
      precisions += Double(bestFound) / Double(bestKept)
      end -= 1
      next = end > first ? needed[end - 1] : 0
    }
  }
}

/// What is kept of the detections of one category.
private struct Category: Sendable {
  fileprivate struct Outcome: Sendable, Hashable {
    var isTrue: UInt64
    /// Settings in which it counts neither way, but for those of `ignoredAreas`.
    var isIgnored: UInt64
    /// Area ranges in which it counts neither way at any threshold.
    var ignoredAreas: UInt8
  }

  private let ranking: DrawnRanking<UInt32>
  /// The different outcomes, which the ranking has the positions of.
  private let outcomes: [Outcome]
  private let counts: ClusterCounts

  private static let areas = COCOParameters.areas.count
  private static let thresholds = COCOParameters.thresholds.count
  private static let settings = areas * thresholds
  /// Where the counts of a cluster begin: labels that count, true and ignored detections, all detections.
  private static let foundStart = areas
  private static let ignoredStart = foundStart + settings
  private static let withinStart = ignoredStart + settings
  private static let seenStart =
    withinStart + COCODetection.imageLimits.count * thresholds

  /// The matches of a category for some settings; the others are left at 0.
  struct Matches {
    private let settings: UInt64
    fileprivate var counts = ClusterCounts(width: seenStart + 1)
    fileprivate var different: [Outcome] = []
    private var positions: [Outcome: UInt32] = [:]
    fileprivate var ranked: [(cluster: Int, score: Double, item: UInt32)] = []

    init(settings: UInt64) {
      self.settings = settings
    }

    /// Adds an image of a cluster.
    mutating func add(_ matches: COCOMatches, of cluster: Int) {
      counts.add(to: cluster) { counts in
        let start = counts.startIndex
        for area in 0..<areas { counts[start + area] += Int32(matches.counted[area]) }
        counts[start + seenStart] += Int32(matches.detections.count)
        for (rank, detection) in matches.detections.enumerated() {
          for setting in 0..<Category.settings {
            let bit: UInt64 = 1 << UInt64(setting)
            if detection.isIgnored & bit != 0 { counts[start + ignoredStart + setting] += 1 }
            guard detection.isTrue & bit != 0 else { continue }
            counts[start + foundStart + setting] += 1
            guard setting < thresholds else { continue }
            for (index, limit) in COCODetection.imageLimits.enumerated() where rank < limit {
              counts[start + withinStart + index * thresholds + setting] += 1
            }
          }
        }
      }
      for detection in matches.detections { add(detection, of: cluster) }
    }

    private mutating func add(_ detection: COCOMatches.Detection, of cluster: Int) {
      var outcome = Outcome(
        isTrue: detection.isTrue & settings, isIgnored: detection.isIgnored & settings,
        ignoredAreas: 0)
      for area in 0..<areas {
        let bits = COCOParameters.bits(area: area) & settings
        guard bits != 0, outcome.isIgnored & bits == bits else { continue }
        outcome.isIgnored &= ~bits
        outcome.ignoredAreas |= 1 << UInt8(area)
      }
      let position = positions[outcome] ?? UInt32(different.count)
      if position == different.count {
        positions[outcome] = position
        different.append(outcome)
      }
      ranked.append((cluster, detection.score, position))
    }
  }

  /// Ranks the matches of a category.
  init(_ matches: Matches) {
    counts = matches.counts
    outcomes = matches.different
    ranking = DrawnRanking(matches.ranked)
  }

  /// The sums of a draw. Precision is found from the lowest score up, so that its envelope is known at once.
  func averages(_ copies: [Int32]) -> Averages {
    let sums = counts.sums(copies)
    var averages = Averages(
      counted: sums[0..<Self.areas], precisions: [Double](repeating: 0, count: Self.settings),
      found: sums[Self.foundStart..<Self.ignoredStart],
      foundWithin: sums[Self.withinStart..<Self.seenStart])
    let needed = (0..<Self.areas).flatMap { COCOParameters.hitsNeeded(of: sums[$0]) }
    var settings = (0..<Self.settings).map { setting in
      Setting(
        found: sums[Self.foundStart + setting], ignored: sums[Self.ignoredStart + setting],
        recalls: setting / Self.thresholds * COCOParameters.recalls.count, needed)
    }
    var ignoredOfArea = SIMD4<Int>()
    var seen = sums[Self.seenStart]
    ranking.visitReversed(copies) { position, times in
      let outcome = outcomes[Int(position)]
      var hits = outcome.isTrue
      while hits != 0 {
        let setting = hits.trailingZeroBitCount
        hits &= hits - 1
        settings[setting].pass(
          times, of: seen &+ ignoredOfArea[setting / Self.thresholds], needed)
      }
      seen -= times
      var rest = outcome.isIgnored
      while rest != 0 {
        settings[rest.trailingZeroBitCount].ignored -= times
        rest &= rest - 1
      }
      guard outcome.ignoredAreas != 0 else { return }
      for area in 0..<Self.areas where outcome.ignoredAreas & 1 << UInt8(area) != 0 {
        ignoredOfArea[area] += times
      }
    }
    averages.precisions = settings.map(\.precisions)
    return averages
  }
}
