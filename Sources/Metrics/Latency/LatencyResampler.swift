internal import FaceCore
internal import Platform
internal import Records

/// The metrics for draws of clusters, from samples that are sorted once; those of one stage are in memory at a time.
struct LatencyResampler: FamilyResampler {
  private let latency: StageLatency
  private let clusters: FrameClusters
  private let isOfTotal: Bool
  /// Of each stage, made once for all draws.
  private let definitions: [String: [MetricDefinition]]

  init(_ latency: StageLatency, of clusters: FrameClusters, isSlice: Bool) {
    self.latency = latency
    self.clusters = clusters
    isOfTotal = isSlice && latency.stages.contains(StageLatency.total)
    definitions = Dictionary(
      latency.stages.map { ($0, latency.definitions(ofStage: $0)) }, uniquingKeysWith: { $1 })
  }

  func measurements(of draw: ClusterDraw) -> [Measurement] { batches(of: [draw])[0]()[0] }

  func batches(of draws: [ClusterDraw]) -> [@Sendable () -> [[Measurement]]] {
    var orders = [[TimeOrder.Key: TimeOrder]](repeating: [:], count: draws.count)
    for (stage, table) in zip(latency.stages, latency.samples)
    where !isOfTotal || stage == StageLatency.total {
      let populations = FramePopulation.allCases.filter { population in
        !isOfTotal && table.entries.contains { $0.population != population }
      }
      for population in [nil] + populations.map(Optional.some) {
        let times = ClusterTimes(
          table.times(of: population, in: clusters).map { ($0.nanoseconds, Int32($0.cluster)) })
        let own = draws.concurrentMap { times.order($0.copies) }
        for (draw, order) in own.enumerated() {
          orders[draw][TimeOrder.Key(stage: stage, population: population)] = order
        }
      }
      // All samples are of a population that has none of its own.
      for population in FramePopulation.allCases where !populations.contains(population) {
        for draw in orders.indices {
          orders[draw][TimeOrder.Key(stage: stage, population: population)] =
            orders[draw][TimeOrder.Key(stage: stage, population: nil)]
        }
      }
    }
    return orders.map { orders in { [measurements(of: orders)] } }
  }

  private func measurements(of orders: [TimeOrder.Key: TimeOrder]) -> [Measurement] {
    func order(_ stage: String, _ population: FramePopulation?) -> TimeOrder {
      orders[TimeOrder.Key(stage: stage, population: population)] ?? TimeOrder(sorted: [])
    }
    return isOfTotal
      ? latency.metrics(
        of: order(StageLatency.total, nil), by: definitions[StageLatency.total] ?? [])
      : latency.measurements(by: definitions, order)
  }
}

extension FrameTable<StageLatency.Sample> {
  /// The times of a population, or of all, in the order of their frames, each with its cluster.
  func times(
    of population: FramePopulation?, in clusters: FrameClusters
  ) -> [(nanoseconds: Int64, cluster: Int)] {
    var times: [(nanoseconds: Int64, cluster: Int)] = []
    times.reserveCapacity(count)
    for (frame, sample) in keyed where population == nil || sample.population == population {
      guard let cluster = clusters.cluster(of: frame) else { continue }
      times.append((sample.nanoseconds, cluster))
    }
    return times
  }
}
