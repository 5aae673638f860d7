internal import FaceCore
internal import Records

/// COCO's statistics for draws of clusters, from detections that were ranked once.
///
/// They equal those of `COCODetection` over the drawn frames, but for the order in which numbers are added up.
struct COCOResampler: BatchResampler {
  private let categories: [Category]
  private let statistics: [COCODetection.Statistic]

  /// Ranks the detections of all frames that are of a cluster; slices report only some of the statistics.
  init(_ detection: COCODetection, of clusters: FrameClusters, isSlice: Bool) {
    var matches = Matches([detection], isSlice: isSlice)
    for (frame, all) in detection.frames.keyed {
      if let cluster = clusters.cluster(of: frame) { matches.add(all, of: cluster) }
    }
    self.init(matches, keepsOrder: false)
  }

  /// Ranks the detections of two runs, for draws that take each cluster from one of them, once.
  init(_ detection: COCODetection, swappedWith other: COCODetection, of clusters: FrameClusters) {
    var matches = Matches([detection, other], isSlice: false)
    var (own, theirs) = (detection.frames.keyed.makeIterator(), other.frames.keyed.makeIterator())
    var (first, second) = (own.next(), theirs.next())
    while let frame = [first?.0, second?.0].compactMap({ $0 }).min() {
      let cluster = clusters.cluster(of: frame)
      if let image = first, image.0 == frame {
        if let cluster { matches.add(image.1, of: 2 * cluster) }
        first = own.next()
      }
      if let image = second, image.0 == frame {
        if let cluster { matches.add(image.1, of: 2 * cluster + 1) }
        second = theirs.next()
      }
    }
    self.init(matches, keepsOrder: true)
  }

  /// The draw that takes the chosen clusters from the other run: each is two here, the own one and the other run's.
  static func draw(_ isSwapped: [Bool], of clusters: FrameClusters) -> ClusterDraw {
    ClusterDraw(isSwapped.flatMap { $0 ? [0, 1] : [1, 0] }, of: clusters)
  }

  private init(_ matches: consuming Matches, keepsOrder: Bool) {
    statistics = matches.statistics
    categories = matches.categories.keys.sorted().compactMap { category in
      matches.categories.removeValue(forKey: category).map {
        Category($0, keepsOrder: keepsOrder)
      }
    }
  }

  /// The matches of each category, before they are ranked.
  private struct Matches {
    let statistics: [COCODetection.Statistic]
    var categories: [Int: Category.Matches]

    /// Starts without images; there will be as many detections as these have.
    init(_ all: [COCODetection], isSlice: Bool) {
      statistics = COCODetection.statistics.filter {
        !isSlice || COCODetection.presentation.sliced.contains($0.definition.name)
      }
      let settings = statistics.reduce(0) { $0 | $1.settings }
      var counts: [Int: Int] = [:]
      for detection in all {
        for category in detection.frames.entries.lazy.map(\.categories).joined() {
          counts[category.number, default: 0] += category.kept
        }
      }
      categories = counts.mapValues { Category.Matches(settings: settings, detections: $0) }
    }

    mutating func add(_ image: COCOMatches, of cluster: Int) {
      image.forEach { category, detections in
        categories[category.number]?.add(detections, counted: category.counted, of: cluster)
      }
    }
  }

  func measurements(of batch: DrawBatch) -> [[Measurement]] {
    let categories = categories.map { $0.averages(batch) }
    return batch.draws.indices.map { lane in
      let averages = categories.map { $0[lane] }
      return statistics.map { statistic in
        let n = averages.reduce(0) { $0 + $1.counted[statistic.area] }
        let values = averages.compactMap { average in
          average.counted[statistic.area] > 0 ? average.value(of: statistic) : nil
        }
        return statistic.measurement(of: values, n: n)
      }
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
      // One a threshold.
      let limited = limit.flatMap(COCODetection.imageLimits.firstIndex).map {
        foundWithin.dropFirst($0 * thresholds)
      }
      let sum = (limited ?? found.dropFirst(first)).prefix(thresholds).reduce(0, +)
      return Double(sum) / Double(counted[counted.startIndex + statistic.area] * thresholds)
    }
  }
}

/// Precision of one setting while the draws of a batch are passed from their lowest score up.
///
/// Numbers of detections are whole numbers in `Double`, whose products are exact up to 90 million detections.
private struct Setting {
  /// True detections that are left.
  private var found: DrawBatch.Numbers
  /// Detections that count neither way, but for those of whole area ranges that were passed.
  var ignored: DrawBatch.Numbers
  /// The best precision so far is the ratio of these two, which are compared without a division.
  private var bestFound = DrawBatch.Numbers.zero
  private var bestKept = DrawBatch.Numbers.one
  /// True detections that the highest recall needs that is not decided yet; 0 without any.
  private var next = DrawBatch.Numbers.zero
  /// How many recalls the passed detections may still decide.
  private var open = SIMD8<Int>.zero
  /// Interpolated precision, added up over the recalls.
  private(set) var precisions = DrawBatch.Numbers.zero

  /// Recalls that need more true detections than there are have the precision 0.
  init(found: DrawBatch.Numbers, ignored: DrawBatch.Numbers, _ needed: [[Double]]) {
    self.found = found
    self.ignored = ignored
    for lane in needed.indices {
      open[lane] = needed[lane].firstIndex { $0 > found[lane] } ?? needed[lane].count
      next[lane] = open[lane] > 0 ? needed[lane][open[lane] - 1] : 0
    }
  }

  /// Passes a true detection, of so many detections up to it as `seen` states, ignored ones included.
  ///
  /// What a draw without the detection is compared with is no better than at its next true detection. The result is
  /// whether recalls are to be decided.
  mutating func pass(_ times: DrawBatch.Numbers, of seen: DrawBatch.Numbers) -> Bool {
    let kept = seen - ignored
    let isBetter = found * bestKept .> bestFound * kept
    bestFound.replace(with: found, where: isBetter)
    bestKept.replace(with: kept, where: isBetter)
    found -= times
    return (next .> found).holdsForAny
  }

  /// Gives the recalls that need more true detections than are left the best precision so far.
  mutating func decide(_ needed: [[Double]]) {
    for lane in needed.indices {
      while next[lane] > found[lane] {
        precisions[lane] += bestFound[lane] / bestKept[lane]
        open[lane] -= 1
        next[lane] = open[lane] > 0 ? needed[lane][open[lane] - 1] : 0
      }
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
  /// The first setting that equals each one in all labels and detections: one face in each image makes most of them equal.
  private let leaders: [Int]
  /// The settings that are asked for and lead.
  private let used: UInt64

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
    fileprivate let settings: UInt64
    fileprivate var counts = ClusterCounts(width: seenStart + 1)
    fileprivate var different: [Outcome] = []
    private var positions: [Outcome: UInt32] = [:]
    fileprivate var ranked: ScoredItems<UInt32>

    /// Starts without an image; there will be so many detections.
    init(settings: UInt64, detections: Int) {
      self.settings = settings
      ranked = ScoredItems(capacity: detections)
    }

    /// Adds an image of a cluster.
    mutating func add(
      _ detections: ArraySlice<COCOMatches.Detection>, counted: SIMD4<Int>, of cluster: Int
    ) {
      counts.add(to: cluster) { counts in
        let start = counts.startIndex
        for area in 0..<areas { counts[start + area] += Int32(counted[area]) }
        counts[start + seenStart] += Int32(detections.count)
        for (rank, detection) in detections.enumerated() {
          var rest = detection.isIgnored
          while rest != 0 {
            counts[start + ignoredStart + rest.trailingZeroBitCount] += 1
            rest &= rest - 1
          }
          var hits = detection.isTrue
          while hits != 0 {
            let setting = hits.trailingZeroBitCount
            hits &= hits - 1
            counts[start + foundStart + setting] += 1
            guard setting < thresholds else { continue }
            for (index, limit) in COCODetection.imageLimits.enumerated() where rank < limit {
              counts[start + withinStart + index * thresholds + setting] += 1
            }
          }
        }
      }
      for detection in detections { add(detection, of: cluster) }
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
      ranked.append(position, score: detection.score, of: cluster)
    }
  }

  /// Ranks the matches of a category; `keepsOrder` is that of `DrawnRanking`.
  init(_ matches: consuming Matches, keepsOrder: Bool) {
    counts = matches.counts
    let groups = Self.equalSettings(matches)
    var leaders = Array(0..<Self.settings)
    for group in groups {
      for setting in leaders.indices where group & 1 << UInt64(setting) != 0 {
        leaders[setting] = group.trailingZeroBitCount
      }
    }
    let used = groups.reduce(0) { $0 | $1 & ~($1 - 1) }
    (self.leaders, self.used) = (leaders, used)
    outcomes = matches.different.map {
      Outcome(
        isTrue: $0.isTrue & used, isIgnored: $0.isIgnored & used, ignoredAreas: $0.ignoredAreas)
    }
    ranking = DrawnRanking(matches.ranked, keepsOrder: keepsOrder)
  }

  /// The settings that are asked for, those together whose labels and detections are equal.
  private static func equalSettings(_ matches: Matches) -> [UInt64] {
    var groups: [UInt64] = []
    for area in 0..<areas {
      let bits = COCOParameters.bits(area: area) & matches.settings
      let equal = (0..<area).first { matches.counts.areEqual($0, area) }
      if let equal,
        let group = groups.firstIndex(where: { $0 & COCOParameters.bits(area: equal) != 0 })
      {
        groups[group] |= bits
      } else if bits != 0 {
        groups.append(bits)
      }
    }
    for outcome in matches.different {
      let ignored = (0..<areas).filter { outcome.ignoredAreas & 1 << UInt8($0) != 0 }
        .reduce(outcome.isIgnored) { $0 | COCOParameters.bits(area: $1) }
      for bits in [outcome.isTrue, ignored] {
        groups = groups.flatMap { [$0 & bits, $0 & ~bits].filter { $0 != 0 } }
      }
    }
    return groups
  }

  /// The sums of each draw. Precision is found from the lowest score up, so that its envelope is known at once.
  func averages(_ batch: DrawBatch) -> [Averages] {
    let sums = batch.draws.map { counts.sums($0.copies) }
    func numbers(_ position: Int) -> DrawBatch.Numbers {
      var numbers = DrawBatch.Numbers.zero
      for lane in sums.indices { numbers[lane] = Double(sums[lane][position]) }
      return numbers
    }
    // Several draws and areas have as many labels.
    var known: [Int: [Double]] = [0: []]
    let needed = (0..<Self.areas).map { area in
      sums.map { sums in
        let labels = sums[area]
        let needed = known[labels] ?? COCOParameters.hitsNeeded(of: labels).map(Double.init)
        known[labels] = needed
        return needed
      }
    }
    var settings = (0..<Self.settings).map { setting -> Setting in
      let bit: UInt64 = 1 << UInt64(setting)
      return Setting(
        found: numbers(Self.foundStart + setting), ignored: numbers(Self.ignoredStart + setting),
        used & bit == 0 ? [] : needed[setting / Self.thresholds])
    }
    var ignoredOfArea = [DrawBatch.Numbers](repeating: .zero, count: Self.areas)
    var seen = numbers(Self.seenStart)
    ranking.visitReversed(batch) { position, _, copies in
      let (outcome, times) = (outcomes[Int(position)], DrawBatch.Numbers(copies))
      var hits = outcome.isTrue
      while hits != 0 {
        let setting = hits.trailingZeroBitCount
        hits &= hits - 1
        let area = setting / Self.thresholds
        if settings[setting].pass(times, of: seen + ignoredOfArea[area]) {
          settings[setting].decide(needed[area])
        }
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
    return sums.enumerated().map { lane, sums in
      Averages(
        counted: sums[0..<Self.areas], precisions: leaders.map { settings[$0].precisions[lane] },
        found: sums[Self.foundStart..<Self.ignoredStart],
        foundWithin: sums[Self.withinStart..<Self.seenStart])
    }
  }
}
