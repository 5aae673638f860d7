/// Likelihood that a color belongs to the object, from histograms inside and around its box (Staple).
struct ColorLikelihood: Sendable {
  private var object = [Float](repeating: 0, count: count)
  private var ground = [Float](repeating: 0, count: count)
  private var isEmpty = true

  /// Bins per channel, a power of two.
  private static let bins = 32
  private static let count = bins * bins * bins
  /// Share of the newest frame in the histograms.
  private static let learningRate: Float = 0.04

  /// Learns the colors of a patch around the object: `inner` lies within its box in the middle, `outer` contains it.
  mutating func learn(_ patch: ColorPatch, inner: SIMD2<Double>, outer: SIMD2<Double>) {
    let bins = Self.bins(of: patch)
    let rate = isEmpty ? 1 : Self.learningRate
    isEmpty = false
    Self.blend(Self.shares(bins, in: patch) { $0.x < inner.x && $0.y < inner.y }, rate, &object)
    Self.blend(Self.shares(bins, in: patch) { $0.x >= outer.x || $0.y >= outer.y }, rate, &ground)
  }

  /// Mean likelihood in [0, 1] over a window in the middle of a patch, for displacements in both directions.
  ///
  /// [2 * reach + 1, 2 * reach + 1], upper left first; a color never seen has likelihood 0.
  func meanLikelihood(_ patch: ColorPatch, window: (width: Int, height: Int), reach: Int) -> [Float]
  {
    let (width, height) = (patch.width, patch.height)
    var integral = [Double](repeating: 0, count: (width + 1) * (height + 1))
    let bins = Self.bins(of: patch)
    for y in 0..<height {
      var row = 0.0
      for x in 0..<width {
        let bin = bins[y * width + x]
        let seen = object[bin] + ground[bin]
        row += seen > 0 ? Double(object[bin] / seen) : 0
        integral[(y + 1) * (width + 1) + x + 1] = integral[y * (width + 1) + x + 1] + row
      }
    }
    let (left, top) = ((width - window.width) / 2, (height - window.height) / 2)
    let area = Double(window.width * window.height)
    return (-reach...reach).flatMap { down in
      let first = min(max(top + down, 0), height - window.height) * (width + 1)
      let last = first + window.height * (width + 1)
      return (-reach...reach).map { across in
        let start = min(max(left + across, 0), width - window.width)
        let end = start + window.width
        let sum =
          integral[last + end] - integral[first + end] - integral[last + start]
          + integral[first + start]
        return Float(sum / area)
      }
    }
  }

  private static func bins(of patch: ColorPatch) -> [Int] {
    (0..<(patch.width * patch.height)).map { pixel in
      (0..<3).reduce(0) { bin, channel in
        bin * bins + min(Int(patch.values[3 * pixel + channel] * Float(bins)), bins - 1)
      }
    }
  }

  /// The histogram of the pixels selected by a condition on the doubled distance from the middle.
  private static func shares(
    _ bins: [Int], in patch: ColorPatch, where picks: (SIMD2<Double>) -> Bool
  ) -> [Float] {
    var histogram = [Float](repeating: 0, count: count)
    var picked: Float = 0
    for y in 0..<patch.height {
      let down = Double(abs(2 * y + 1 - patch.height))
      for x in 0..<patch.width
      where picks(SIMD2(Double(abs(2 * x + 1 - patch.width)), down)) {
        histogram[bins[y * patch.width + x]] += 1
        picked += 1
      }
    }
    guard picked > 0 else { return histogram }
    return histogram.map { $0 / picked }
  }

  private static func blend(_ new: [Float], _ rate: Float, _ old: inout [Float]) {
    for bin in old.indices { old[bin] = (1 - rate) * old[bin] + rate * new[bin] }
  }
}
