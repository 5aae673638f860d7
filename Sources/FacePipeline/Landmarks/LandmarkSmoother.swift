package import FaceCore

/// The numbers of a One-Euro filter; the defaults are MediaPipe's for faces.
package struct SmoothingParameters: Sendable, Hashable {
  /// The cutoff at rest in Hz, above 0.
  package var minCutoff = 0.05
  /// Hz of cutoff for each object size a second of speed, 0 or more.
  package var beta = 80.0
  /// The cutoff of the speed itself in Hz, above 0.
  package var derivativeCutoff = 1.0

  /// Makes MediaPipe's parameters.
  package init() {}
}

/// The One-Euro filters of a single face's landmarks, one a coordinate, as MediaPipe rounds them.
///
/// Encoding keeps every bit, so a run continues exactly from a decoded smoother.
package struct LandmarkSmoother: Sendable, Equatable {
  /// What one coordinate's filter remembers, in pixels.
  private struct Axis: Equatable {
    var raw: Float
    var smoothed: Float
    var speed: Float
  }

  private static let initialFrequency = 30.0
  /// Smaller faces, in pixels, are passed through.
  private static let minObjectScale: Float = 1e-6

  private var frequency = initialFrequency
  private var lastNanoseconds: Int64 = -1
  /// x, y and z of the first landmark, then of the next; empty before the first frame.
  private var axes: [Axis] = []

  /// Makes a smoother that has seen nothing.
  package init() {}

  /// Forgets everything, as a frame without faces demands.
  package mutating func reset() {
    frequency = Self.initialFrequency
    lastNanoseconds = -1
    axes.removeAll(keepingCapacity: true)
  }

  /// Smooths the landmarks of the next frame: normalised by an image of that size before and after.
  ///
  /// A timestamp that does not grow leaves the landmarks unsmoothed; another number of landmarks restarts smoothing.
  package mutating func smooth(
    _ landmarks: inout [SIMD3<Float>], size: ImageSize, timestampMicroseconds: Int64,
    parameters: SmoothingParameters = SmoothingParameters()
  ) {
    let sides = SIMD3(Float(size.width), Float(size.height), Float(size.width))
    for index in landmarks.indices { landmarks[index] *= sides }
    let scale = Self.objectScale(of: landmarks)
    if !(scale < Self.minObjectScale) {
      if axes.count != 3 * landmarks.count { reset() }
      filter(
        &landmarks, scale: 1 / scale,
        nanoseconds: Self.nanoseconds(fromMicroseconds: timestampMicroseconds),
        parameters: parameters)
    }
    for index in landmarks.indices { landmarks[index] /= sides }
  }

  private mutating func filter(
    _ pixels: inout [SIMD3<Float>], scale: Float, nanoseconds: Int64,
    parameters: SmoothingParameters
  ) {
    guard nanoseconds > lastNanoseconds else { return }
    if lastNanoseconds != 0 && nanoseconds != 0 {
      let (step, overflow) = nanoseconds.subtractingReportingOverflow(lastNanoseconds)
      frequency = 1 / (Double(overflow ? .max : step) * 1e-9)
    }
    lastNanoseconds = nanoseconds

    guard !axes.isEmpty else {
      axes.reserveCapacity(3 * pixels.count)
      for point in pixels {
        for lane in 0..<3 {
          axes.append(Axis(raw: point[lane], smoothed: point[lane], speed: 0))
        }
      }
      return
    }
    let speedAlpha = alpha(cutoff: parameters.derivativeCutoff)
    let minCutoff = Double(Float(parameters.minCutoff))
    for point in pixels.indices {
      for lane in 0..<3 {
        let value = pixels[point][lane]
        var axis = axes[3 * point + lane]
        let speed = (Double(value) - Double(axis.raw)) * Double(scale) * frequency
        axis.speed = Self.lowPass(Float(speed), onto: axis.speed, alpha: speedAlpha)
        let cutoff = minCutoff + parameters.beta * Double(abs(axis.speed))
        axis.smoothed = Self.lowPass(value, onto: axis.smoothed, alpha: alpha(cutoff: cutoff))
        axis.raw = value
        axes[3 * point + lane] = axis
        pixels[point][lane] = axis.smoothed
      }
    }
  }

  private func alpha(cutoff: Double) -> Float {
    let period = 1 / frequency
    let timeConstant = 1 / (2 * .pi * cutoff)
    return Float(1 / (1 + timeConstant / period))
  }

  private static func lowPass(_ value: Float, onto stored: Float, alpha: Float) -> Float {
    Float(Double(alpha * value) + (1 - Double(alpha)) * Double(stored))
  }

  /// The mean of the points' extents along x and y.
  private static func objectScale(of pixels: [SIMD3<Float>]) -> Float {
    guard var low = pixels.first, var high = pixels.first else { return 0 }
    for point in pixels {
      low = SIMD3(min(low.x, point.x), min(low.y, point.y), 0)
      high = SIMD3(max(high.x, point.x), max(high.y, point.y), 0)
    }
    return ((high.x - low.x) + (high.y - low.y)) / 2
  }

  private static func nanoseconds(fromMicroseconds microseconds: Int64) -> Int64 {
    let (product, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
    return overflow ? (microseconds < 0 ? .min : .max) : product
  }
}

extension LandmarkSmoother: Codable {
  private enum CodingKeys: String, CodingKey {
    case frequency, lastNanoseconds, axes
  }

  /// Writes the state as bit patterns.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(frequency.bitPattern, forKey: .frequency)
    try container.encode(lastNanoseconds, forKey: .lastNanoseconds)
    try container.encode(
      axes.flatMap { [$0.raw.bitPattern, $0.smoothed.bitPattern, $0.speed.bitPattern] },
      forKey: .axes)
  }

  /// Reads a state back; throws `DecodingError` where landmarks are not whole.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    frequency = Double(bitPattern: try container.decode(UInt64.self, forKey: .frequency))
    lastNanoseconds = try container.decode(Int64.self, forKey: .lastNanoseconds)
    let bits = try container.decode([UInt32].self, forKey: .axes)
    guard bits.count.isMultiple(of: 9) else {
      throw DecodingError.dataCorruptedError(
        forKey: .axes, in: container,
        debugDescription: "expected nine values a landmark, found \(bits.count)")
    }
    axes = stride(from: 0, to: bits.count, by: 3).map { at in
      Axis(
        raw: Float(bitPattern: bits[at]), smoothed: Float(bitPattern: bits[at + 1]),
        speed: Float(bitPattern: bits[at + 2]))
    }
  }
}
