internal import Metrics
internal import Records
internal import Running

/// Gives the metrics of a run and its slices their intervals, by resampling clusters of frames.
struct IntervalPass {
  let bootstrap: ClusterBootstrap
  /// A metric of a slice with a smaller n is suppressed.
  let minSliceCount: Int
  let monitor: RunMonitor

  /// All measurements, those of the whole dataset first, and the gaps between the slices of each property.
  ///
  /// With `names` the measurements of the whole dataset alone, of which those with these names have intervals.
  func results(
    of scoring: Scoring, names: Set<String>? = nil
  ) throws -> (measurements: [Measurement], gaps: [SliceGaps.Finding]) {
    var entries: [Entry] = []
    let parts = scoring.parts().filter { names == nil || $0.slice == nil }
    let clusters = scoring.clusters
    let resampling = ResamplingPass(bootstrap, of: clusters, monitor: monitor)
    if bootstrap.resamples > 0 {
      monitor.begin(.resampling, parts.count * bootstrap.resamples)
    }
    for planned in parts {
      let part = try planned.made()
      var positions: [MeasurementKey: Int] = [:]
      var counted: [Range<Int>] = []
      let errors = part.calibrationErrors
      for group in part.groups() {
        let sizes = group.sizes(in: clusters)
        let ordered = part.intervals(of: group.metrics, in: clusters)
        for (metric, (ordered, sizes)) in zip(group.metrics, zip(ordered, sizes)) {
          let entry = Entry(
            metric.suppressed(under: minSliceCount), sizes: sizes, ordered, errors[metric.name])
          entries.append(entry)
          guard names?.contains(metric.name) ?? true else { continue }
          if entry.isResampled { positions[MeasurementKey(metric)] = entries.count - 1 }
          if entry.isCounted { counted += group.frames.ranges }
        }
      }
      guard !positions.isEmpty, bootstrap.resamples > 0 else { continue }
      let scores = part.resampled(by: clusters) { name, slice in
        positions[MeasurementKey(name: name, slice: slice)]
      }
      for (position, values) in try resampling.drawn([scores])[0] {
        entries[position].values = values
      }
      let members = clusters.clusters(of: FrameRuns(unionOf: counted))
      for family in scores.families
      where family.positions.contains(where: { entries[$0].isCounted }) {
        try monitor.check("while resampling")
        for one in scores.values(of: family, ofEach: members).joined()
        where entries[one.position].isCounted {
          if let value = one.value { entries[one.position].counts.add(share: value, of: one.n) }
        }
      }
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

  private struct Entry {
    let metric: Measurement
    let sizes: ClusterSizes
    /// The interval of a percentile of latency, which is not resampled.
    let ordered: Interval?
    /// The metric, if it is a calibration error.
    let error: ExpectedCalibrationError?
    let range: MetricRange
    var values: [Double?] = []
    var counts = ProportionInterval()

    init(
      _ metric: Measurement, sizes: ClusterSizes, _ ordered: Interval?,
      _ error: ExpectedCalibrationError?
    ) {
      self.metric = metric
      self.sizes = sizes
      self.error = error
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
      let interval = ordered ?? interval(of: value, bootstrap)
      measurement.interval = sizes.isOfOneClip ? interval.ofThisClip : interval
      return measurement
    }

    private func interval(of value: Double, _ bootstrap: ClusterBootstrap) -> Interval {
      if isExtreme { return .none("resampling cannot bound an extreme value") }
      if let share = counts.share, abs(share - value) <= 1e-9 {
        return counts.interval(level: bootstrap.level)
      }
      guard !values.isEmpty || sizes.count < ClusterBootstrap.minClusters else {
        return .none(ClusterBootstrap.noResamples)
      }
      let values = values.isEmpty ? [nil] : values
      return error.map { bootstrap.interval(of: values, about: $0, sizes: sizes) }
        ?? bootstrap.interval(of: values, about: value, in: range, sizes: sizes)
    }
  }
}
