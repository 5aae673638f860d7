internal import FaceCore
internal import Metrics
internal import Records

extension SweepMetric {
  /// Families of metrics that follow from sums over frames, and those of the metrics that `all` does not have.
  private static let additive: [(family: any AdditiveFamily.Type, metrics: [MetricDefinition])] = {
    let known = Set(all.map(\.name))
    return MetricCatalog.families.compactMap { type in
      guard let family = type as? any AdditiveFamily.Type,
        type.requirements.isDisjoint(with: .detections)
      else { return nil }
      let metrics = type.definitions.filter {
        !family.metricsOfOrder.contains($0.name)
          && !known.contains(MetricCatalog.alias(of: $0.name) ?? $0.name)
      }
      return (family, metrics)
    }
  }()

  private static func additive(
    named names: Set<String>
  ) -> [(family: any AdditiveFamily.Type, metrics: [MetricDefinition])] {
    additive.map { family, metrics in (family, metrics.filter { names.contains($0.name) }) }
      .filter { !$0.metrics.isEmpty }
  }

  /// The families that some metrics are of, without frames.
  static func families(named names: Set<String>) -> [any AdditiveFamily] {
    additive(named: names).map { $0.family.init(MetricContext(scheme: .mediapipe478)) }
  }

  /// The metrics of families by name, of a tracker that provides so much.
  static func additive(named names: Set<String>, facts: Set<TrackerFact>) -> [SweepMetric] {
    let undefined = MetricCatalog.undefined(without: facts)
    return additive(named: names).enumerated().flatMap { position, source in
      source.metrics.filter { undefined[$0.name] == nil }.map { definition in
        SweepMetric(definition) { tally, _ in
          tally.measurements(ofFamily: position).first { $0.name == definition.name }?.value
        }
      }
    }
  }
}
