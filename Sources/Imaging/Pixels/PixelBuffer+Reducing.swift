internal import FaceCore

extension PixelBuffer {
  /// The image made smaller to fit a longest side in pixels, each pixel the average of the area it covers.
  ///
  /// The sides' ratio is kept to the nearest pixel. An image that fits, and a side below 1, changes nothing.
  package func reduced(toFit longestSide: Int) -> PixelBuffer {
    let longest = max(width, height)
    guard longestSide > 0, longest > longestSide else { return self }
    let size = ImageSize(
      width: max(1, (2 * width * longestSide + longest) / (2 * longest)),
      height: max(1, (2 * height * longestSide + longest) / (2 * longest)))
    let columns = Self.spans(of: width, in: size.width)
    let rows = Self.spans(of: height, in: size.height)
    var output = PixelBuffer(width: size.width, height: size.height)
    var sums = [Float](repeating: 0, count: width * 3)
    output.withMutableBytes { to in
      for (y, row) in rows.enumerated() {
        for i in sums.indices { sums[i] = 0 }
        for (source, weight) in row {
          let start = source * width * 3
          for i in sums.indices { sums[i] += weight * Float(bytes[start + i]) }
        }
        for (x, column) in columns.enumerated() {
          for channel in 0..<3 {
            let value = column.reduce(Float(0)) { $0 + $1.weight * sums[$1.source * 3 + channel] }
            to[(y * size.width + x) * 3 + channel] = UInt8(min(value, 255) + 0.5)
          }
        }
      }
    }
    return output
  }

  /// Which of `count` source cells each of `parts` equal parts covers, with weights that add up to 1.
  private static func spans(of count: Int, in parts: Int) -> [[(source: Int, weight: Float)]] {
    (0..<parts).map { part in
      let (low, high) = (part * count, (part + 1) * count)
      return (low / parts...(high - 1) / parts).map { source in
        let covered = min(high, (source + 1) * parts) - max(low, source * parts)
        return (source, Float(covered) / Float(count))
      }
    }
  }
}
