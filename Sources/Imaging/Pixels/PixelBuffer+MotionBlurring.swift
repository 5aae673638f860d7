internal import Foundation

extension PixelBuffer {
  /// The image averaged along a straight line about each pixel, as by a steady motion during the exposure; borders
  /// replicate.
  ///
  /// `length` is in pixels, `radians` the direction from the columns' axis, clockwise as seen. A length that is not
  /// above 0 changes nothing; lengths above 4,000 count as 4,000.
  package func motionBlurred(length: Double, radians: Double) -> PixelBuffer {
    guard length > 0, width > 0, height > 0 else { return self }
    let taps = Self.line(length: min(length, 4000), radians: radians)
    let reach = taps.reduce(0) { max($0, abs($1.x)) }
    let stride = width * 3
    let padded = stride + 6 * reach
    var rows = [Float](repeating: 0, count: padded * height)
    for y in 0..<height {
      for x in 0..<width + 2 * reach {
        let from = y * stride + min(max(x - reach, 0), width - 1) * 3
        for channel in 0..<3 { rows[y * padded + x * 3 + channel] = Float(bytes[from + channel]) }
      }
    }
    var output = self
    var line = [Float](repeating: 0, count: stride)
    for y in 0..<height {
      for i in 0..<stride { line[i] = 0 }
      for tap in taps {
        let start = min(max(y + tap.y, 0), height - 1) * padded + (tap.x + reach) * 3
        let weight = tap.weight
        rows.withUnsafeBufferPointer { rows in
          for i in 0..<stride { line[i] += weight * rows[start + i] }
        }
      }
      output.withMutableBytes { bytes in
        for i in 0..<stride { bytes[y * stride + i] = UInt8(min(line[i], 255) + 0.5) }
      }
    }
    return output
  }

  private struct Tap {
    var x, y: Int
    var weight: Float
  }

  /// Evenly spaced points of the line, at most a quarter of a pixel apart, each spread over its four pixels.
  private static func line(length: Double, radians: Double) -> [Tap] {
    let steps = Int((4 * length).rounded(.up))
    let (dx, dy) = (cos(radians) * length, sin(radians) * length)
    var weights: [SIMD2<Int>: Double] = [:]
    for step in 0...steps {
      let along = Double(step) / Double(steps) - 0.5
      let (x, y) = (along * dx, along * dy)
      let (left, top) = (x.rounded(.down), y.rounded(.down))
      for (column, share) in [(left, 1 - (x - left)), (left + 1, x - left)] {
        for (row, part) in [(top, 1 - (y - top)), (top + 1, y - top)] where share * part > 0 {
          weights[SIMD2(Int(column), Int(row)), default: 0] += share * part
        }
      }
    }
    let total = Double(steps + 1)
    return weights.sorted { ($0.key.y, $0.key.x) < ($1.key.y, $1.key.x) }
      .map { Tap(x: $0.key.x, y: $0.key.y, weight: Float($0.value / total)) }
  }
}
