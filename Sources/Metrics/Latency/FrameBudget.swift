package import Records
internal import Statistics

/// How frames keep a time budget T: misses, how many in a row, room to spare, and stutter.
///
/// A frame misses where its time exceeds T. In a clip at 60 frames a second T is 16.667 ms.
package struct FrameBudget: DefinedMetrics, Sendable, Hashable {
  /// T, in nanoseconds, more than 0.
  package let nanoseconds: Double
  /// The time of each frame in their order, in nanoseconds.
  package let frames: [Int64]

  /// Scores frames by a budget.
  package init(nanoseconds: Double, frames: [Int64]) {
    self.nanoseconds = nanoseconds
    self.frames = frames
  }

  /// Whether each frame missed.
  package var misses: [Bool] { frames.map { Double($0) > nanoseconds } }

  /// The longest row of misses without a frame between them that kept the budget.
  package var longestMissRun: Int {
    var longest = 0
    var run = 0
    for isMiss in misses {
      run = isMiss ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }

  /// A stutter that comes back after the same number of frames.
  package struct Stutter: Sendable, Hashable {
    /// Frames from one miss to the next.
    package var periodFrames: Int
    /// Autocorrelation of the misses at that lag; 1 is a miss every time and none between.
    package var correlation: Double
  }

  /// The regular stutter, if there is one.
  ///
  /// The autocorrelation of the misses (1 for a miss, 0 else, mean taken off) at lag k is scaled by
  /// n / (n − k). Lags up to a third of the frames count, at most 600, from the first lag at which
  /// it is 0 or less: before that it measures how long a row of misses is. Its largest value must
  /// be 0.5 or more, of four misses or more; the period is the top of the first rise to three
  /// quarters of that value. Misses in every frame, or in none, have no period.
  package var stutter: Stutter? {
    let positions = misses.indices.filter { misses[$0] }
    let n = Double(frames.count)
    let mean = Double(positions.count) / n
    guard positions.count >= 4, positions.count < frames.count else { return nil }
    let isMiss = misses
    var prefix = [0]
    for miss in isMiss { prefix.append(prefix[prefix.count - 1] + (miss ? 1 : 0)) }
    let lags = 1..<(max(min(frames.count / 3, 600), 1) + 1)
    let correlations = lags.map { lag -> Double in
      let pairs = frames.count - lag
      let both = positions.count { $0 + lag < isMiss.count && isMiss[$0 + lag] }
      let early = Double(prefix[pairs])
      let late = Double(prefix[frames.count] - prefix[lag])
      let sum = Double(both) - mean * (early + late) + Double(pairs) * mean * mean
      return sum / (n * mean * (1 - mean)) * n / Double(pairs)
    }
    guard let fallen = correlations.firstIndex(where: { $0 <= 0 }),
      let largest = correlations[fallen...].max(), largest >= 0.5,
      var top = correlations[fallen...].firstIndex(where: { $0 >= 0.75 * largest })
    else { return nil }
    while top + 1 < correlations.count, correlations[top + 1] > correlations[top] { top += 1 }
    return Stutter(periodFrames: lags[lags.startIndex + top], correlation: correlations[top])
  }

  /// Miss rate, longest row of misses and headroom; the rate has an interval where the clusters of the frames, which
  /// count from 0 in their order, are known.
  package func summarize(in clusters: FrameClusters? = nil) -> [Measurement] {
    let n = frames.count
    guard n > 0 else {
      return Self.definitions.map { $0.undefined("no frame was timed", needs: 1, n: 0) }
    }
    let sorted = frames.sorted()
    let needs = NearestRank.samplesNeeded(forPercentile: 99)
    let p99 = NearestRank.percentile(99, ofSorted: sorted)
    let rate = Double(misses.count { $0 }) / Double(n)
    let headroom = p99.flatMap { $0 > 0 && n >= needs ? nanoseconds / Double($0) : nil }
    var missRate = Self.missRate.measurement(rate, n: n)
    if let clusters { missRate.interval = missRateInterval(in: clusters) }
    return [
      missRate,
      Self.longestMissRun.measurement(Double(longestMissRun), n: n),
      Self.headroom.measurement(
        headroom, n: n, needs: needs, else: "p99 needs \(needs) samples, there are \(n)"),
    ]
  }
}

extension FrameBudget {
  private func missRateInterval(in clusters: FrameClusters) -> Interval {
    var counts: [Int: (missed: Double, frames: Double)] = [:]
    for (frame, isMissed) in misses.enumerated() {
      guard let cluster = clusters.cluster(of: frame) else { continue }
      counts[cluster, default: (0, 0)].missed += isMissed ? 1 : 0
      counts[cluster, default: (0, 0)].frames += 1
    }
    var share = ProportionInterval()
    for (_, count) in counts.sorted(by: { $0.key < $1.key }) {
      share.add(share: count.missed / count.frames, of: count.frames)
    }
    return share.interval()
  }

  /// The metrics of a budget.
  package static let definitions = [missRate, longestMissRun, headroom]

  private static let missRate = definition(
    "miss_rate", "Share of frames over budget", .lower, in: .proportion,
    "frames slower than T / frames, by the time without decoding files, in a paced run by the response; "
      + "in [0, 1], undefined without frames")
  private static let longestMissRun = definition(
    "longest_miss_run", "Longest row of frames over budget", .lower, unit: "frames",
    "most frames in a row that are each slower than T")
  private static let headroom = definition(
    "headroom", "Headroom: budget over p99", .higher,
    "T / p99 by nearest rank, above 1 where the budget is kept, undefined under "
      + "\(NearestRank.samplesNeeded(forPercentile: 99)) samples")

  private static let definition = DefinitionGroup(prefix: "budget.", source: "FaceGauge")

  package static let presentation = MetricPresentation(
    headlines: [.init(.timing, [missRate.name, headroom.name], isCompared: false)])
}
