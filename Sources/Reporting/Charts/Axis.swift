import Foundation
internal import Platform
import Records

/// One direction of a chart: maps values to positions and gives the positions of the ticks.
struct Axis {
  /// How values spread over the axis.
  enum Scale {
    /// Equal steps of value are equal lengths.
    case linear
    /// Equal factors of 1 + value are equal lengths; shows counts of 0 and of thousands together.
    case logarithmic
  }

  /// The least length of a zoomed axis, as a share of the largest value on it.
  static let minSpan = 0.1

  /// The value at the start.
  let low: Double
  /// The value at the end.
  let high: Double
  /// How values spread.
  let scale: Scale
  /// Where the ticks are, in order.
  let ticks: [Double]
  /// Decimals that tell the ticks apart.
  let decimals: Int

  /// An axis over the finite ones of these values, from 0 and to 1 where they come close to it.
  ///
  /// With `isTight` it ends at the outermost values, else at round numbers; with `isZoomed` neither 0 nor 1 is
  /// drawn near, and the axis spans at least `minSpan` of the largest value, so that no small change is a cliff. No
  /// values give 0 to 1. Whole numbers, one of them above 1, have no ticks between them.
  init(
    over values: some Sequence<Double>, isTight: Bool = false, isZoomed: Bool = false,
    tickCount: Int = 5
  ) {
    let finite = values.filter { $0.isFinite && $0.magnitude < 1e12 }
    var low = finite.min() ?? 0
    var high = finite.max() ?? 1
    if !isTight && !isZoomed {
      if low > 0 && low < 0.6 * high { low = 0 }
      if low >= 0 && high > 0.4 && high <= 1 { (low, high) = (0, 1) }
    }
    if high - low < 1e-9 * max(1, low.magnitude), !isZoomed || low.magnitude < 1e-9 {
      // A fifth of a number below 1e-300 may be 0, which has no round step.
      let isNothing = low.magnitude < 1e-300
      (low, high) = isNothing ? (0, 1) : (min(0, 2 * low), max(0, 2 * low))
    }
    let span = Self.minSpan * max(low.magnitude, high.magnitude)
    if isZoomed, high - low < span {
      let isShare = low >= 0 && high <= 1
      let middle = (low + high) / 2
      (low, high) = (middle - span / 2, middle + span / 2)
      if isShare { (low, high) = (max(0, low), min(1, high)) }
    }
    let isCounting = high > 1 && finite.allSatisfy { $0 == $0.rounded() }
    let step = Axis.roundStep(for: max((high - low) / Double(tickCount), isCounting ? 1 : 0))
    if !isTight {
      low = (low / step + 1e-9).rounded(.down) * step
      high = (high / step - 1e-9).rounded(.up) * step
    }
    self.low = low
    self.high = high
    scale = .linear
    let first = (low / step - 1e-9).rounded(.up)
    ticks = (0...20).map { (first + Double($0)) * step }.filter { $0 <= high + 1e-9 * step }
    var decimals = 0
    var unit = step
    while decimals < 9, (unit - unit.rounded()).magnitude > 1e-6 {
      unit *= 10
      decimals += 1
    }
    self.decimals = decimals
  }

  /// A logarithmic axis from 0 to a power of ten that holds the count.
  init(logarithmicTo count: Double) {
    var ticks: [Double] = [0, 1]
    while let last = ticks.last, last < count, ticks.count < 20 { ticks.append(last * 10) }
    low = 0
    high = max(1, count)
    scale = .logarithmic
    self.ticks = ticks.filter { $0 <= max(1, count) }
    decimals = 0
  }

  /// Where a value lies, from 0 at the start to 1 at the end; values outside are clamped.
  func fraction(_ value: Double) -> Double {
    let fraction: Double
    switch scale {
    case .linear: fraction = (value - low) / (high - low)
    case .logarithmic: fraction = log1p(max(0, value)) / log1p(high)
    }
    return min(1, max(0, fraction))
  }

  func label(_ tick: Double) -> String {
    tick.text(decimals: decimals)
  }

  private static func roundStep(for rough: Double) -> Double {
    var unit = 1.0
    while unit > rough { unit /= 10 }
    while unit * 10 <= rough { unit *= 10 }
    return [1, 2, 5, 10].map { $0 * unit }.first { $0 >= rough * (1 - 1e-9) } ?? unit * 10
  }
}
