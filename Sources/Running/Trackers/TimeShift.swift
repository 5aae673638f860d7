internal import Foundation
internal import Statistics

/// A lasting change of the time that a tracker takes for a frame, such as a slow start or what heat does.
///
/// The run is cut into windows of 1 s, of which each has the median of its frames, and shifts of these medians are searched
/// as `MedianShift` does. Where what is left of neighbouring windows is correlated (.2 or more), the windows become longer, up
/// to 10 s, for the test takes them as independent. A change of less than 5 % is not reported.
package struct TimeShift: Sendable, Hashable {
  /// When it came, in seconds after the first answer.
  package let seconds: Double
  /// The 95 % interval of `seconds`: the window that it is in, and where else it could be, by resampling what is left.
  package let interval: ClosedRange<Double>
  /// Median of the windows since the shift before, in nanoseconds.
  package let before: Double
  /// Median of the windows until the next shift.
  package let after: Double

  /// How many times as long a frame takes.
  package var ratio: Double { after / before }

  /// What a reader is told of it, times in milliseconds.
  package var text: String {
    String(
      format: "a frame took %.2f times as long from %.0f s on (95 %% interval %.0f to %.0f s): "
        + "%.3f ms before, %.3f ms after", ratio, seconds, max(interval.lowerBound, 0),
      interval.upperBound, before / 1e6, after / 1e6)
  }

  /// The least ratio that is reported, either way.
  static let minRatio = 1.05
  private static let widths: [Double] = [1, 2, 5, 10]
  private static let minWindows = 4 * MedianShift.minSegment
  private static let maxWindows = 600.0
  private static let maxCorrelation = 0.2
  private static let draws = 400

  /// The changes of a run in their order, from when each answer came and how long its frame took, in nanoseconds.
  package static func all(answers: [UInt64], nanoseconds: [UInt64]) -> [TimeShift] {
    guard let first = answers.first, let last = answers.last, last > first else { return [] }
    let seconds = Double(last - first) / 1e9
    let unit = max(1, seconds / maxWindows)
    var found: [TimeShift] = []
    for width in widths.map({ $0 * unit }) {
      let windows = windows(answers, nanoseconds, width)
      guard windows.count >= minWindows else { break }
      let medians = windows.map(\.median)
      let segments = segments(of: medians)
      let levels = segments.map { level(of: medians[$0]) }
      let rest = zip(segments, levels).flatMap { segment, level in
        medians[segment].map { $0 - level }
      }
      found = segments.indices.dropFirst().map { next in
        let (left, right) = (segments[next - 1], segments[next])
        let places = places(left, right, levels[next - 1], levels[next], rest)
        return TimeShift(
          seconds: windows[right.lowerBound].start,
          interval: windows[places.lowerBound].start - width...windows[places.upperBound].start
            + width, before: levels[next - 1], after: levels[next])
      }
      if correlation(of: rest) < maxCorrelation { break }
    }
    // A tracker may say that it takes no time.
    return found.filter { $0.before > 0 && $0.after > 0 }
  }

  /// The stretches between shifts of `minRatio` or more; a smaller shift joins its sides, the smallest first.
  private static func segments(of medians: [Double]) -> [Range<Int>] {
    var edges = [0] + MedianShift.all(in: medians).map(\.index) + [medians.count]
    while true {
      let segments = zip(edges, edges.dropFirst()).map { $0..<$1 }
      let levels = segments.map { level(of: medians[$0]) }
      let ratios = zip(levels, levels.dropFirst()).map { max($0 / $1, $1 / $0) }
      guard let least = ratios.indices.min(by: { ratios[$0] < ratios[$1] }),
        ratios[least] < minRatio
      else { return segments }
      edges.remove(at: least + 1)
    }
  }

  private static func level(of values: ArraySlice<Double>) -> Double {
    values.sorted().quantileOfSorted(0.5)
  }

  /// The median of each window that has answers, and when it begins in seconds.
  private static func windows(
    _ answers: [UInt64], _ nanoseconds: [UInt64], _ width: Double
  ) -> [(start: Double, median: Double)] {
    var windows: [(start: Double, median: Double)] = []
    var values: [Double] = []
    var number = 0
    func end() {
      guard !values.isEmpty else { return }
      windows.append((Double(number) * width, values.sorted().quantileOfSorted(0.5)))
      values = []
    }
    for (answer, time) in zip(answers, nanoseconds) {
      let next = Int(Double(answer - answers[0]) / 1e9 / width)
      if next != number { end() }
      number = next
      values.append(Double(time))
    }
    end()
    return windows
  }

  /// Correlation of each value with the next.
  private static func correlation(of values: [Double]) -> Double {
    let mean = values.reduce(0, +) / Double(max(values.count, 1))
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let products = zip(values, values.dropFirst()).reduce(0) { $0 + ($1.0 - mean) * ($1.1 - mean) }
    return variance > 0 ? products / variance : 0
  }

  /// The middle 95 % of the places of a shift between two stretches, what is left of their windows drawn anew.
  private static func places(
    _ left: Range<Int>, _ right: Range<Int>, _ before: Double, _ after: Double, _ rest: [Double]
  ) -> ClosedRange<Int> {
    var generator = SplitMix64(seed: 1)
    var places = (0..<draws).map { _ -> Int in
      // The cost of a split less that of one at the start: each value moves from one level to the other.
      var (cost, least, place) = (0.0, Double.infinity, right.lowerBound)
      for index in left.lowerBound..<right.upperBound {
        if index > left.lowerBound, cost < least { (least, place) = (cost, index) }
        let (source, level) = left.contains(index) ? (left, before) : (right, after)
        let value = level + rest[Int.random(in: source, using: &generator)]
        cost += abs(value - before) - abs(value - after)
      }
      return place
    }
    places.sort()
    let (low, high) = (places[draws / 40], places[draws - 1 - draws / 40])
    return min(low, right.lowerBound)...max(high, right.lowerBound)
  }
}
