internal import Foundation

extension PixelBuffer {
  /// The image blurred by a Gaussian with a standard deviation in pixels, cut off at 4 deviations; borders replicate.
  ///
  /// A deviation of 0 or less, or one that is not a number, changes nothing; values above 1,000 count as 1,000.
  package func gaussianBlurred(standardDeviation: Double) -> PixelBuffer {
    guard standardDeviation > 0 else { return self }
    let deviation = min(standardDeviation, 1000)
    let radius = Int(4 * deviation + 0.5)
    let weights = (-radius...radius).map { exp(-0.5 * pow(Double($0) / deviation, 2)) }
    let total = weights.reduce(0, +)
    return convolved(with: weights.map { Float($0 / total) })
  }

  /// Applies one odd-length kernel along rows, then along columns, and rounds once.
  private func convolved(with weights: [Float]) -> PixelBuffer {
    guard width > 0, height > 0 else { return self }
    let radius = weights.count / 2
    let stride = width * 3
    var output = self
    var line = [Float](repeating: 0, count: stride)
    var padded = [Float](repeating: 0, count: (width + 2 * radius) * 3)
    var rows = [Float](repeating: 0, count: stride * height)
    for y in 0..<height {
      for x in 0..<width + 2 * radius {
        let from = y * stride + min(max(x - radius, 0), width - 1) * 3
        for channel in 0..<3 { padded[x * 3 + channel] = Float(bytes[from + channel]) }
      }
      Self.accumulate(weights, count: stride, into: &line) { tap, i in padded[i + tap * 3] }
      rows.replaceSubrange(y * stride..<(y + 1) * stride, with: line)
    }
    for y in 0..<height {
      Self.accumulate(weights, count: stride, into: &line) { tap, i in
        rows[min(max(y + tap - radius, 0), height - 1) * stride + i]
      }
      output.withMutableBytes { bytes in
        for i in 0..<stride { bytes[y * stride + i] = UInt8(min(line[i], 255) + 0.5) }
      }
    }
    return output
  }

  private static func accumulate(
    _ weights: [Float], count: Int, into line: inout [Float], value: (Int, Int) -> Float
  ) {
    for i in 0..<count { line[i] = 0 }
    for (tap, weight) in weights.enumerated() {
      for i in 0..<count { line[i] += weight * value(tap, i) }
    }
  }
}
