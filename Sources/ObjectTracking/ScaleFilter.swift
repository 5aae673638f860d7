internal import FaceCore
internal import Foundation
internal import Imaging

/// Estimates the size of the object with a correlation filter over a pyramid of scales (DSST).
struct ScaleFilter: Sendable {
  private let base: SIMD2<Double>
  private let width: Int
  private let height: Int
  private let factors: [Double]
  private let window: [Float]
  private let range: ClosedRange<Double>
  private var filter: CorrelationFilter

  /// Scales that are compared, and the step from one to the next.
  private static let count = 33
  private static let step = 1.02
  /// Width of the wanted peak over the square root of the number of scales.
  private static let peakWidth = 0.25
  /// Maximum pixels of the pattern.
  private static let pixels = 512.0
  private static let learningRate: Float = 0.025
  private static let regularization: Float = 1e-3
  /// Minimum and maximum side of the pattern, for any box.
  private static let patternSides = 8.0...64.0
  /// Minimum side of the object in pixels, unless it is smaller from the start.
  private static let minSide = 5.0

  init(of base: SIMD2<Double>, in image: ImageSize) {
    self.base = base
    let zoom = min((Self.pixels / (base.x * base.y)).squareRoot(), 1)
    func side(_ length: Double) -> Int {
      Int(min(max(length * zoom, Self.patternSides.lowerBound), Self.patternSides.upperBound))
    }
    (width, height) = (side(base.x), side(base.y))
    factors = (0..<Self.count).map { pow(Self.step, Double(Self.count / 2 - $0)) }
    window = CorrelationFilter.window(Self.count)
    let minScale = max(Self.minSide / base.x, Self.minSide / base.y)
    let maxScale = min(Double(image.width) / base.x, Double(image.height) / base.y)
    range = min(minScale, 1)...max(maxScale, 1)
    let cells = (width / TrackedArea.cell) * (height / TrackedArea.cell)
    let sigma = Double(Self.count).squareRoot() * Self.peakWidth
    filter = CorrelationFilter(
      Fourier2D(height: 1, width: Self.count), planes: cells * HOGFeatures.channels,
      answer: CorrelationFilter.peak(height: 1, width: Self.count, sigma: sigma),
      regularization: Self.regularization, learningRate: Self.learningRate)
  }

  /// The scale of the object around a point, near its previous scale.
  func scale(of image: PixelBuffer, around centre: Point, from scale: Double) -> Double {
    let answer = filter.answer(to: spectrum(of: image, around: centre, scale: scale))
    let best = answer.indices.max { answer[$0] < answer[$1] } ?? 0
    // The response is a displacement along the scales, from the middle one on.
    let steps = best > Self.count / 2 ? best - Self.count : best
    return min(max(scale * pow(Self.step, -Double(steps)), range.lowerBound), range.upperBound)
  }

  /// Learns the object at a scale.
  mutating func learn(_ image: PixelBuffer, around centre: Point, scale: Double) {
    filter.learn(spectrum(of: image, around: centre, scale: scale))
  }

  private func spectrum(
    of image: PixelBuffer, around centre: Point, scale: Double
  ) -> Fourier2D.Spectrum {
    let planes =
      (width / TrackedArea.cell) * (height / TrackedArea.cell) * HOGFeatures.channels
    var pattern = [Float](repeating: 0, count: planes * Self.count)
    for (index, factor) in factors.enumerated() {
      let patch = ColorPatch(
        of: image, around: centre, size: base * (scale * factor), width: width, height: height)
      let gradients = HOGFeatures(patch, cell: TrackedArea.cell).values
      for plane in 0..<planes {
        pattern[plane * Self.count + index] = window[index] * gradients[plane]
      }
    }
    return filter.transform.spectrum(of: pattern, planes: planes)
  }
}
