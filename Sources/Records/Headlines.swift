/// The metrics that stand for a run: of what its dataset labels, those that have values.
package enum Headlines {
  /// Metrics that are shown together, in reading order.
  private struct Family {
    /// The lists to choose from; the first with a value is shown whole.
    var choices: [[String]]
    /// Whether a comparison of two runs tests these.
    var isCompared = true
  }

  private static let normalizers = ["interocular", "interpupil", "box", "diagonal"]

  private static let families = [
    Family(choices: [
      ["detection.wider.easy", "detection.wider.medium", "detection.wider.hard"],
      ["detection.ap", "detection.ap50"],
    ]),
    Family(choices: [
      ["detection.recall@score", "detection.precision@score"],
      ["faces.recall", "faces.precision"],
    ]),
    Family(choices: [["detection.fp_per_image@score"]], isCompared: false),
    Family(choices: [["tracking.mota", "tracking.idf1", "tracking.id_switches"]]),
    Family(choices: [["tracking.success_auc", "tracking.precision@20px"]]),
    Family(choices: [["landmarks.found_share"]], isCompared: false),
    Family(
      choices: normalizers.map { ["landmarks.nme.\($0).conditional", "landmarks.auc.\($0)@0.08"] }),
    Family(choices: [["landmarks.visibility.precision", "landmarks.visibility.recall"]]),
    Family(choices: [["blendshapes.mae.conditional", "blendshapes.ccc.conditional"]]),
    Family(choices: [["pose.geodesic.conditional"]]),
    Family(choices: [["tracking.tracked_share", "tracking.losses_per_minute"]]),
    Family(choices: [["tracking.detector_rate"]], isCompared: false),
    Family(choices: [["jitter.nmj"], ["jitter.static.interocular"]]),
    Family(choices: [["lag.ms"]]),
    Family(choices: [["similarity.auroc", "similarity.eer"]]),
    Family(choices: [["drawing.error.mean", "drawing.length_ratio"]]),
    Family(choices: [["latency.total.p50", "latency.total.p99"]], isCompared: false),
    Family(
      choices: [
        [
          "budget.miss_rate", "budget.headroom", "throughput.frames_per_second",
          "startup.first_frame",
        ]
      ], isCompared: false),
  ]

  /// The measurements of a record over all frames, in reading order; those of a list without a value give why.
  package static func figures(of record: Record) -> [Measurement] {
    let whole = record.measurements.filter { $0.slice == nil }
    let names = names(among: whole, families)
    return names.compactMap { name in whole.first { $0.name == name } }
  }

  /// The metrics that two runs are compared by, where nobody names others: what either has a value of.
  package static func compared(among measurements: [Measurement]) -> [String] {
    names(among: measurements.filter { $0.slice == nil }, families.filter(\.isCompared))
  }

  private static func names(among measurements: [Measurement], _ families: [Family]) -> [String] {
    let defined = Set(measurements.filter { $0.value != nil }.map(\.name))
    let chosen = families.flatMap { family in
      family.choices.first { $0.contains(where: defined.contains) } ?? []
    }
    var expressions: [String] = []
    for measurement in measurements where !expressions.contains(measurement.name) {
      if measurement.name.hasPrefix("expressions."), measurement.name.hasSuffix(".f1"),
        measurement.value != nil
      {
        expressions.append(measurement.name)
      }
    }
    let place = chosen.firstIndex { $0.hasPrefix("pose.") || $0.hasPrefix("tracking.tracked") }
    return Array(chosen[..<(place ?? chosen.endIndex)]) + expressions
      + Array(chosen[(place ?? chosen.endIndex)...])
  }
}

extension Measurement {
  /// Both ends of the interval, such as `0.93 to 0.97`; nil without one.
  package var intervalText: String? {
    guard let low = interval.low, let high = interval.high else { return nil }
    func text(_ end: Double) -> String {
      guard unit == "1" else { return end.text(decimals: 2) }
      return end != 0 && end.magnitude < 0.01
        ? end.text(significantDigits: 3) : end.text(decimals: 3)
    }
    return "\(text(low)) to \(text(high))"
  }
}
