package import Records

/// The figures that stand for a run: those of each family of which one at least has a value.
package enum Headlines {
  private static let families = [
    [
      "detection.ap", "detection.ap50", "detection.recall@score", "detection.precision@score",
      "detection.fp_per_image@score",
    ],
    [
      "landmarks.found_share", "landmarks.nme.interocular.conditional",
      "landmarks.auc.interocular@0.08",
    ],
    [
      "tracking.tracked_share", "tracking.losses_per_minute", "tracking.detector_rate",
      "jitter.static.interocular", "lag.ms",
    ],
    ["latency.total.p50", "latency.total.p99"],
    [
      "budget.miss_rate", "budget.headroom", "throughput.frames_per_second",
      "startup.first_frame",
    ],
  ]

  /// The figures over all frames, in reading order.
  package static func figures(of record: Record) -> [Measurement] {
    families.flatMap { names -> [Measurement] in
      let known = names.compactMap { record.measurement($0) }
      return known.contains { $0.value != nil } ? known : []
    }
  }
}
