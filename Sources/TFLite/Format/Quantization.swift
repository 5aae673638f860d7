import Tensor

/// The real numbers of a quantised tensor: (q − zero point) · scale.
struct Quantization: Sendable, Hashable {
  /// One for the tensor, or one for each position along `axis`; finite and above 0.
  let scales: [Float]
  /// As many as scales, from -128 to 127.
  let zeroPoints: [Int]
  let axis: Int

  /// Maximum number of scales of a tensor.
  static let maximumCount = 65_536

  /// Reads and checks the parameters of an INT8 tensor; `position` names it in errors.
  init(_ table: FlatTable?, shape: Shape, _ position: String) throws(ModelError) {
    typealias Field = TFLiteSchema.QuantizationParameters
    func corrupt(_ message: String) -> ModelError {
      ModelError(.corrupt, "\(position): \(message)", byteOffset: table?.position)
    }
    let bits =
      try table?.integers(Field.scale, of: UInt32.self, maximumCount: Self.maximumCount) ?? []
    guard let table, !bits.isEmpty else {
      throw corrupt("INT8 without a scale, expected one above 0")
    }
    let details = try table.integer(Field.detailsType, default: UInt8(0))
    guard details == 0 else {
      throw ModelError(
        .unsupported, "\(position): quantisation details of type \(details), expected scales",
        byteOffset: table.position)
    }
    scales = bits.map(Float.init(bitPattern:))
    if let scale = scales.first(where: { !($0 > 0 && $0.isFinite) }) {
      throw corrupt("scale \(scale), expected a finite number above 0")
    }
    let points =
      try table.integers(Field.zeroPoint, of: Int64.self, maximumCount: Self.maximumCount) ?? []
    guard points.isEmpty || points.count == scales.count else {
      throw corrupt("\(points.count) zero points for \(scales.count) scales")
    }
    if let point = points.first(where: { !(-128...127 ~= $0) }) {
      throw corrupt("zero point \(point), expected -128 to 127")
    }
    zeroPoints = points.isEmpty ? scales.map { _ in 0 } : points.map(Int.init)
    axis =
      scales.count == 1
      ? 0 : Int(try table.integer(Field.quantizedDimension, default: Int32(0)))
    guard scales.count == 1 || 0..<shape.rank ~= axis && shape[axis] == scales.count else {
      throw corrupt("\(scales.count) scales along dimension \(axis) of \(shape)")
    }
  }

  /// The one scale and zero point; nil for several.
  var whole: TensorScale? {
    scales.count == 1 ? TensorScale(scale: scales[0], zeroPoint: zeroPoints[0]) : nil
  }
}

/// The one scale and zero point of a quantised tensor.
///
/// The engine holds q − zero point of such a tensor, from -255 to 255, as floats, which are exact: zero is 0, so that padding,
/// maxima and copies are those of floats.
package struct TensorScale: Sendable, Hashable, CustomStringConvertible {
  let scale: Float
  let zeroPoint: Int

  /// The smallest and the largest q − zero point.
  var low: Int { -128 - zeroPoint }
  var high: Int { 127 - zeroPoint }
  /// The largest magnitude of q − zero point.
  var magnitude: Int { max(-low, high) }

  /// Both numbers in words.
  package var description: String { "scale \(scale) and zero point \(zeroPoint)" }

  /// q − zero point of a real number: halves are rounded away from zero, and what is beyond the range is clamped.
  func centered(_ real: Float) -> Float {
    let rounded = (real / scale).rounded(.toNearestOrAwayFromZero)
    // What is not a number becomes the lowest.
    return min(max(Float(low), rounded), Float(high))
  }

  /// The values of q − zero point that an activation allows.
  func range(_ clamp: Clamp) -> ClosedRange<Int> {
    let from = clamp.low.isFinite ? Int(centered(clamp.low)) : low
    let to = clamp.high.isFinite ? Int(centered(clamp.high)) : high
    return from...max(from, to)
  }
}

/// A factor as TFLite's integer kernels apply it: 31 bits and a shift.
struct FixedPointFactor: Sendable, Hashable {
  let multiplier: Int32
  let shift: Int

  /// The nearest factor of that form; nil for one that is not finite, negative, or 2³⁰ or more.
  init?(_ real: Double) {
    guard real.isFinite, real >= 0 else { return nil }
    guard real > 0 else {
      (multiplier, shift) = (0, 0)
      return
    }
    var exponent = Int(real.exponent) + 1
    var digits = Int64(
      (real.significand / 2 * Double(1 << 31 as Int64)).rounded(.toNearestOrAwayFromZero))
    if digits == 1 << 31 {
      digits /= 2
      exponent += 1
    }
    guard exponent <= 30 else { return nil }
    (multiplier, shift) = exponent < -31 ? (0, 0) : (Int32(digits), exponent)
  }

  private init(multiplier: Int32, shift: Int) {
    (self.multiplier, self.shift) = (multiplier, shift)
  }

  /// The factor over a count, as TFLite's means have it; nil for a count of 2³¹ or more.
  func divided(by count: Int) -> FixedPointFactor? {
    guard 1..<1 << 31 ~= count else { return nil }
    let bits = min(Int.bitWidth - 1 - count.leadingZeroBitCount, 32, 31 + shift)
    guard bits >= 0 else { return nil }
    return FixedPointFactor(
      multiplier: Int32(truncatingIfNeeded: Int64(multiplier) << Int64(bits) / Int64(count)),
      shift: shift - bits)
  }

  /// The product with an integer, rounded once, as the reference kernel of FULLY_CONNECTED has it.
  func timesRoundedOnce(_ value: Int) -> Int {
    let right = Int64(31 - shift)
    return Int((Int64(value) &* Int64(multiplier) &+ (1 as Int64) << (right - 1)) >> right)
  }

  /// The product with an integer, rounded twice, as all other reference kernels have it.
  func times(_ value: Int) -> Int {
    let product = Int64(value << left) &* Int64(multiplier)
    let nudge: Int64 = product >= 0 ? 1 << 30 : 1 - 1 << 30
    let sum = product &+ nudge
    // Towards zero, as a division.
    let high = (sum &+ (sum < 0 ? 1 << 31 - 1 : 0)) >> 31
    let mask = (1 as Int64) << right &- 1
    let threshold = mask >> 1 &+ (high < 0 ? 1 : 0)
    return Int(high >> right &+ (high & mask > threshold ? 1 : 0))
  }

  private var left: Int { max(shift, 0) }
  private var right: Int64 { Int64(max(-shift, 0)) }
}
