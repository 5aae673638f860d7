/// The offset and the rate of a tracker's clock against ours, from round trips.
package struct TrackerClock: Sendable {
  /// A message and its answer: when it left and when the answer came by our clock, when it came and left by the tracker's.
  package struct RoundTrip: Sendable, Hashable {
    var sent: UInt64
    var received: UInt64
    var replied: UInt64
    var arrived: UInt64

    /// Describes a round trip, in nanoseconds.
    package init(sent: UInt64, received: UInt64, replied: UInt64, arrived: UInt64) {
      (self.sent, self.received, self.replied, self.arrived) = (sent, received, replied, arrived)
    }

    /// Nanoseconds on the way, there and back.
    var way: Double { max(Double(arrived &- sent) - Double(replied &- received), 1) }
  }

  /// What the tracker's clock shows when ours shows something.
  package struct Fit: Sendable, Hashable {
    /// The tracker's time less ours at the first round trip, in nanoseconds, within `uncertainty`.
    package var offset: Int64
    /// How much faster the tracker's clock goes, in parts per million; nil for less than a second of round trips.
    package var partsPerMillion: Double?
    /// Half the width of the interval of the rate.
    package var rateUncertainty: Double?
    /// Half of the longest round trip that the line is fitted to, in nanoseconds.
    package var uncertainty: Double
  }

  /// The round trips so far, in order.
  private(set) var trips: [RoundTrip] = []

  /// How many parts of the time give their quickest round trip to the line.
  private static let windows = 10

  /// A year in nanoseconds: a clock that leaps further is none.
  private static let longestRun: UInt64 = 31_536_000_000_000_000

  /// Starts without any.
  package init() {}

  /// Adds a round trip; one whose times are not in order by either clock, or past a year of ours, is left out.
  package mutating func add(_ trip: RoundTrip) {
    guard trip.sent <= trip.arrived, trip.received <= trip.replied,
      trip.replied - trip.received <= trip.arrived - trip.sent,
      trips.last.map({ $0.arrived <= trip.sent && $0.replied <= trip.received }) ?? true,
      trips.first.map({ trip.received - $0.received <= Self.longestRun }) ?? true
    else { return }
    trips.append(trip)
  }

  /// A line through the quickest round trips of each tenth of the time; nil without any, and where no clock goes so.
  ///
  /// A round trip bounds the offset to half the time on the way, wherever on the way that was lost.
  package func fit() -> Fit? {
    guard let first = trips.first, let last = trips.last else { return nil }
    let span = Double(last.sent - first.sent)
    var quickest: [Int: RoundTrip] = [:]
    for trip in trips {
      let window =
        span == 0
        ? 0
        : min(Int(Double(trip.sent - first.sent) / span * Double(Self.windows)), Self.windows - 1)
      if quickest[window].map({ trip.way < $0.way }) ?? true { quickest[window] = trip }
    }
    let used = quickest.sorted { $0.key < $1.key }.map(\.value)
    /// Of the tracker's time since its first less ours since ours: small, so that nothing is lost in a Double.
    func deviation(_ trip: RoundTrip) -> Double {
      let there = Double(trip.received - first.received) - Double(trip.sent - first.sent)
      let back = Double(trip.replied - first.received) - Double(trip.arrived - first.sent)
      return (there + back) / 2
    }
    func time(_ trip: RoundTrip) -> Double {
      (Double(trip.sent - first.sent) + Double(trip.arrived - first.sent)) / 2
    }
    let weights = used.map { 1 / ($0.way * $0.way) }
    let whole = weights.reduce(0, +)
    func mean(_ value: (RoundTrip) -> Double) -> Double {
      zip(used, weights).reduce(0) { $0 + value($1.0) * $1.1 } / whole
    }
    let (center, level) = (mean(time), mean(deviation))
    let spread = mean { (time($0) - center) * (time($0) - center) }
    let slope =
      spread > 0 ? mean { (time($0) - center) * (deviation($0) - level) } / spread : 0
    let uncertainty = used.map { $0.way / 2 }.max() ?? 0
    // Between two quick round trips a clock may leap so far that the line through them begins past all numbers.
    guard let begin = Int64(exactly: (level - slope * center).rounded()) else { return nil }
    let base = Int64(bitPattern: first.received &- first.sent)
    var fit = Fit(
      offset: base &+ begin, partsPerMillion: nil,
      rateUncertainty: nil, uncertainty: uncertainty)
    if span >= 1e9 {
      fit.partsPerMillion = slope * 1e6
      fit.rateUncertainty = (used[0].way + used[used.count - 1].way) / 2 / span * 1e6
    }
    return fit
  }
}
