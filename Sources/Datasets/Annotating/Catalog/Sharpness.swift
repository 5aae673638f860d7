internal import FaceCore
internal import Imaging

extension FaceMeasure {
  /// Standard deviation of the Laplacian of the labelled box, with a longer side of 128 pixels.
  ///
  /// A larger face is reduced by averaging areas, a smaller one enlarged bilinearly: what counts is the detail that a
  /// landmark model can see of a face, and a face of few pixels has little. Gray is BT.601's, borders repeat mirrored.
  /// Source: Pech-Pacheco et al. 2000 (variance of the Laplacian).
  static let sharpness = FaceMeasure(.sharpness) { face in
    let side = 128
    var pixels = face.pixels.reduced(toFit: side)
    let longest = max(pixels.width, pixels.height)
    if longest < side {
      let scale = Double(longest) / Double(side)
      let size = ImageSize(
        width: Int((Double(pixels.width) / scale).rounded()),
        height: Int((Double(pixels.height) / scale).rounded()))
      let map = AffineMap.scaling(from: size, to: pixels.size)
      guard let enlarged = try? pixels.warped(to: size, source: map, border: .replicate) else {
        return nil
      }
      pixels = enlarged
    }
    return pixels.laplacianDeviation
  }
}

extension PixelBuffer {
  /// Standard deviation of the sum of the four neighbours less four times the pixel; nil under two pixels a side.
  fileprivate var laplacianDeviation: Double? {
    guard width > 1, height > 1 else { return nil }
    let gray = stride(from: 0, to: bytes.count, by: 3).map {
      0.299 * Double(bytes[$0]) + 0.587 * Double(bytes[$0 + 1]) + 0.114 * Double(bytes[$0 + 2])
    }
    func at(_ x: Int, _ y: Int) -> Double {
      let column = x < 0 ? 1 : x < width ? x : width - 2
      let row = y < 0 ? 1 : y < height ? y : height - 2
      return gray[row * width + column]
    }
    var (sum, squares) = (0.0, 0.0)
    for y in 0..<height {
      for x in 0..<width {
        let value = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4 * at(x, y)
        sum += value
        squares += value * value
      }
    }
    let count = Double(width * height)
    return max(0, squares / count - sum / count * (sum / count)).squareRoot()
  }
}
