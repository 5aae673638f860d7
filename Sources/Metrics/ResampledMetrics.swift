package import Records

/// Metrics of a run that are resampled together, so that they can be compared with those of another run on the same people.
package struct ResampledMetrics: Sendable {
  /// A metric that a base has too.
  package struct Change: Sendable {
    /// The metric, and that of the base.
    package let metric: Measurement, base: Measurement
    /// By how much it differs, over the same draws; of one that is best near a target the distance to it.
    package let difference: ResampledEstimate
  }

  private let bootstrap: ClusterBootstrap
  /// Whoever is resampled, by number, and how many faces each has.
  private let units: [Int], sizes: ClusterSizes
  private let draws: [[Double?]]
  /// The metrics, in the order in which they were added.
  package let measurements: [Measurement]

  /// A metric, of all or of a slice, with its place among the numbers of a draw.
  struct Entry {
    let definition: MetricDefinition
    var slice: String?
    let estimate: ResampledEstimate
    let n: Int
    let place: Int
  }

  /// Joins metrics with the numbers of each draw, where NaN stands for undefined.
  init(
    _ entries: [Entry], _ draws: [[Double]?], units: [Int], sizes: ClusterSizes,
    bootstrap: ClusterBootstrap
  ) {
    (self.units, self.sizes, self.bootstrap) = (units, sizes, bootstrap)
    measurements = entries.map { entry in
      var metric = entry.definition.measurement(
        entry.estimate.value, n: entry.n, else: "it cannot be told from these faces")
      metric.slice = entry.slice
      if metric.value != nil { metric.interval = entry.estimate.interval }
      return metric
    }
    self.draws = entries.map { entry in
      draws.map { draw in draw.flatMap { $0[entry.place].isNaN ? nil : $0[entry.place] } }
    }
  }

  /// The metrics that both have a value of, with their differences.
  package func changes(from base: ResampledMetrics) -> [Change] {
    zip(measurements, draws).compactMap { metric, own in
      guard let value = metric.value,
        let other = base.measurements.firstIndex(where: {
          $0.name == metric.name && $0.slice == metric.slice
        }), let before = base.measurements[other].value
      else { return nil }
      let difference = metric.difference(of: value, from: before)
      let interval: Interval =
        if units == base.units {
          bootstrap.interval(
            of: zip(own, base.draws[other]).map { now, before in
              now.flatMap { now in before.map { metric.difference(of: now, from: $0) } }
            }, about: difference, in: .any, sizes: sizes)
        } else {
          .none("the runs have not the same people, clips or stills")
        }
      return Change(
        metric: metric, base: base.measurements[other],
        difference: ResampledEstimate(value: difference, interval: interval))
    }
  }
}
