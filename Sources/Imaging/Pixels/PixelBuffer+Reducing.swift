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
    let columns = Spans(of: width, in: size.width)
    let rows = Spans(of: height, in: size.height)
    var output = PixelBuffer(width: size.width, height: size.height)
    var sums = [Float](repeating: 0, count: width * 3)
    // Safety: spans stay within the image, and there is a sum for each byte of a row.
    output.withMutableBytes { to in
      bytes.withUnsafeBufferPointer { from in
        sums.withUnsafeMutableBufferPointer { sums in
          for y in 0..<size.height {
            sums.update(repeating: 0)
            for (index, weight) in rows.weights[rows.ends[y]..<rows.ends[y + 1]].enumerated() {
              let start = (rows.first[y] + index) * width * 3
              for i in sums.indices { sums[i] += weight * Float(from[start + i]) }
            }
            for x in 0..<size.width {
              var pixel = SIMD3<Float>()
              var source = 3 * columns.first[x]
              for weight in columns.weights[columns.ends[x]..<columns.ends[x + 1]] {
                pixel += weight * SIMD3(sums[source], sums[source + 1], sums[source + 2])
                source += 3
              }
              for channel in 0..<3 {
                to[(y * size.width + x) * 3 + channel] = UInt8(min(pixel[channel], 255) + 0.5)
              }
            }
          }
        }
      }
    }
    return output
  }

  /// Which source cells each of some equal parts covers.
  private struct Spans {
    /// The first cell of each part.
    private(set) var first: [Int] = []
    /// Where the weights of each part begin, and after the last one where they end.
    private(set) var ends = [0]
    /// The shares of the part that its cells take, which add up to 1.
    private(set) var weights: [Float] = []

    init(of count: Int, in parts: Int) {
      for part in 0..<parts {
        let (low, high) = (part * count, (part + 1) * count)
        first.append(low / parts)
        for source in low / parts...(high - 1) / parts {
          let covered = min(high, (source + 1) * parts) - max(low, source * parts)
          weights.append(Float(covered) / Float(count))
        }
        ends.append(weights.count)
      }
    }
  }
}
