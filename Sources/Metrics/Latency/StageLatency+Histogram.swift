import Foundation
package import Records

extension StageLatency {
  /// Counts of a stage's samples in milliseconds (`latency.<stage>`), percentiles marked.
  ///
  /// Equal bins, 1, 2 or 5 times a power of ten nanoseconds wide: Freedman and Diaconis' rule within
  /// 8 to 120 bins. Nil where the stage has no sample; a percentile that is undefined has no mark.
  /// That of one population is named `latency.<stage>@<population>`.
  package func histogram(stage: String, population: Population? = nil) -> Series? {
    let sorted = sortedNanoseconds(stage: stage, population: population)
    guard let low = sorted.first, let high = sorted.last else { return nil }
    let width = Self.binWidth(of: sorted)
    let first = low / width
    var counts = Array(repeating: 0, count: Int(high / width - first) + 1)
    for sample in sorted { counts[Int(sample / width - first)] += 1 }
    let marks = Self.percents.compactMap { percent -> Series.Mark? in
      guard sorted.count >= NearestRank.samplesNeeded(forPercentile: percent),
        let value = NearestRank.percentile(percent, ofSorted: sorted)
      else { return nil }
      return Series.Mark(label: "p\(percent)", x: Self.milliseconds(value), y: 0)
    }
    return Series(
      name: "latency.\(stage)" + (population.map { "@\($0.rawValue)" } ?? ""),
      title: "Latency of stage \(stage)" + (population.map { ", \($0.words)" } ?? ""),
      content: .histogram(
        Series.Histogram(
          xLabel: "latency (ms)",
          edges: (0...counts.count).map { Double(first + Int64($0)) * Double(width) / 1e6 },
          groups: ["frames"], counts: [counts], marks: marks)))
  }

  /// In nanoseconds, never 0.
  private static func binWidth(of sorted: [Int64]) -> Int64 {
    let low = sorted[0]
    let high = sorted[sorted.count - 1]
    let range = Double(high - low)
    let lowerQuartile = sorted[(sorted.count - 1) / 4]
    let upperQuartile = sorted[(sorted.count - 1) * 3 / 4]
    let ideal = 2 * Double(upperQuartile - lowerQuartile) / cbrt(Double(sorted.count))
    let wanted = range > 0 ? min(max(ideal, range / 120), range / 8) : Double(high) / 20
    var decade: Int64 = 1
    while true {
      for width in [decade, 2 * decade, 5 * decade] where Double(width) >= wanted { return width }
      decade *= 10
    }
  }
}
