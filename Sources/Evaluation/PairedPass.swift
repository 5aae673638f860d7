internal import Metrics
internal import Records

/// Compares the figures of two scorings of the same frames: difference, interval, p.
struct PairedPass {
  let bootstrap: ClusterBootstrap
  let leastOfSlice: Int
  let monitor: RunMonitor

  /// The largest adjusted p of a decisive difference.
  static let significance = 0.05

  /// Every figure of the candidate beside the base's; `family` names those that are judged together.
  func differences(
    base: Scoring, candidate: Scoring, family: (Measurement) -> Bool
  ) throws(EvaluationError) -> [Comparison.Difference] {
    let clusters = candidate.clusters
    var entries: [Entry] = []
    var pairs: [Pair] = []
    let baseParts = base.parts()
    for part in candidate.parts() {
      guard let other = baseParts.first(where: { $0.slice == part.slice }) else { continue }
      var earlier: [Key: (figure: Measurement, frames: [Int])] = [:]
      for group in other.groups() {
        for figure in group.figures { earlier[Key(figure)] = (figure, group.frames) }
      }
      var places: [Key: Int] = [:]
      for group in part.groups() {
        let own = clusters.sizes(of: group.frames)
        for figure in group.figures {
          let match = earlier[Key(figure)]
          let entry = Entry(
            base: match?.figure.suppressed(under: leastOfSlice),
            candidate: figure.suppressed(under: leastOfSlice),
            sizes: match.map { Self.smaller(own, clusters.sizes(of: $0.frames)) } ?? own,
            isJudged: family(figure))
          if entry.canBeTested { places[Key(figure)] = entries.count }
          entries.append(entry)
        }
      }
      if !places.isEmpty { pairs.append(Pair(base: other, candidate: part, places: places)) }
    }
    let flips = SignFlips(
      clusters: clusters.count, atMost: bootstrap.resamples, seed: bootstrap.seed)
    if bootstrap.resamples > 0, !pairs.isEmpty {
      try resample(pairs, clusters, into: &entries)
      try permute(pairs.filter(\.isWhole), flips, clusters, into: &entries)
    }
    return judged(entries, flips)
  }

  /// The sizes that are worth fewer clusters, which are those of the figure that says less; of none the others.
  private static func smaller(_ first: ClusterSizes, _ second: ClusterSizes) -> ClusterSizes {
    if first.count == 0 || second.count == 0 { return first.count == 0 ? second : first }
    return second.effective < first.effective ? second : first
  }

  private struct Key: Hashable {
    var name: String
    var slice: String?

    init(_ figure: Measurement) {
      name = figure.name
      slice = figure.slice
    }
  }

  private struct Pair: Sendable {
    var base: ScoredPart
    var candidate: ScoredPart
    var places: [Key: Int]
    var isWhole: Bool { candidate.slice == nil }

    /// Candidate minus base of every figure that is tested; nil where either is undefined.
    func differences() -> [(place: Int, value: Double?)] {
      var values: [Key: Double] = [:]
      for figure in base.groups().flatMap(\.figures) { values[Key(figure)] = figure.value }
      return candidate.groups().flatMap(\.figures).compactMap { figure in
        places[Key(figure)].map { place in
          (
            place,
            figure.value.flatMap { value in
              values[Key(figure)].map { figure.difference(of: value, from: $0) }
            }
          )
        }
      }
    }
  }

  private struct Entry {
    var difference: Comparison.Difference
    let sizes: ClusterSizes
    let isJudged: Bool
    var resampled: [Double?] = []
    var permuted: [Double?] = []

    init(base: Measurement?, candidate: Measurement, sizes: ClusterSizes, isJudged: Bool) {
      difference = Comparison.Difference(base: base, candidate: candidate)
      self.sizes = sizes
      self.isJudged = isJudged
    }

    var canBeTested: Bool {
      difference.difference != nil && sizes.count >= ClusterBootstrap.leastClusters
        && !IntervalPass.isExtreme(difference.name) && !Gate.isTime(difference.name)
    }
  }

  private func resample(
    _ pairs: [Pair], _ clusters: FrameClusters, into entries: inout [Entry]
  ) throws(EvaluationError) {
    try draw("resampling", bootstrap.resamples) { draw in
      let taken = clusters.draw(bootstrap.copies(ofDraw: draw, clusters: clusters.count))
      return pairs.flatMap { pair in
        var copy = pair
        copy.base.draw(taken)
        copy.candidate.draw(taken)
        return copy.differences()
      }
    } keep: { place, value in
      entries[place].resampled.append(value)
    }
  }

  private func permute(
    _ pairs: [Pair], _ flips: SignFlips, _ clusters: FrameClusters, into entries: inout [Entry]
  ) throws(EvaluationError) {
    try draw("permuting", flips.count) { permutation in
      let swaps = flips.swaps(ofPermutation: permutation)
      return pairs.flatMap { pair in
        var copy = pair
        copy.candidate.exchange(with: &copy.base) { frame in
          clusters.cluster(of: frame).map { swaps[$0] } ?? false
        }
        return copy.differences()
      }
    } keep: { place, value in
      entries[place].permuted.append(value)
    }
  }

  private func draw(
    _ phase: String, _ count: Int,
    _ work: @Sendable (Int) -> [(place: Int, value: Double?)],
    keep: (_ place: Int, _ value: Double?) -> Void
  ) throws(EvaluationError) {
    monitor.begin(phase, count)
    for first in stride(from: 0, to: count, by: 16) {
      try monitor.check("while \(phase)")
      let draws = first..<min(first + 16, count)
      for results in bootstrap.results(ofDraws: draws, work) {
        for (place, value) in results { keep(place, value) }
      }
      monitor.advance(by: draws.count)
    }
  }

  private func judged(_ entries: [Entry], _ flips: SignFlips) -> [Comparison.Difference] {
    var entries = entries
    for index in entries.indices {
      guard let difference = entries[index].difference.difference else { continue }
      let entry = entries[index]
      if IntervalPass.isExtreme(entry.difference.name) {
        entries[index].difference.interval = .none("resampling says nothing of an extreme value")
      } else if Gate.isTime(entry.difference.name) {
        entries[index].difference.interval = .none(Gate.timesOfTwoRuns)
        continue
      } else {
        entries[index].difference.interval = interval(of: difference, entry)
      }
      entries[index].difference.p = flips.p(of: difference, permuted: entry.permuted)
    }
    let judged = entries.indices.filter {
      entries[$0].isJudged && entries[$0].difference.p != nil
    }
    let adjusted = SignFlips.holm(judged.compactMap { entries[$0].difference.p })
    for (index, p) in zip(judged, adjusted) { entries[index].difference.adjustedP = p }
    for index in entries.indices where entries[index].isJudged {
      let entry = entries[index]
      entries[index].difference.outcome = Self.outcome(entry.difference, entry.resampled)
    }
    return entries.map(\.difference)
  }

  private func interval(of difference: Double, _ entry: Entry) -> Interval {
    let values = entry.resampled
    if difference == 0, !values.isEmpty, values.allSatisfy({ $0 == 0 }) {
      return Interval(
        low: 0, high: 0, level: bootstrap.level,
        method: "no difference in any of \(values.count) resamples of \(entry.sizes.count) clusters"
      )
    }
    return bootstrap.interval(
      of: values.isEmpty ? [nil] : values, about: difference, in: .any, sizes: entry.sizes)
  }

  /// Decisive where the interval excludes 0 and the adjusted p is small enough; nil where undefined, and not
  /// tested without interval or p.
  private static func outcome(
    _ difference: Comparison.Difference, _ resampled: [Double?]
  ) -> Comparison.Outcome? {
    guard let value = difference.difference, difference.better.judges else { return nil }
    if value == 0, !resampled.isEmpty, resampled.allSatisfy({ $0 == 0 }) { return .equal }
    guard let low = difference.interval.low, let high = difference.interval.high,
      let p = difference.adjustedP
    else { return .notTested }
    guard p <= significance, low > 0 || high < 0 else { return .notDecisive }
    return (value > 0) == (difference.better == .higher) ? .better : .worse
  }
}
