/// What a metric is about, by the group that its name begins with.
package enum MetricTopic: Sendable {
  /// How near the output is to the labels.
  case accuracy
  /// How still the output is on a still face, and how late.
  case steadiness
  /// A time by the machine's clock, or made of such times.
  case time
  /// Operations and memory.
  case work

  /// The topic of the metric with a name.
  package init(ofMetric name: String) {
    switch name.prefix(while: { $0 != "." }) {
    case "latency", "startup", "throughput", "budget", "profiler": self = .time
    case "cost": self = .work
    case "jitter", "lag": self = .steadiness
    default: self = .accuracy
    }
  }
}
