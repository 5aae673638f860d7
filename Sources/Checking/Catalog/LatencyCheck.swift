internal import FaceCore
internal import Platform
package import Records

/// Times of a tracker that are in another unit than nanoseconds, as `track` found by its own clock.
package enum LatencyCheck: FindingCheck {
  package static let names = ["latency.unit"]

  private static let words: [Double: String] = [
    1e3: "microseconds", 1e6: "milliseconds", 1e9: "seconds",
  ]

  package static func findings(in sample: JoinedSample) -> [Finding] {
    guard let unit = sample.timesUnit, let words = words[unit] else { return [] }
    let totals = sample.frames.compactMap { joined in
      joined.prediction.stageNanoseconds.last.flatMap(\.self).map { Double($0) }
    }
    guard let median = totals.median.map({ $0 / 1e6 }) else { return [] }
    return [
      Finding(
        names[0], .suspect,
        "The tracker's times are \(unit.plainText) times shorter than the answers took, as those in "
          + "\(words) are.",
        statistic: "median of the total in milliseconds", before: median, after: median * unit,
        n: totals.count,
        remedy: "Let the tracker write stages_ns in nanoseconds, and run 'facegauge track' again.")
    ]
  }
}
