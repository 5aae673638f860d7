package import FaceCore
internal import Foundation
package import Imaging

/// Tracks one object from frame to frame by its appearance, starting from a box; it has no model of faces.
///
/// Staple (Bertinetto et al. 2016) with the scale search of DSST (Danelljan et al. 2014) and their published
/// parameters: a correlation filter over oriented gradients locates the object's shape, histograms locate
/// its colors, and a second filter over 33 scales estimates its size. The tracker learns from every frame after
/// locating the object; no frame depends on a later one. The box keeps the shape of the first one. Deterministic.
package struct CorrelationTracker: Sendable {
  /// The estimated box of an object, with a confidence.
  package struct Sight: Sendable, Hashable {
    /// The box in pixels of the image.
    package let box: BoundingBox
    /// `psr / (psr + 7)` of the filter's answer, in [0, 1].
    ///
    /// PSR is the peak-to-sidelobe ratio, (peak - mean) / standard deviation, the last two of all cells but
    /// the 11 x 11 around the peak. At a PSR of 7, a confidence of 0.5, MOSSE's authors (Bolme et al. 2010)
    /// consider an object hidden or lost. It ranks frames; it is not a calibrated probability.
    package let confidence: Double
  }

  private let base: SIMD2<Double>
  private let area: TrackedArea
  private var centre: Point
  private var scale = 1.0
  private var shape: CorrelationFilter
  private var colors = ColorLikelihood()
  private var size: ScaleFilter

  /// Weight of the colors in the response; the filter has the rest (Staple).
  private static let colorShare: Float = 0.3
  /// Regularisation of the filter, per cell (Staple).
  private static let regularization: Float = 1e-3
  /// Share of the newest frame in the filter (Staple).
  private static let learningRate: Float = 0.01
  /// Width of the wanted peak over the geometric mean of the object's sides (KCF, Staple).
  private static let peakWidth = 1.0 / 16
  /// The PSR that has a confidence of 0.5 (MOSSE).
  private static let doubtfulRatio = 7.0
  /// Largest side and distance from the origin of a first box, in pixels.
  private static let farthest = 1e6

  /// Learns the contents of a box in pixels; nil for an empty image or a box that is empty or far outside.
  package init?(following box: BoundingBox, in image: PixelBuffer) {
    guard box.isWellFormed, box.width > 0, box.height > 0,
      max(abs(box.x), abs(box.y), box.width, box.height) <= Self.farthest,
      image.width > 0, image.height > 0
    else { return nil }
    base = SIMD2(box.width, box.height)
    centre = Point(x: box.x + box.width / 2, y: box.y + box.height / 2)
    area = TrackedArea(around: base)
    let cells = area.columns * area.rows
    let side = (area.object.x * area.object.y).squareRoot() / Double(TrackedArea.cell)
    shape = CorrelationFilter(
      Fourier2D(height: area.rows, width: area.columns), planes: TrackedArea.planes,
      answer: CorrelationFilter.peak(
        height: area.rows, width: area.columns, sigma: side * Self.peakWidth),
      regularization: Self.regularization * Float(cells), learningRate: Self.learningRate)
    size = ScaleFilter(of: base, in: image.size)
    learn(image)
  }

  /// Locates the object in the next image, then learns from it.
  package mutating func follow(into image: PixelBuffer) -> Sight {
    guard image.width > 0, image.height > 0 else { return Sight(box: box, confidence: 0) }
    let patch = area.patch(of: image, around: centre, scale: scale)
    let answer = shape.answer(to: spectrum(of: patch))
    let move = area.displacement(
      answer, colors.meanLikelihood(patch, window: area.window, reach: area.reach),
      share: Self.colorShare)
    let pixels = move * area.unit * scale
    centre = Point(
      x: min(max(centre.x + pixels.x, 0), Double(image.width)),
      y: min(max(centre.y + pixels.y, 0), Double(image.height)))
    scale = size.scale(of: image, around: centre, from: scale)
    learn(image)
    let ratio = area.peakToSidelobeRatio(answer)
    return Sight(box: box, confidence: ratio / (ratio + Self.doubtfulRatio))
  }

  private var box: BoundingBox {
    let sides = base * scale
    return BoundingBox(
      x: centre.x - sides.x / 2, y: centre.y - sides.y / 2, width: sides.x, height: sides.y)
  }

  private mutating func learn(_ image: PixelBuffer) {
    let patch = area.patch(of: image, around: centre, scale: scale)
    shape.learn(spectrum(of: patch))
    colors.learn(patch, inner: area.inner, outer: area.object)
    size.learn(image, around: centre, scale: scale)
  }

  private func spectrum(of patch: ColorPatch) -> Fourier2D.Spectrum {
    shape.transform.spectrum(of: area.features(of: patch), planes: TrackedArea.planes)
  }
}
