internal import Metrics
internal import Records

/// Gives the metrics of a run and its slices their intervals, by resampling clusters of frames.
struct IntervalPass {
  let bootstrap: ClusterBootstrap
  /// A figure of a slice with a smaller n is suppressed.
  let leastOfSlice: Int
  let monitor: RunMonitor

  /// All measurements: those of the whole dataset, then those of the slices.
  func measurements(of scoring: Scoring) throws(EvaluationError) -> [Measurement] {
    var entries: [Entry] = []
    var drawn: [Drawn] = []
    for part in scoring.parts() {
      var own = Drawn(part: part)
      for group in part.groups() {
        let sizes = scoring.clusters.sizes(of: group.frames)
        for figure in group.figures {
          let entry = Entry(
            figure.suppressed(under: leastOfSlice), sizes: sizes, part.interval(of: figure))
          if entry.isResampled { own.places[Key(figure)] = entries.count }
          if entry.isCounted { own.frames.formUnion(group.frames) }
          entries.append(entry)
        }
      }
      if !own.places.isEmpty { drawn.append(own) }
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

  /// Whether a figure is the largest of a sample, which says nothing of how large it could have been.
  static func isExtreme(_ name: String) -> Bool {
    name.hasSuffix(".max") || name == "tracking.longest_gap_ms"
  }

  private struct Key: Hashable {
    var name: String
    var slice: String?

    init(_ figure: Measurement) {
      name = figure.name
      slice = figure.slice
    }
  }

  private struct Drawn: Sendable {
    let part: ScoredPart
    /// Where the measurements that are resampled go.
    var places: [Key: Int] = [:]
    /// The frames of proportions.
    var frames: Set<Int> = []
  }

  private struct Entry {
    let figure: Measurement
    let sizes: ClusterSizes
    /// The interval of a percentile of latency, which lies between two of its samples.
    let ordered: Interval?
    let range: MetricRange
    var values: [Double?] = []
    var counts = ProportionInterval()

    init(_ figure: Measurement, sizes: ClusterSizes, _ ordered: Interval?) {
      self.figure = figure
      self.sizes = sizes
      self.ordered = figure.value == nil ? nil : ordered
      range = MetricCatalog.definition(of: figure.name)?.range ?? .any
    }

    var isExtreme: Bool { IntervalPass.isExtreme(figure.name) }

    var isResampled: Bool {
      figure.value != nil && sizes.count >= ClusterBootstrap.leastClusters && !isExtreme
        && ordered == nil
    }

    var isCounted: Bool { isResampled && range == .proportion }

    func measurement(_ bootstrap: ClusterBootstrap) -> Measurement {
      guard let value = figure.value else { return figure }
      var measurement = figure
      measurement.interval = ordered ?? interval(of: value, bootstrap)
      return measurement
    }

    private func interval(of value: Double, _ bootstrap: ClusterBootstrap) -> Interval {
      if isExtreme { return .none("resampling says nothing of an extreme value") }
      if let share = counts.share, abs(share - value) <= 1e-9 {
        return counts.interval(level: bootstrap.level)
      }
      return values.isEmpty && sizes.count >= ClusterBootstrap.leastClusters
        ? .none("no resamples were drawn")
        : bootstrap.interval(
          of: values.isEmpty ? [nil] : values, about: value, in: range, sizes: sizes)
    }
  }

  /// Draws after draw, a few side by side, until every figure has its values.
  private func resample(
    _ parts: [Drawn], _ clusters: FrameClusters, into entries: inout [Entry]
  ) throws(EvaluationError) {
    guard !parts.isEmpty else { return }
    monitor.begin("resampling", bootstrap.resamples)
    let wave = 16
    for first in stride(from: 0, to: bootstrap.resamples, by: wave) {
      try monitor.check("while resampling")
      let draws = first..<min(first + wave, bootstrap.resamples)
      let results = bootstrap.results(ofDraws: draws) { draw in
        let taken = clusters.draw(bootstrap.copies(ofDraw: draw, clusters: clusters.count))
        return parts.flatMap { Self.figures(of: $0, in: taken) }
      }
      for (offset, figures) in results.enumerated() {
        for (place, figure) in figures { entries[place].values.append(figure.value) }
        for index in parts.flatMap(\.places.values)
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
    monitor.begin("counting", members.count)
    let wave = 64
    for first in stride(from: 0, to: members.count, by: wave) {
      try monitor.check("while counting")
      let chosen = first..<min(first + wave, members.count)
      let results = bootstrap.results(ofDraws: chosen) { index in
        Self.figures(of: part, in: clusters.draw(only: members[index]))
      }
      for (place, figure) in results.joined() where entries[place].isCounted {
        if let value = figure.value { entries[place].counts.add(share: value, of: figure.n) }
      }
      monitor.advance(by: chosen.count)
    }
  }

  /// The measurements that a part has where only some frames are taken.
  private static func figures(
    of part: Drawn, in taken: FrameDraw
  ) -> [(place: Int, figure: (value: Double?, n: Double))] {
    var copy = part.part
    copy.draw(taken)
    return copy.groups().flatMap(\.figures).compactMap { figure in
      part.places[Key(figure)].map { ($0, (figure.value, Double(figure.n))) }
    }
  }
}
