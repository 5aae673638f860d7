package import FaceCore
internal import Foundation
package import Imaging

/// Follows one object from frame to frame by its looks, seeded with a box; it knows no faces.
///
/// Staple (Bertinetto et al. 2016) with the scale search of DSST (Danelljan et al. 2014) and their published
/// parameters: a correlation filter over oriented gradients says where the object's shape is, histograms where
/// its colors are, and a second filter over 33 scales how large it has become. Every frame is learnt from after
/// it was answered; no frame depends on a later one. The box keeps the shape of the first one. Deterministic.
package struct CorrelationTracker: Sendable {
  /// Where an object is held to be, and how sure that is.
  package struct Sight: Sendable, Hashable {
    /// The box in pixels of the picture.
    package let box: BoundingBox
    /// `psr / (psr + 7)` of the filter's answer, in [0, 1].
    ///
    /// PSR is the peak-to-sidelobe ratio, (peak - mean) / standard deviation, the last two of all cells but
    /// the 11 x 11 around the peak. At a PSR of 7, a confidence of 0.5, MOSSE's authors (Bolme et al. 2010)
    /// take an object as hidden or lost. It orders frames; it is no calibrated probability.
    package let confidence: Double
  }

  private let base: SIMD2<Double>
  private let area: TrackedArea
  private var centre: Point
  private var scale = 1.0
  private var shape: CorrelationFilter
  private var colors = ColorModel()
  private var size: ScaleSearch

  /// Share of the colors in the answer, of the filter the rest (Staple).
  private static let colorShare: Float = 0.3
  /// Weight against large filters, per cell (Staple).
  private static let regularization: Float = 1e-3
  /// Share of the newest frame in the filter (Staple).
  private static let learningRate: Float = 0.01
  /// Width of the wanted peak over the geometric mean of the object's sides (KCF, Staple).
  private static let peakWidth = 1.0 / 16
  /// The PSR that has a confidence of 0.5 (MOSSE).
  private static let doubtfulRatio = 7.0
  /// Largest side and distance from the origin of a first box, in pixels.
  private static let farthest = 1e6

  /// Learns what is in a box, in pixels; nil for an empty picture and a box without area or far off.
  package init?(following box: BoundingBox, in picture: PixelBuffer) {
    guard box.isWellFormed, box.width > 0, box.height > 0,
      max(abs(box.x), abs(box.y), box.width, box.height) <= Self.farthest,
      picture.width > 0, picture.height > 0
    else { return nil }
    base = SIMD2(box.width, box.height)
    centre = Point(x: box.x + box.width / 2, y: box.y + box.height / 2)
    area = TrackedArea(around: base)
    let cells = area.columns * area.rows
    let side = (area.object.x * area.object.y).squareRoot() / Double(TrackedArea.cell)
    shape = CorrelationFilter(
      PlaneTransform(height: area.rows, width: area.columns), planes: TrackedArea.planes,
      answer: CorrelationFilter.peak(
        height: area.rows, width: area.columns, sigma: side * Self.peakWidth),
      regularization: Self.regularization * Float(cells), learningRate: Self.learningRate)
    size = ScaleSearch(of: base, in: picture.size)
    learn(picture)
  }

  /// Looks for the object in the next picture, and learns from what it found.
  package mutating func follow(into picture: PixelBuffer) -> Sight {
    guard picture.width > 0, picture.height > 0 else { return Sight(box: box, confidence: 0) }
    let patch = area.patch(of: picture, around: centre, scale: scale)
    let answer = shape.answer(to: spectrum(of: patch))
    let move = area.displacement(
      answer, colors.meanLikelihood(patch, window: area.window, reach: area.reach),
      share: Self.colorShare)
    let pixels = move * area.unit * scale
    centre = Point(
      x: min(max(centre.x + pixels.x, 0), Double(picture.width)),
      y: min(max(centre.y + pixels.y, 0), Double(picture.height)))
    scale = size.scale(of: picture, around: centre, from: scale)
    learn(picture)
    let ratio = area.peakToSidelobeRatio(answer)
    return Sight(box: box, confidence: ratio / (ratio + Self.doubtfulRatio))
  }

  private var box: BoundingBox {
    let sides = base * scale
    return BoundingBox(
      x: centre.x - sides.x / 2, y: centre.y - sides.y / 2, width: sides.x, height: sides.y)
  }

  private mutating func learn(_ picture: PixelBuffer) {
    let patch = area.patch(of: picture, around: centre, scale: scale)
    shape.learn(spectrum(of: patch))
    colors.learn(patch, inner: area.inner, outer: area.object)
    size.learn(picture, around: centre, scale: scale)
  }

  private func spectrum(of patch: ColorPatch) -> PlaneTransform.Spectrum {
    shape.transform.spectrum(of: area.features(of: patch), planes: TrackedArea.planes)
  }
}
