internal import Metrics
internal import Records

/// Metrics of one family.
struct MeasurementGroup {
  var metrics: [Measurement]
  /// The frames that count.
  var frames: FrameRuns
  /// The family, which knows metrics that rest on fewer; nil where none has a value.
  var family: (any MetricFamily)?

  /// How many clusters each of the metrics rests on.
  func sizes(in clusters: FrameClusters) -> [ClusterSizes] {
    let all = clusters.sizes(of: frames)
    let own = (family?.ownFrames ?? []).map { one in
      (metrics: one.metrics, sizes: clusters.sizes(of: one.frames))
    }
    return metrics.map { metric in
      own.first { $0.metrics.contains(metric.name) }?.sizes ?? all
    }
  }

  /// The same, without values where there is a reason.
  func undefined(because reason: String?) -> MeasurementGroup {
    guard let reason else { return self }
    return MeasurementGroup(metrics: metrics.map { $0.undefined(reason) }, frames: [])
  }
}

extension Measurement {
  /// The same metric without a value.
  func undefined(_ reason: String) -> Measurement {
    var measurement = self
    measurement.value = nil
    measurement.reason = reason
    measurement.needs = nil
    measurement.interval = .none("the metric is undefined")
    return measurement
  }

  /// The same metric, without a value where it is of a slice and its n is too small.
  func suppressed(under minimum: Int) -> Measurement {
    guard dimensionSlice != nil, value != nil, n < minimum else { return self }
    return undefined("suppressed: n is \(n), below the minimum of \(minimum)")
  }
}
