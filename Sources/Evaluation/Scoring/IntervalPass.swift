internal import Metrics
internal import Records

/// Gives the metrics of a run and its slices their intervals, by resampling clusters of frames.
struct IntervalPass {
  let bootstrap: ClusterBootstrap
  /// A metric of a slice with a smaller n is suppressed.
  let minSliceCount: Int
  let monitor: RunMonitor

  /// All measurements: those of the whole dataset, then those of the slices.
  func measurements(of scoring: Scoring) throws(EvaluationError) -> [Measurement] {
    var entries: [Entry] = []
    var drawn: [Drawn] = []
    for part in scoring.parts() {
      var own = Drawn(part: part)
      for group in part.groups() {
        let sizes = scoring.clusters.sizes(of: group.frames)
        for metric in group.metrics {
          let entry = Entry(
            metric.suppressed(under: minSliceCount), sizes: sizes, part.interval(of: metric))
          if entry.isResampled { own.positions[Key(metric)] = entries.count }
          if entry.isCounted { own.frames.formUnion(group.frames) }
          entries.append(entry)
        }
      }
      if !own.positions.isEmpty { drawn.append(own) }
    }
    if bootstrap.resamples > 0 {
      try resample(drawn, scoring.clusters, into: &entries)
      for part in drawn { try count(part, scoring.clusters, into: &entries) }
    }
    return entries.map { $0.measurement(bootstrap) }
  }

  /// What a reader of the intervals must know.
  func notes(of scoring: Scoring) -> [String] {
    bootstrap.resamples > 0
      ? [ClusterBootstrap.caution(scoring.clusters.sizes)].compactMap { $0 } : []
  }

  private struct Key: Hashable {
    var name: String
    var slice: String?

    init(_ metric: Measurement) {
      name = metric.name
      slice = metric.slice
    }
  }

  private struct Drawn: Sendable {
    let part: SliceScores
    /// Where the measurements that are resampled go.
    var positions: [Key: Int] = [:]
    /// The frames of proportions.
    var frames: Set<Int> = []
  }

  private struct Entry {
    let metric: Measurement
    let sizes: ClusterSizes
    /// The interval of a percentile of latency, which lies between two of its samples.
    let ordered: Interval?
    let range: MetricRange
    var values: [Double?] = []
    var counts = ProportionInterval()

    init(_ metric: Measurement, sizes: ClusterSizes, _ ordered: Interval?) {
      self.metric = metric
      self.sizes = sizes
      self.ordered = metric.value == nil ? nil : ordered
      range = MetricCatalog.definition(of: metric.name)?.range ?? .any
    }

    var isExtreme: Bool { MetricCatalog.isExtreme(metric.name) }

    var isResampled: Bool {
      metric.value != nil && sizes.count >= ClusterBootstrap.minClusters && !isExtreme
        && ordered == nil
    }

    var isCounted: Bool { isResampled && range == .proportion }

    func measurement(_ bootstrap: ClusterBootstrap) -> Measurement {
      guard let value = metric.value else { return metric }
      var measurement = metric
      measurement.interval = ordered ?? interval(of: value, bootstrap)
      return measurement
    }

    private func interval(of value: Double, _ bootstrap: ClusterBootstrap) -> Interval {
      if isExtreme { return .none("resampling cannot bound an extreme value") }
      if let share = counts.share, abs(share - value) <= 1e-9 {
        return counts.interval(level: bootstrap.level)
      }
      return values.isEmpty && sizes.count >= ClusterBootstrap.minClusters
        ? .none("no resamples were drawn")
        : bootstrap.interval(
          of: values.isEmpty ? [nil] : values, about: value, in: range, sizes: sizes)
    }
  }

  /// Draws after draw, a few side by side, until every metric has its values.
  private func resample(
    _ parts: [Drawn], _ clusters: FrameClusters, into entries: inout [Entry]
  ) throws(EvaluationError) {
    guard !parts.isEmpty else { return }
    monitor.begin(.resampling, bootstrap.resamples)
    let wave = 16
    for first in stride(from: 0, to: bootstrap.resamples, by: wave) {
      try monitor.check("while resampling")
      let draws = first..<min(first + wave, bootstrap.resamples)
      let results = bootstrap.results(ofDraws: draws) { draw in
        let taken = clusters.draw(bootstrap.copies(ofDraw: draw, clusters: clusters.count))
        return parts.flatMap { Self.metrics(of: $0, in: taken) }
      }
      for (offset, metrics) in results.enumerated() {
        for (position, metric) in metrics { entries[position].values.append(metric.value) }
        for index in parts.flatMap(\.positions.values)
        where entries[index].values.count <= first + offset {
          entries[index].values.append(nil)
        }
      }
      monitor.advance(by: draws.count)
    }
  }

  /// Measures the proportions of a part on each cluster alone.
  private func count(
    _ part: Drawn, _ clusters: FrameClusters, into entries: inout [Entry]
  ) throws(EvaluationError) {
    let members = clusters.clusters(of: part.frames)
    guard !members.isEmpty else { return }
    monitor.begin(.counting, members.count)
    let wave = 64
    for first in stride(from: 0, to: members.count, by: wave) {
      try monitor.check("while counting")
      let chosen = first..<min(first + wave, members.count)
      let results = bootstrap.results(ofDraws: chosen) { index in
        Self.metrics(of: part, in: clusters.draw(only: members[index]))
      }
      for (position, metric) in results.joined() where entries[position].isCounted {
        if let value = metric.value { entries[position].counts.add(share: value, of: metric.n) }
      }
      monitor.advance(by: chosen.count)
    }
  }

  /// The measurements that a part has where only some frames are taken.
  private static func metrics(
    of part: Drawn, in taken: FrameDraw
  ) -> [(position: Int, metric: (value: Double?, n: Double))] {
    var copy = part.part
    copy.draw(taken)
    return copy.groups().flatMap(\.metrics).compactMap { metric in
      part.positions[Key(metric)].map { ($0, (metric.value, Double(metric.n))) }
    }
  }
}
