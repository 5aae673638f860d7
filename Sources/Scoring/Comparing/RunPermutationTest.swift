internal import Metrics
internal import Platform
internal import Records
internal import Running
internal import Statistics

/// Compares the metrics of two scorings of the same frames: difference, interval, p.
struct RunPermutationTest {
  let bootstrap: ClusterBootstrap
  let minSliceCount: Int
  let monitor: RunMonitor
  /// The values of the tested metrics in the resamples of both runs, by name; nil where all metrics are to be drawn and
  /// compared, those of slices too.
  var drawn: (base: [String: [Double?]], candidate: [String: [Double?]])?
  /// How many pairs of runs are tested together.
  var pairsOfRuns = 1

  /// The largest adjusted p of a decisive difference.
  static let significance = 0.05

  /// The permutations of so many differences that are tested together: as many as resamples, and no fewer than the
  /// least p needs to be decisive.
  static func flips(_ bootstrap: ClusterBootstrap, clusters: Int, tests: Int) -> SignFlips {
    let needed = Int((Double(tests) / significance).rounded(.up))
    return SignFlips(
      clusters: clusters, atMost: max(bootstrap.resamples, needed), seed: bootstrap.seed)
  }

  /// What to know where all permutations are too few for any difference to be decisive; nil otherwise.
  static func note(_ flips: SignFlips, tests: Int) -> String? {
    guard tests > 0, flips.leastP * Double(tests) > significance else { return nil }
    return
      "No difference can be decisive here: \(flips.count.groupedText) swaps of so few subjects, videos or stills "
      + "give a p of \(flips.leastP.text(significantDigits: 2)) at least, times \(tests) tests. Compare fewer "
      + "runs or metrics."
  }

  /// What to know of the clusters that are drawn and swapped.
  static func notes(of clusters: ClusterSizes) -> [String] {
    let few =
      clusters.count < ClusterBootstrap.minClusters
      ? "No difference was tested: \(ClusterBootstrap.tooFew(clusters.count))." : nil
    return [few, ClusterBootstrap.caution(clusters)].compactMap(\.self)
  }

  /// Every metric of the candidate with the base's; `family` names those that are evaluated together.
  ///
  /// `common` has the landmark errors of the faces that both found, where they can be paired.
  func differences(
    base: Scoring, candidate: Scoring, common: PairedLandmarkError?,
    family: (Measurement) -> Bool
  ) throws -> [Comparison.Difference] {
    let clusters = candidate.clusters
    var entries: [Entry] = []
    var pairs: [Pair] = []
    let baseParts = base.parts()
    for planned in candidate.parts() where drawn == nil || planned.slice == nil {
      guard let match = baseParts.first(where: { $0.slice == planned.slice }) else { continue }
      let (part, other) = (try planned.made(), try match.made())
      var earlier: [MeasurementKey: (metric: Measurement, sizes: ClusterSizes)] = [:]
      for group in other.groups() {
        for (metric, sizes) in zip(group.metrics, group.sizes(in: clusters)) {
          earlier[MeasurementKey(metric)] = (metric, sizes)
        }
      }
      var positions: [MeasurementKey: Int] = [:]
      for group in part.groups() {
        for (metric, own) in zip(group.metrics, group.sizes(in: clusters)) {
          let match = earlier[MeasurementKey(metric)]
          let entry = Entry(
            base: match?.metric.suppressed(under: minSliceCount),
            candidate: metric.suppressed(under: minSliceCount),
            sizes: match.map { Self.smaller(own, $0.sizes) } ?? own,
            isTested: family(metric))
          if entry.canBeTested, drawn == nil || entry.isTested {
            positions[MeasurementKey(metric)] = entries.count
          }
          entries.append(entry)
        }
      }
      guard !positions.isEmpty else { continue }
      func resampled(_ scores: SliceScores) -> ResampledScores {
        scores.resampled(by: clusters) { positions[MeasurementKey(name: $0, slice: $1)] }
      }
      pairs.append(
        Pair(
          base: resampled(other), candidate: resampled(part), isWhole: planned.slice == nil))
    }
    let hasCommon = common.map { family($0.measurements.1) } ?? false
    let tested = entries.count { $0.isTested && $0.canBeTested } + (hasCommon ? 1 : 0)
    let flips = Self.flips(bootstrap, clusters: clusters.count, tests: tested * pairsOfRuns)
    if bootstrap.resamples > 0, !pairs.isEmpty {
      if let drawn {
        for index in entries.indices where entries[index].isTested && entries[index].canBeTested {
          let name = entries[index].difference.name
          entries[index].resampled =
            entries[index].differences(of: drawn.candidate[name], from: drawn.base[name])
        }
      } else {
        monitor.begin(.resampling, pairs.count * bootstrap.resamples)
        let resampling = ResamplingPass(bootstrap, of: clusters, monitor: monitor)
        for pair in pairs {
          let drawn = try resampling.drawn([pair.base, pair.candidate])
          for (position, after) in drawn[1] {
            entries[position].resampled =
              entries[position].differences(of: after, from: drawn[0][position])
          }
        }
      }
      try permute(pairs.filter(\.isWhole), flips, into: &entries)
    }
    if let common { entries.append(entry(of: common, clusters, flips, family)) }
    return evaluated(entries, flips)
  }

  /// The error over the faces that both found.
  private func entry(
    of common: PairedLandmarkError, _ clusters: FrameClusters, _ flips: SignFlips,
    _ family: (Measurement) -> Bool
  ) -> Entry {
    let (first, second) = common.measurements
    var entry = Entry(
      base: first, candidate: second, sizes: clusters.sizes(of: common.frames),
      isTested: family(second))
    guard entry.canBeTested else { return entry }
    entry.resampled = (0..<bootstrap.resamples).map {
      common.difference(copies: bootstrap.copies(ofDraw: $0, clusters: clusters.count))
    }
    if bootstrap.resamples > 0 {
      entry.permuted = (0..<flips.count).map {
        common.difference(swapped: flips.swaps(ofPermutation: $0))
      }
    }
    return entry
  }

  /// The sizes with the smaller effective number of clusters; if one has no clusters, the other.
  private static func smaller(_ first: ClusterSizes, _ second: ClusterSizes) -> ClusterSizes {
    if first.count == 0 || second.count == 0 { return first.count == 0 ? second : first }
    return second.effective < first.effective ? second : first
  }

  /// The families of both runs with tested metrics, over all frames or over those of a slice.
  private struct Pair {
    let base: ResampledScores
    let candidate: ResampledScores
    let isWhole: Bool
  }

  private struct Entry {
    var difference: Comparison.Difference
    private let metric: Measurement
    let sizes: ClusterSizes
    let isTested: Bool
    var resampled: [Double?] = []
    var permuted: [Double?] = []

    init(base: Measurement?, candidate: Measurement, sizes: ClusterSizes, isTested: Bool) {
      difference = Comparison.Difference(base: base, candidate: candidate)
      metric = candidate
      self.sizes = sizes
      self.isTested = isTested
    }

    var canBeTested: Bool {
      difference.difference != nil && sizes.count >= ClusterBootstrap.minClusters
        && !MetricCatalog.isExtreme(difference.name) && !Gate.isTime(difference.name)
    }

    /// What the rounding of sums in another order may come to.
    var rounding: Double { 1e-12 * max(1, abs(difference.base ?? 0)) }

    /// Whether no resample differs but for rounding.
    var isEqual: Bool { isAlways(0) }

    /// Whether every resample has that difference but for rounding.
    func isAlways(_ value: Double) -> Bool {
      !resampled.isEmpty && resampled.allSatisfy { $0.map { abs($0 - value) <= rounding } ?? false }
    }

    /// Candidate minus base in each draw, nil where either is undefined; none where either was not drawn.
    func differences(of after: [Double?]?, from before: [Double?]?) -> [Double?] {
      zip(after ?? [], before ?? []).map { after, before in
        after.flatMap { after in before.map { metric.difference(of: after, from: $0) } }
      }
    }
  }

  private func permute(
    _ pairs: [Pair], _ flips: SignFlips, into entries: inout [Entry]
  ) throws(EvaluationError) {
    monitor.begin(.permuting, pairs.count * flips.count)
    for pair in pairs {
      var (before, after): ([Int: [Double?]], [Int: [Double?]]) = ([:], [:])
      for first in stride(from: 0, to: flips.count, by: Self.permutations) {
        let block = first..<min(first + Self.permutations, flips.count)
        let choices = block.map { flips.swaps(ofPermutation: $0) }
        for (base, candidate) in zip(pair.base.families, pair.candidate.families) {
          try monitor.check("while permuting")
          base.add(pair.base.values(of: base, swappedWith: candidate, choices), to: &before)
          candidate.add(
            pair.candidate.values(of: candidate, swappedWith: base, choices), to: &after)
        }
        monitor.advance(by: block.count)
      }
      for (position, after) in after {
        entries[position].permuted =
          entries[position].differences(of: after, from: before[position])
      }
    }
  }

  /// Measurements of so many permutations are in memory at a time.
  private static let permutations = 256

  private func evaluated(_ entries: [Entry], _ flips: SignFlips) -> [Comparison.Difference] {
    var entries = entries
    for index in entries.indices {
      guard let difference = entries[index].difference.difference else { continue }
      let entry = entries[index]
      if MetricCatalog.isExtreme(entry.difference.name) {
        entries[index].difference.interval = .none("resampling cannot bound an extreme value")
      } else if Gate.isTime(entry.difference.name) {
        entries[index].difference.interval = .none(Gate.timesOfTwoRuns)
        continue
      } else {
        let p = flips.p(of: difference, permuted: entry.permuted, rounding: entry.rounding)
        entries[index].difference.p = p
        entries[index].difference.interval = interval(of: difference, entry, p: p)
      }
    }
    let evaluated = entries.indices.filter {
      entries[$0].isTested && entries[$0].difference.p != nil
    }
    let adjusted = MultipleTesting.holm(evaluated.compactMap { entries[$0].difference.p })
    for (index, p) in zip(evaluated, adjusted) { entries[index].difference.adjustedP = p }
    for index in entries.indices where entries[index].isTested {
      let entry = entries[index]
      entries[index].difference.outcome = Self.outcome(entry)
    }
    return entries.map(\.difference)
  }

  /// The interval of a difference; a single point where all resamples have the same difference.
  ///
  /// Resamples alone bound nothing then, as where ten clusters of any size agree. That exchanging the runs' results by
  /// cluster gives a difference as large so seldom tells that they agree about the runs, and not for lack of data.
  private func interval(of difference: Double, _ entry: Entry, p: Double?) -> Interval {
    let values = entry.resampled
    func same(_ words: String) -> Interval {
      let point = Interval(
        low: difference, high: difference, level: bootstrap.level,
        method: "\(words) of \(values.count) resamples of \(entry.sizes.count) "
          + (difference == 0 ? "clusters" : entry.sizes.unit))
      return entry.sizes.isOfOneClip ? point.ofThisClip : point
    }
    if difference == 0, entry.isEqual { return same("no difference in any") }
    if let p, p <= Self.significance, entry.isAlways(difference),
      entry.sizes.effective >= ClusterBootstrap.minEffectiveClusters
    {
      return same("the same difference in all")
    }
    return bootstrap.interval(
      of: values.isEmpty ? [nil] : values, about: difference, in: .any, sizes: entry.sizes)
  }

  /// Decisive where the interval excludes 0 and the adjusted p is small enough; nil where undefined, and not
  /// tested without interval or p.
  private static func outcome(_ entry: Entry) -> Comparison.Outcome? {
    let difference = entry.difference
    guard let value = difference.difference, difference.better.isDirected else { return nil }
    if value == 0, entry.isEqual { return .equal }
    return outcome(
      of: value, interval: difference.interval, adjustedP: difference.adjustedP,
      better: difference.better)
  }

  /// Decisive where the interval excludes 0 and the adjusted p is small enough; not tested without either.
  static func outcome(
    of value: Double, interval: Interval, adjustedP: Double?, better: Direction
  ) -> Comparison.Outcome {
    guard let low = interval.low, let high = interval.high, let p = adjustedP else {
      return .notTested
    }
    guard p <= significance, low > 0 || high < 0 else { return .notDecisive }
    return (value > 0) == (better == .higher) ? .better : .worse
  }
}

extension Comparison.Method {
  init(_ bootstrap: ClusterBootstrap, _ flips: SignFlips, clusters: Int) {
    self.init(
      clusters: clusters, resamples: bootstrap.resamples, permutations: flips.count,
      seed: Int(clamping: bootstrap.seed), level: bootstrap.level,
      significance: RunPermutationTest.significance)
  }
}
