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
      let shifts = MedianShift.all(in: medians)
      let edges = [0] + shifts.map(\.index) + [medians.count]
      let segments = zip(edges, edges.dropFirst()).map { $0..<$1 }
      let rest = segments.flatMap { segment -> [Double] in
        let level = medians[segment].sorted().quantileOfSorted(0.5)
        return medians[segment].map { $0 - level }
      }
      found = shifts.enumerated().map { position, shift in
        let places = places(
          of: shift, in: segments[position].lowerBound..<segments[position + 1].upperBound, rest)
        return TimeShift(
          seconds: windows[shift.index].start,
          interval: windows[places.lowerBound].start - width...windows[places.upperBound].start
            + width, before: shift.before, after: shift.after)
      }
      if correlation(of: rest) < maxCorrelation { break }
    }
    return found.filter { max($0.ratio, 1 / $0.ratio) >= minRatio }
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

  /// The middle 95 % of the places of a shift between levels that are known, what is left of them drawn anew.
  private static func places(
    of shift: MedianShift, in range: Range<Int>, _ rest: [Double]
  ) -> ClosedRange<Int> {
    var generator = SplitMix64(seed: 1)
    let (left, right) = (range.lowerBound..<shift.index, shift.index..<range.upperBound)
    var places = (0..<draws).map { _ -> Int in
      // The cost of a split less that of one at the start: each value moves from one level to the other.
      var (cost, least, place) = (0.0, Double.infinity, shift.index)
      for index in range {
        if index > range.lowerBound, cost < least { (least, place) = (cost, index) }
        let (source, level) = index < shift.index ? (left, shift.before) : (right, shift.after)
        let value = level + rest[Int.random(in: source, using: &generator)]
        cost += abs(value - shift.before) - abs(value - shift.after)
      }
      return place
    }
    places.sort()
    return min(places[draws / 40], shift.index)...max(places[draws - 1 - draws / 40], shift.index)
  }
}
