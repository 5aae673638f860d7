internal import Foundation
internal import Platform
package import Records
internal import Statistics

/// Percentile intervals from resampling clusters of frames with replacement, multiplicities kept.
///
/// Draw `r` of a seed is the same whatever else runs, so that the same input gives the same bytes on
/// any number of cores. Ends are the (1 − level) / 2 and (1 + level) / 2 quantiles of the resampled
/// metrics, straight between neighbours (Hyndman and Fan's type 7), as `scipy.stats.bootstrap` has
/// them with `method="percentile"`.
///
/// Source: Efron and Tibshirani 1993, chapter 13; Davison and Hinkley 1997, section 3.8 for clusters.
package struct ClusterBootstrap: Sendable, Hashable {
  /// How many resamples are drawn; 0 means no intervals.
  package var resamples: Int
  /// Where the draws start.
  package var seed: UInt64
  /// The stated probability, in (0, 1).
  package var level: Double

  /// Under so many clusters there is no interval.
  package static let minClusters = 10
  /// A metric that is undefined in a larger share of the resamples has no interval.
  package static let maxUndefinedShare = 0.05

  /// Plans resampling.
  package init(resamples: Int = 1000, seed: UInt64 = 1, level: Double = 0.95) {
    self.resamples = resamples
    self.seed = seed
    self.level = level
  }

  /// How often each of some clusters is in a draw.
  package func copies(ofDraw draw: Int, clusters: Int) -> [Int] {
    drawn(draw, clusters: clusters)
  }

  private func drawn<Count: FixedWidthInteger>(_ draw: Int, clusters: Int) -> [Count] {
    var copies = [Count](repeating: 0, count: clusters)
    var generator = SplitMix64(seed: seed, draw: draw)
    for _ in 0..<clusters { copies[Int.random(in: 0..<clusters, using: &generator)] += 1 }
    return copies
  }

  /// Some draws of the clusters.
  package func draws(_ draws: Range<Int>, of clusters: FrameClusters) -> [ClusterDraw] {
    results(ofDraws: draws) { draw in
      ClusterDraw(drawn(draw, clusters: clusters.count), of: clusters)
    }
  }

  /// All draws, as many at a time as 64 MB hold.
  package func blocks(of clusters: FrameClusters) -> [Range<Int>] {
    let size = max(16, (64 << 20) / (4 * max(clusters.count, 1)))
    return stride(from: 0, to: resamples, by: size).map { $0..<min($0 + size, resamples) }
  }

  /// The results of some draws in their order, computed side by side.
  package func results<Result: Sendable>(
    ofDraws draws: Range<Int>, _ result: @Sendable (_ draw: Int) -> Result
  ) -> [Result] {
    draws.concurrentMap(result)
  }

  /// The plain percentile interval of values in the resamples; nil stands for an undefined one.
  ///
  /// Of few clusters it is too narrow, and it need not hold the metric's value: `interval(of:about:in:sizes:)` is for
  /// metrics. `sizes` are those of the clusters that the metric rests on. Without enough of them, or where too many
  /// values are undefined or any is infinite, there is none, and a reason.
  package func interval(of values: [Double?], sizes: ClusterSizes) -> Interval {
    if let reason = reasonForNone(values, sizes: sizes) { return .none(reason) }
    let sorted = values.compactMap { $0 }.sorted()
    let interval = Interval(
      low: sorted.quantileOfSorted((1 - level) / 2),
      high: sorted.quantileOfSorted((1 + level) / 2), level: level,
      method: "\(Interval.percentileBootstrap) of \(sizes.count) \(sizes.unit), "
        + "\(resamples) resamples, seed \(seed)")
    return sizes.isOfOneClip ? interval.ofThisClip : interval
  }

  /// Why values in the resamples give no interval; nil where they do.
  func reasonForNone(_ values: [Double?], clusters: Int) -> String? {
    guard resamples > 0, !values.isEmpty else { return Self.noResamples }
    guard clusters >= Self.minClusters else { return Self.tooFew(clusters) }
    let undefined = values.count { $0 == nil }
    guard Double(undefined) <= Self.maxUndefinedShare * Double(values.count) else {
      return "the metric is undefined in \(undefined) of \(values.count) resamples"
    }
    let isFinite = values.allSatisfy { $0?.isFinite ?? true }
    return isFinite ? nil : "the metric is infinite in some resamples"
  }

  /// Why there is no interval of a metric that was not resampled.
  package static let noResamples = "no resamples were drawn"

  /// Why there is no interval of a metric that rests on too few clusters.
  package static func tooFew(_ clusters: Int) -> String {
    "\(clusters == 1 ? "1 cluster" : "\(clusters) clusters") of frames (subjects, videos or stills), "
      + "\(minClusters) are needed"
  }
}

extension ClusterBootstrap {
  /// Clusters of unequal size that are worth fewer of equal size than this give no interval.
  package static let minEffectiveClusters = 5.0
  /// Under so many clusters of equal size an interval deserves caution.
  package static let fewClusters = 30.0
  /// An end beyond so many times the value and all resamples is no bound.
  private static let farthest = 1e6

  /// The interval of a metric about its value; nil among the values stands for an undefined one.
  ///
  /// The wider, on either side, of two that are too narrow by themselves where clusters are few:
  /// * percentiles as far out as Student's t lies, with one degree of freedom less than the clusters are worth and
  ///   √(k / (k − 1)) for the variance that resampling k clusters is short of (Hesterberg 2015, section 4.3);
  /// * value ± t · standard error of the resamples, on a scale that the range leaves no way out of: the logarithm for
  ///   0 or more, the logit between two ends, as it is for others (Efron and Tibshirani 1993, section 12.6).
  ///
  /// A proportion has the bounds of `ProportionInterval`, with the variance of the resamples, and as many degrees of
  /// freedom as the share of resamples without what is rare tells.
  ///
  /// It holds the value always and leaves the range never. At an end of the range where all resamples are alike it is
  /// the exact binomial bound of as many observations as the clusters are worth; where they are alike
  /// elsewhere there is none. Nor has a rate of 0, whose reason is the bound of the share of clusters that have any.
  /// Where the resamples are so far from the value that an end would be infinite, or a million times all of them, there
  /// is none either.
  /// Coverage by simulation: Tests/Scale/interval_coverage.py.
  package func interval(
    of values: [Double?], about value: Double, in range: MetricRange, sizes: ClusterSizes
  ) -> Interval {
    let interval = plainInterval(of: values, about: value, in: range, sizes: sizes)
    return sizes.isOfOneClip ? interval.ofThisClip : interval
  }

  private func plainInterval(
    of values: [Double?], about value: Double, in range: MetricRange, sizes: ClusterSizes
  ) -> Interval {
    if let reason = reasonForNone(values, sizes: sizes) { return .none(reason) }
    guard value.isFinite else { return .none("the metric is infinite") }
    guard sizes.effective >= Self.minEffectiveClusters else {
      return .none(Self.tooUnequal(sizes))
    }
    let sorted = values.compactMap { $0 }.sorted()
    let error = Self.standardDeviation(sorted)
    guard error > 1e-12 * max(1, abs(value)) else {
      return constant(value, sorted, range, sizes)
    }
    let tail = (1 - level) / 2
    let worth = sizes.effective
    let reach = reach(sizes)
    if range == .proportion, value > 0, value < 1 {
      // Where k clusters have all that is rare, e^−k of the resamples have none: no more than k share in the variance.
      let end: Double = value < 0.5 ? 0 : 1
      let bare = Double(sorted.count { abs($0 - end) <= 1e-12 }) / Double(sorted.count)
      let few = bare > 0 ? max(1, -log(bare)) : .infinity
      let reach = self.reach(sizes, freedom: min(worth - 1, few))
      let caution = StudentT.normalDistance(beyond: tail) / (reach * error)
      return ProportionInterval.interval(
        share: value, worth: max(worth, value * (1 - value) * caution * caution),
        clusters: sizes.count, level: level)
    }
    let share = StudentT.normalTail(reach)
    let own = Self.bounds(about: value, reach: reach * error, in: range)
    // Of a median a few resamples can be thousands of times the value, which a logarithm has no end for.
    let largest = max(abs(value), abs(sorted[0]), abs(sorted[sorted.count - 1]))
    guard own.low.isFinite, range.ends != nil || own.high <= Self.farthest * largest else {
      return .none("the resamples lie so far from the value that nothing bounds it")
    }
    return Interval(
      low: min(sorted.quantileOfSorted(share), own.low),
      high: max(sorted.quantileOfSorted(1 - share), own.high), level: level,
      method: "Student's t and expanded percentiles, bootstrap of \(described(sizes))")
  }

  /// The interval of a calibration error about its value, from its values in the resamples.
  ///
  /// Resamples have twice the noise, so that they lie about a larger error than the value. Their standard error
  /// is that of the error of the bins: its ends, ± t · standard error, are corrected as it is itself. An end is 0
  /// where noise alone may give as much.
  package func interval(
    of values: [Double?], about error: ExpectedCalibrationError, sizes: ClusterSizes
  ) -> Interval {
    if let reason = reasonForNone(values, sizes: sizes) { return .none(reason) }
    guard sizes.effective >= Self.minEffectiveClusters else {
      return .none(Self.tooUnequal(sizes))
    }
    let sorted = values.compactMap { $0 }.sorted()
    let deviation = Self.standardDeviation(sorted)
    guard deviation > 1e-12 else { return constant(error.value, sorted, .unit, sizes) }
    let reach = reach(sizes) * deviation
    let interval = Interval(
      low: min(error.corrected(error.binned - reach), error.value),
      high: max(error.corrected(error.binned + reach), error.value), level: level,
      method: "Student's t less the bias of bins, bootstrap of \(described(sizes))")
    return sizes.isOfOneClip ? interval.ofThisClip : interval
  }

  /// How many standard errors of the resamples an interval reaches.
  private func reach(_ sizes: ClusterSizes, freedom: Double? = nil) -> Double {
    let worth = sizes.effective
    return StudentT.distance(beyond: (1 - level) / 2, freedom: freedom ?? worth - 1)
      * (worth / (worth - 1)).squareRoot()
  }

  private func described(_ sizes: ClusterSizes) -> String {
    "\(sizes.count) \(sizes.unit)"
      + (sizes.effective < Double(sizes.count) - 0.05
        ? " worth \(Self.text(sizes.effective))" : "")
      + ", \(resamples) resamples, seed \(seed)"
  }

  /// Why there is no interval of a metric that rests on clusters of which a few are most of the data.
  static func tooUnequal(_ sizes: ClusterSizes) -> String {
    "\(sizes.count) clusters of such unequal sizes are worth \(text(sizes.effective)), "
      + "\(Int(minEffectiveClusters)) are needed"
  }

  private func reasonForNone(_ values: [Double?], sizes: ClusterSizes) -> String? {
    sizes.isOfOneClip && sizes.count < Self.minClusters
      ? "it rests on \(sizes.count) of the \(FrameClusters.stretches) stretches of the clip"
      : reasonForNone(values, clusters: sizes.count)
  }

  /// What a reader of intervals must know where the clusters are few, alike or of one clip; nil where they are not.
  package static func caution(_ sizes: ClusterSizes) -> String? {
    guard !sizes.isOfOneClip else {
      return
        "The dataset is one clip: intervals are of this clip only, from "
        + "\(FrameClusters.stretches) stretches of successive frames, and say nothing of other clips "
        + "or people. In simulations those of 95 % held the truth in 93 % of samples or more where "
        + "errors stay alike for up to a sixth of a stretch, in 86 % at a half."
    }
    guard sizes.count >= minClusters else { return nil }
    var cautions: [String] = []
    if sizes.areStillsAlike {
      cautions.append(
        "Images that follow each other are alike, as frames of a clip are, but each counts as a still "
          + "of its own: intervals are too narrow, and differences look surer than they are. Import "
          + "them again with --sequence folder (or all) and --fps, or with subjects.")
    }
    if sizes.effective < fewClusters {
      let worth =
        sizes.effective < Double(sizes.count) - 0.05
        ? " (worth \(text(sizes.effective)) of equal size)" : ""
      cautions.append(
        "Intervals rest on \(sizes.count) clusters of frames\(worth) only: in simulations of 10 to "
          + "50 clusters those of 95 % held the truth in 90 to 99 % of samples. Do not trust one "
          + "that excludes a limit by little.")
    }
    return cautions.isEmpty ? nil : cautions.joined(separator: " ")
  }

  /// Where every resample gives the same value.
  private func constant(
    _ value: Double, _ sorted: [Double], _ range: MetricRange, _ sizes: ClusterSizes
  ) -> Interval {
    func isAt(_ end: Double) -> Bool { abs(value - end) <= 1e-12 && abs(sorted[0] - end) <= 1e-12 }
    // n of n successes: the bound p with pⁿ = (1 − level) / 2.
    let reach = 1 - pow((1 - level) / 2, 1 / sizes.effective)
    if range == .rate, isAt(0) {
      let clusters = sizes.isOfOneClip ? "stretches of this clip" : "clusters"
      return .none(
        "none in \(sizes.count) \(clusters); at most \(Int((100 * reach).rounded(.up))) % of "
          + "\(sizes.unit) have any "
          + "(\(Int((100 * level).rounded())) %)")
    }
    guard let ends = range.ends, isAt(ends.lowerBound) || isAt(ends.upperBound) else {
      return .none("every resample gives the same value, which bounds nothing")
    }
    let span = reach * (ends.upperBound - ends.lowerBound)
    return Interval(
      low: isAt(ends.lowerBound) ? value : value - span,
      high: isAt(ends.upperBound) ? value : value + span, level: level,
      method: "exact bound of \(Self.text(sizes.effective)) clusters that all agree")
  }

  private static func bounds(
    about value: Double, reach: Double, in range: MetricRange
  ) -> (low: Double, high: Double) {
    if let ends = range.ends {
      let width = ends.upperBound - ends.lowerBound
      let share = (value - ends.lowerBound) / width
      guard share > 0, share < 1 else { return (value, value) }
      let logit = log(share / (1 - share))
      let step = reach / width / (share * (1 - share))
      func back(_ logit: Double) -> Double { ends.lowerBound + width / (1 + exp(-logit)) }
      return (min(back(logit - step), value), max(back(logit + step), value))
    }
    guard range != .any else { return (value - reach, value + reach) }
    guard value > 0 else { return (value, value) }
    return (value * exp(-reach / value), value * exp(reach / value))
  }

  /// Of ascending values.
  private static func standardDeviation(_ values: [Double]) -> Double {
    values.first == values.last ? 0 : values.sampleVariance.squareRoot()
  }

  /// The standard deviation of values in the resamples; nil where more of them are undefined than an interval may have.
  package static func standardError(of values: [Double?]) -> Double? {
    let known = values.compactMap { $0 }
    let undefined = Double(values.count - known.count)
    guard known.count > 1, undefined <= maxUndefinedShare * Double(values.count) else { return nil }
    return known.sampleVariance.squareRoot()
  }

  private static func text(_ count: Double) -> String { String(format: "%.1f", count) }
}
