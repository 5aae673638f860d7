internal import Metrics

/// The top of a curve over delays.
enum ClockCurve {
  /// The position of the largest value.
  static func peak(_ curve: [Double]) -> Int {
    curve.indices.max { curve[$0] < curve[$1] } ?? 0
  }

  /// Where a curve is largest, between positions by a parabola.
  static func top(_ curve: [Double]) -> Double {
    let peak = peak(curve)
    guard peak > 0, peak < curve.count - 1 else { return Double(peak) }
    return Double(peak) + CrossCorrelation.vertex(curve[peak - 1], curve[peak], curve[peak + 1])
  }
}

/// How far signals agree at each delay, stretch by stretch of the earlier ones.
///
/// A clock that runs at another rate moves the delay from stretch to stretch; kept apart, stretches can be
/// joined at any rate without another pass over the samples.
struct SegmentProducts {
  /// Positions around a peak that are the peak's own.
  static let lobe = 15

  private let delays: Range<Int>
  private let samples: Int
  /// First sample of each stretch, and the end of the last.
  private let bounds: [Int]
  /// Σ x·y by channel, then stretch, then delay.
  private let products: [[[Double]]]
  /// Σ x² and Σ y² up to each sample, by channel.
  private let earlierPower, laterPower: [[Double]]

  /// The same three sums of all channels together, by stretch, then delay.
  private var totals: [[SIMD4<Double>]] = []

  /// The usual length of a stretch, in samples: 2.5 s.
  private static let usualLength = 150
  private static let maxSegments = 240
  /// The largest difference of the rates that is tried, as a share.
  private static let maxRate = 0.003

  /// Multiplies signals of one length a side at each delay of the later ones.
  init(earlier: [[Double]], later: [[Double]], delays: Range<Int>) {
    self.delays = delays
    samples = earlier[0].count
    let usual = min(Self.usualLength, max(50, samples / 8))
    let count = max(2, min(Self.maxSegments, samples / usual))
    let total = samples
    let bounds = (0...count).map { $0 * total / count }
    self.bounds = bounds
    func power(_ signal: [Double]) -> [Double] {
      var sums = [0.0]
      sums.reserveCapacity(signal.count + 1)
      for value in signal { sums.append(sums[sums.count - 1] + value * value) }
      return sums
    }
    earlierPower = earlier.map(power)
    laterPower = later.map(power)
    products = zip(earlier, later).map { earlier, later in
      (0..<count).map { segment in
        delays.map { delay in
          Self.product(earlier, later, bounds[segment]..<bounds[segment + 1], delay)
        }
      }
    }
    totals = segments.map { segment in
      (0..<delays.count).map { index in
        products.indices.reduce(SIMD4.zero) { $0 + sums($1, segment, index) }
      }
    }
  }

  private static func product(
    _ earlier: [Double], _ later: [Double], _ segment: Range<Int>, _ delay: Int
  ) -> Double {
    let overlap = self.overlap(segment, delay, later.count)
    var sum = 0.0
    earlier.withUnsafeBufferPointer { earlier in
      later.withUnsafeBufferPointer { later in
        for sample in overlap { sum += earlier[sample] * later[sample + delay] }
      }
    }
    return sum
  }

  private static func overlap(_ segment: Range<Int>, _ delay: Int, _ count: Int) -> Range<Int> {
    let low = max(segment.lowerBound, -delay)
    return low..<max(low, min(segment.upperBound, count - delay))
  }

  /// The sums of a stretch at the position of a delay: x·y, x², y², and nothing.
  private func sums(_ channel: Int, _ segment: Int, _ index: Int) -> SIMD4<Double> {
    let delay = delays.lowerBound + index
    let overlap = Self.overlap(
      bounds[segment]..<bounds[segment + 1], delay, laterPower[channel].count - 1)
    guard !overlap.isEmpty else { return .zero }
    let (earlier, later) = (earlierPower[channel], laterPower[channel])
    return SIMD4(
      products[channel][segment][index], earlier[overlap.upperBound] - earlier[overlap.lowerBound],
      later[overlap.upperBound + delay] - later[overlap.lowerBound + delay], 0)
  }

  /// By how many samples a rate moves a stretch, nothing in the middle of the recording.
  private func shift(_ segment: Int, _ rate: Double) -> Int {
    Int((rate * (center(segment) - Double(samples) / 2)).rounded())
  }

  private func center(_ segment: Int) -> Double {
    Double(bounds[segment] + bounds[segment + 1]) / 2
  }

  private var segments: Range<Int> { 0..<bounds.count - 1 }

  /// The correlation at each delay: of all stretches or every second one, of all channels or one.
  func joint(rate: Double, half: Int? = nil, channel: Int? = nil) -> [Double] {
    var sums = [SIMD4<Double>](repeating: .zero, count: delays.count)
    for segment in segments where half.map({ segment % 2 == $0 }) ?? true {
      let shift = shift(segment, rate)
      for index in max(0, -shift)..<max(max(0, -shift), min(delays.count, delays.count - shift)) {
        sums[index] +=
          channel.map { self.sums($0, segment, index + shift) } ?? totals[segment][index + shift]
      }
    }
    return sums.map(Self.correlation)
  }

  private static func correlation(_ sums: SIMD4<Double>) -> Double {
    let scale = (sums.y * sums.z).squareRoot()
    return scale > 0 ? sums.x / scale : 0
  }

  /// The rates that are tried: neighbours move the ends of the recording apart by two samples.
  private var rates: [Double] {
    let step = 4 / Double(samples)
    let count = Int(Self.maxRate / step)
    return (-count...count).map { Double($0) * step }
  }

  /// The correlations at each rate that is tried, the nearest to 0 first.
  func joints() -> [(rate: Double, curve: [Double])] {
    rates.sorted { abs($0) < abs($1) }.map { ($0, joint(rate: $0)) }
  }

  /// The largest correlation at a delay, and any rate, that no stretch shares with a peak.
  func rival(
    of peak: Int, rate: Double, among joints: [(rate: Double, curve: [Double])]
  ) -> (index: Int, correlation: Double)? {
    var best: (index: Int, correlation: Double)?
    for (other, curve) in joints {
      let reach = Self.lobe + Int((abs(other - rate) * Double(samples) / 2).rounded(.up))
      for index in curve.indices
      where abs(index - peak) > reach && curve[index] > best?.correlation ?? -2 {
        best = (index, curve[index])
      }
    }
    return best
  }

  /// Whether a line fitted in every second stretch lowers the squared error in the others, both ways.
  func predictsHeldOut(at peak: Int, rate: Double) -> Bool {
    var halves = [[SIMD4<Double>]](
      repeating: Array(repeating: .zero, count: products.count), count: 2)
    for segment in segments {
      let index = peak + shift(segment, rate)
      guard (0..<delays.count).contains(index) else { continue }
      for channel in products.indices {
        halves[segment % 2][channel] += sums(channel, segment, index)
      }
    }
    return [(0, 1), (1, 0)].allSatisfy { fitted, held in
      let gain = products.indices.reduce(0.0) { gain, channel in
        let (seen, other) = (halves[fitted][channel], halves[held][channel])
        let power = seen.y + other.y
        guard seen.z > 0, power > 0 else { return gain }
        let slope = seen.x / seen.z
        return gain + slope * (2 * other.x - slope * other.z) / power
      }
      return gain > 0
    }
  }

  /// A clock's rate with its standard error, and the delay in the middle of the recording.
  struct Clock {
    /// As a share.
    let rate: Double
    /// Of the rate.
    let standardError: Double
    /// In positions of delays.
    let delay: Double

    /// Whether the rate is told from 0, and moves the ends of so many samples by 10 ms or more.
    func isShown(over samples: Double) -> Bool {
      abs(rate) > 3 * standardError && abs(rate) * samples >= 0.6
    }
  }

  /// Positions about its expected one in which a block's own peak is looked for.
  private static let blockReach = 8
  private static let maxBlocks = 12

  /// A line through the delays of 4 to 12 blocks of stretches; nil where fewer have a peak of 0.3 or more.
  func clock(around peak: Int, rate: Double) -> Clock? {
    let count = min(Self.maxBlocks, segments.count)
    guard count >= 4 else { return nil }
    var points: [(x: Double, y: Double, weight: Double)] = []
    for block in 0..<count {
      let own = block * segments.count / count..<(block + 1) * segments.count / count
      let curve = (-Self.blockReach...Self.blockReach).map { correlation(of: own, peak + $0, rate) }
      let values = curve.map(\.value)
      let top = ClockCurve.peak(values)
      guard values[top] >= TimeOffset.minCorrelation, top > 0, top < values.count - 1 else {
        continue
      }
      let center = Double(bounds[own.lowerBound] + bounds[own.upperBound]) / 2
      let moved = own.reduce(0.0) { $0 + Double(shift($1, rate)) } / Double(own.count)
      let delay = Double(peak - Self.blockReach) + ClockCurve.top(values) + moved
      points.append((center - Double(samples) / 2, delay, curve[top].power))
    }
    guard points.count >= 4 else { return nil }
    return Self.line(points)
  }

  private func correlation(
    of segments: Range<Int>, _ index: Int, _ rate: Double
  ) -> (value: Double, power: Double) {
    var sums = SIMD4<Double>.zero
    for segment in segments {
      let position = index + shift(segment, rate)
      guard (0..<delays.count).contains(position) else { continue }
      sums += totals[segment][position]
    }
    return (Self.correlation(sums), sums.y)
  }

  private static func line(_ points: [(x: Double, y: Double, weight: Double)]) -> Clock? {
    let weight = points.reduce(0) { $0 + $1.weight }
    guard weight > 0 else { return nil }
    let x = points.reduce(0) { $0 + $1.weight * $1.x } / weight
    let y = points.reduce(0) { $0 + $1.weight * $1.y } / weight
    let spread = points.reduce(0) { $0 + $1.weight * ($1.x - x) * ($1.x - x) }
    guard spread > 0 else { return nil }
    let slope = points.reduce(0) { $0 + $1.weight * ($1.x - x) * ($1.y - y) } / spread
    let residuals = points.reduce(0.0) { sum, point in
      let residual = point.y - y - slope * (point.x - x)
      return sum + point.weight * residual * residual
    }
    let variance = residuals / Double(points.count - 2) / spread
    return Clock(rate: slope, standardError: variance.squareRoot(), delay: y - slope * x)
  }
}
