internal import Metrics
internal import Records

/// Gives the figures of a run and its slices their intervals, by resampling clusters of frames.
struct IntervalPass {
  let bootstrap: ClusterBootstrap
  /// A figure of a slice with a smaller n is suppressed.
  let leastOfSlice: Int
  let monitor: RunMonitor

  /// All figures: those of the whole dataset, then those of the slices.
  func measurements(of scoring: Scoring) throws(EvaluationError) -> [Measurement] {
    var entries: [Entry] = []
    var drawn: [(part: ScoredPart, places: [Key: Int])] = []
    for part in scoring.parts() {
      var places: [Key: Int] = [:]
      for group in part.groups() {
        let clusters = scoring.clusters.count(of: group.frames)
        for figure in group.figures {
          let entry = Entry(figure.suppressed(under: leastOfSlice), clusters: clusters)
          if entry.canHaveInterval { places[Key(figure)] = entries.count }
          entries.append(entry)
        }
      }
      if !places.isEmpty { drawn.append((part, places)) }
    }
    try resample(drawn, scoring.clusters, into: &entries)
    return entries.map { entry in
      var figure = entry.measurement(bootstrap)
      if let interval = scoring.interval(of: figure) { figure.interval = interval }
      return figure
    }
  }

  /// Whether a figure is the largest of a sample, which says nothing of how large it could have been.
  static func isExtreme(_ name: String) -> Bool {
    name.hasSuffix(".max") || name == "tracking.longest_gap_ms"
  }

  /// Whether a figure is a percentile of a latency, whose interval lies between two of its samples.
  private static func isLatencyPercentile(_ name: String) -> Bool {
    name.hasPrefix("latency.") && Gate.percentile(of: name) != nil
  }

  private struct Key: Hashable {
    var name: String
    var slice: String?

    init(_ figure: Measurement) {
      name = figure.name
      slice = figure.slice
    }
  }

  private struct Entry {
    var figure: Measurement
    let clusters: Int
    var values: [Double?] = []

    init(_ figure: Measurement, clusters: Int) {
      self.figure = figure
      self.clusters = clusters
    }

    var isExtreme: Bool { IntervalPass.isExtreme(figure.name) }

    var canHaveInterval: Bool {
      figure.value != nil && clusters >= ClusterBootstrap.leastClusters && !isExtreme
        && !IntervalPass.isLatencyPercentile(figure.name)
    }

    func measurement(_ bootstrap: ClusterBootstrap) -> Measurement {
      guard figure.value != nil else { return figure }
      var measurement = figure
      measurement.interval =
        isExtreme
        ? .none("resampling says nothing of an extreme value")
        : values.isEmpty && clusters >= ClusterBootstrap.leastClusters
          ? .none("no resamples were drawn")
          : bootstrap.interval(of: values.isEmpty ? [nil] : values, clusters: clusters)
      return measurement
    }
  }

  /// Draws after draw, a few side by side, until every figure has its values.
  private func resample(
    _ parts: [(part: ScoredPart, places: [Key: Int])], _ clusters: FrameClusters,
    into entries: inout [Entry]
  ) throws(EvaluationError) {
    guard !parts.isEmpty, bootstrap.resamples > 0 else { return }
    monitor.begin("resampling", bootstrap.resamples)
    let wave = 16
    for first in stride(from: 0, to: bootstrap.resamples, by: wave) {
      try monitor.check("while resampling")
      let draws = first..<min(first + wave, bootstrap.resamples)
      let results = bootstrap.results(ofDraws: draws) { draw in
        let taken = clusters.draw(bootstrap.copies(ofDraw: draw, clusters: clusters.count))
        var values: [(Int, Double?)] = []
        for (part, places) in parts {
          var copy = part
          copy.draw(taken)
          for figure in copy.groups().flatMap(\.figures) {
            if let place = places[Key(figure)] { values.append((place, figure.value)) }
          }
        }
        return values
      }
      for (offset, values) in results.enumerated() {
        for (place, value) in values { entries[place].values.append(value) }
        for index in parts.flatMap(\.places.values)
        where entries[index].values.count <= first + offset {
          entries[index].values.append(nil)
        }
      }
      monitor.advance(by: draws.count)
    }
  }
}
