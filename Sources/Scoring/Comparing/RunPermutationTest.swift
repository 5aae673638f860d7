internal import Metrics
internal import Records
internal import Running
internal import Statistics

/// Compares the metrics of two scorings of the same frames: difference, interval, p.
struct RunPermutationTest {
  let bootstrap: ClusterBootstrap
  let minSliceCount: Int
  let monitor: RunMonitor
  /// Whether slices are compared too.
  var coversSlices = true

  /// The largest adjusted p of a decisive difference.
  static let significance = 0.05

  /// Every metric of the candidate with the base's; `family` names those that are evaluated together.
  func differences(
    base: Scoring, candidate: Scoring, family: (Measurement) -> Bool
  ) throws -> [Comparison.Difference] {
    let clusters = candidate.clusters
    var entries: [Entry] = []
    var pairs: [Pair] = []
    let baseParts = base.parts()
    for planned in candidate.parts() where coversSlices || planned.slice == nil {
      guard let match = baseParts.first(where: { $0.slice == planned.slice }) else { continue }
      let (part, other) = (try planned.made(), try match.made())
      var earlier: [Key: (metric: Measurement, frames: FrameRuns)] = [:]
      for group in other.groups() {
        for metric in group.metrics { earlier[Key(metric)] = (metric, group.frames) }
      }
      var positions: [Key: Int] = [:]
      for group in part.groups() {
        let own = clusters.sizes(of: group.frames)
        for metric in group.metrics {
          let match = earlier[Key(metric)]
          let entry = Entry(
            base: match?.metric.suppressed(under: minSliceCount),
            candidate: metric.suppressed(under: minSliceCount),
            sizes: match.map { Self.smaller(own, clusters.sizes(of: $0.frames)) } ?? own,
            isTested: family(metric))
          if entry.canBeTested { positions[Key(metric)] = entries.count }
          entries.append(entry)
        }
      }
      if !positions.isEmpty {
        pairs.append(Pair(base: other, candidate: part, positions: positions))
      }
    }
    let flips = SignFlips(
      clusters: clusters.count, atMost: bootstrap.resamples, seed: bootstrap.seed)
    if bootstrap.resamples > 0, !pairs.isEmpty {
      try resample(pairs, clusters, into: &entries)
      try permute(pairs.filter(\.isWhole), flips, clusters, into: &entries)
    }
    if let common = commonError(base, candidate, flips, family) { entries.append(common) }
    return evaluated(entries, flips)
  }

  /// The error over the faces that both found; nil where either has no landmarks or the schemes differ.
  private func commonError(
    _ base: Scoring, _ candidate: Scoring, _ flips: SignFlips, _ family: (Measurement) -> Bool
  ) -> Entry? {
    let clusters = candidate.clusters
    guard let before = base.landmarks, let after = candidate.landmarks,
      let common = PairedLandmarkError(base: before, candidate: after, clusters: clusters)
    else { return nil }
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

  private struct Key: Hashable {
    var name: String
    var slice: String?

    init(_ metric: Measurement) {
      name = metric.name
      slice = metric.slice
    }
  }

  private struct Pair: Sendable {
    var base: SliceScores
    var candidate: SliceScores
    var positions: [Key: Int]
    var isWhole: Bool { candidate.slice == nil }

    /// Candidate minus base of every metric that is tested; nil where either is undefined.
    func differences() -> [(position: Int, value: Double?)] {
      var values: [Key: Double] = [:]
      for metric in base.groups().flatMap(\.metrics) { values[Key(metric)] = metric.value }
      return candidate.groups().flatMap(\.metrics).compactMap { metric in
        positions[Key(metric)].map { position in
          (
            position,
            metric.value.flatMap { value in
              values[Key(metric)].map { metric.difference(of: value, from: $0) }
            }
          )
        }
      }
    }
  }

  private struct Entry {
    var difference: Comparison.Difference
    let sizes: ClusterSizes
    let isTested: Bool
    var resampled: [Double?] = []
    var permuted: [Double?] = []

    init(base: Measurement?, candidate: Measurement, sizes: ClusterSizes, isTested: Bool) {
      difference = Comparison.Difference(base: base, candidate: candidate)
      self.sizes = sizes
      self.isTested = isTested
    }

    var canBeTested: Bool {
      difference.difference != nil && sizes.count >= ClusterBootstrap.minClusters
        && !MetricCatalog.isExtreme(difference.name) && !Gate.isTime(difference.name)
    }
  }

  private func resample(
    _ pairs: [Pair], _ clusters: FrameClusters, into entries: inout [Entry]
  ) throws(EvaluationError) {
    try draw(.resampling, bootstrap.resamples) { draw in
      let taken = clusters.draw(bootstrap.copies(ofDraw: draw, clusters: clusters.count))
      return pairs.flatMap { pair in
        var copy = pair
        copy.base.draw(taken)
        copy.candidate.draw(taken)
        return copy.differences()
      }
    } keep: { position, value in
      entries[position].resampled.append(value)
    }
  }

  private func permute(
    _ pairs: [Pair], _ flips: SignFlips, _ clusters: FrameClusters, into entries: inout [Entry]
  ) throws(EvaluationError) {
    try draw(.permuting, flips.count) { permutation in
      let swaps = flips.swaps(ofPermutation: permutation)
      return pairs.flatMap { pair in
        var copy = pair
        copy.candidate.swapFrames(with: &copy.base) { frame in
          clusters.cluster(of: frame).map { swaps[$0] } ?? false
        }
        return copy.differences()
      }
    } keep: { position, value in
      entries[position].permuted.append(value)
    }
  }

  private func draw(
    _ phase: RunPhase, _ count: Int,
    _ work: @Sendable (Int) -> [(position: Int, value: Double?)],
    keep: (_ position: Int, _ value: Double?) -> Void
  ) throws(EvaluationError) {
    monitor.begin(phase, count)
    for first in stride(from: 0, to: count, by: 16) {
      try monitor.check("while \(phase.words)")
      let draws = first..<min(first + 16, count)
      for results in bootstrap.results(ofDraws: draws, work) {
        for (position, value) in results { keep(position, value) }
      }
      monitor.advance(by: draws.count)
    }
  }

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
        entries[index].difference.interval = interval(of: difference, entry)
      }
      entries[index].difference.p = flips.p(of: difference, permuted: entry.permuted)
    }
    let evaluated = entries.indices.filter {
      entries[$0].isTested && entries[$0].difference.p != nil
    }
    let adjusted = MultipleTesting.holm(evaluated.compactMap { entries[$0].difference.p })
    for (index, p) in zip(evaluated, adjusted) { entries[index].difference.adjustedP = p }
    for index in entries.indices where entries[index].isTested {
      let entry = entries[index]
      entries[index].difference.outcome = Self.outcome(entry.difference, entry.resampled)
    }
    return entries.map(\.difference)
  }

  private func interval(of difference: Double, _ entry: Entry) -> Interval {
    let values = entry.resampled
    if difference == 0, !values.isEmpty, values.allSatisfy({ $0 == 0 }) {
      let equal = Interval(
        low: 0, high: 0, level: bootstrap.level,
        method: "no difference in any of \(values.count) resamples of \(entry.sizes.count) clusters"
      )
      return entry.sizes.isOfOneClip ? equal.ofThisClip : equal
    }
    return bootstrap.interval(
      of: values.isEmpty ? [nil] : values, about: difference, in: .any, sizes: entry.sizes)
  }

  /// Decisive where the interval excludes 0 and the adjusted p is small enough; nil where undefined, and not
  /// tested without interval or p.
  private static func outcome(
    _ difference: Comparison.Difference, _ resampled: [Double?]
  ) -> Comparison.Outcome? {
    guard let value = difference.difference, difference.better.isDirected else { return nil }
    if value == 0, !resampled.isEmpty, resampled.allSatisfy({ $0 == 0 }) { return .equal }
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
