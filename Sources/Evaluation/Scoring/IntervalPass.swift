internal import Metrics
internal import Records

/// Gives the metrics of a run and its slices their intervals, by resampling clusters of frames.
struct IntervalPass {
  let bootstrap: ClusterBootstrap
  /// A metric of a slice with a smaller n is suppressed.
  let minSliceCount: Int
  let monitor: RunMonitor

  /// All measurements, those of the whole dataset first, and the gaps between the slices of each property.
  ///
  /// Without `slices` those of the whole dataset alone.
  func results(
    of scoring: Scoring, slices: Bool = true
  ) throws(EvaluationError) -> (measurements: [Measurement], gaps: [SliceGaps.Finding]) {
    var entries: [Entry] = []
    var drawn: [Drawn] = []
    for part in scoring.parts() where slices || part.slice == nil {
      var own = Drawn()
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
      guard !own.positions.isEmpty, bootstrap.resamples > 0 else { continue }
      let positions = own.positions
      own.scores = part.resampled(by: scoring.clusters) { name, slice in
        positions[Key(name: name, slice: slice)]
      }
      drawn.append(own)
    }
    if bootstrap.resamples > 0 {
      try resample(drawn, scoring.clusters, into: &entries)
      for part in drawn { try count(part, scoring.clusters, into: &entries) }
    }
    let measurements = entries.map { $0.measurement(bootstrap) }
    let tested = SliceGapTable.metrics(among: measurements)
    let sliced = zip(measurements, entries).filter {
      SliceGapTable.isTested($0.0, of: tested) && $0.1.isResampled && !$0.1.values.isEmpty
    }
    return (
      measurements,
      SliceGaps.findings(
        sliced.map { SliceGaps.Sliced($0.0, values: $0.1.values, sizes: $0.1.sizes) })
    )
  }

  /// What a reader of the intervals must know.
  func notes(of scoring: Scoring) -> [String] {
    bootstrap.resamples > 0
      ? [ClusterBootstrap.caution(scoring.clusters.sizes)].compactMap { $0 } : []
  }

  private struct Key: Hashable {
    var name: String
    var slice: String?

    init(_ metric: Measurement) { self.init(name: metric.name, slice: metric.slice) }

    init(name: String, slice: String?) {
      self.name = name
      self.slice = slice
    }
  }

  private struct Drawn: Sendable {
    /// Where the measurements that are resampled go.
    var positions: [Key: Int] = [:]
    /// The families that have some of them.
    var scores = ResampledScores()
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
        let copies = bootstrap.copies(ofDraw: draw, clusters: clusters.count)
        let taken = ClusterDraw(copies, of: clusters)
        return parts.flatMap { $0.scores.values(of: taken) }
      }
      for (offset, values) in results.enumerated() {
        for one in values { entries[one.position].values.append(one.value) }
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
    let scores = part.scores.restricted { entries[$0].isCounted }
    monitor.begin(.counting, members.count)
    let wave = 64
    for first in stride(from: 0, to: members.count, by: wave) {
      try monitor.check("while counting")
      let chosen = first..<min(first + wave, members.count)
      let results = bootstrap.results(ofDraws: chosen) { index in
        scores.values(of: ClusterDraw(only: members[index], of: clusters))
      }
      for one in results.joined() where entries[one.position].isCounted {
        if let value = one.value { entries[one.position].counts.add(share: value, of: one.n) }
      }
      monitor.advance(by: chosen.count)
    }
  }
}
