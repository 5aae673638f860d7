internal import FaceCore
internal import Foundation
internal import Imaging

/// The part of the image that a correlation tracker searches, and its features.
///
/// The object's box, extended by half its mean side on every side and scaled to a fixed number of pixels (Staple).
struct TrackedArea: Sendable {
  /// Side of a cell in pixels of the patch.
  static let cell = 4
  /// Grey and the oriented gradients.
  static let planes = 1 + HOGFeatures.channels
  /// Pixels of the patch.
  private static let pixels = 150.0 * 150
  /// Fraction of the object's mean side that is left out at its edges for its colors.
  private static let innerPadding = 0.2
  /// Distance in cells from the peak within which there is no sidelobe.
  private static let peakReach = 5

  /// The sides of the area in pixels of the image, at scale 1.
  private let sides: SIMD2<Double>
  private let width: Int
  private let height: Int
  private let rowWindow: [Float]
  private let columnWindow: [Float]
  /// Cells in a row.
  let columns: Int
  /// Rows of cells.
  let rows: Int
  /// Pixels of the image per pixel of the patch, at scale 1.
  let unit: SIMD2<Double>
  /// The object's sides in pixels of the patch.
  let object: SIMD2<Double>
  /// The sides of the area that certainly belongs to the object, in pixels of the patch.
  let inner: SIMD2<Double>
  /// The object's sides in whole pixels of the patch.
  let window: (width: Int, height: Int)
  /// Maximum movement of the object between frames, in pixels of the patch.
  let reach: Int

  init(around base: SIMD2<Double>) {
    let mean = (base.x + base.y) / 2
    sides = base + mean
    let zoom = (Self.pixels / (sides.x * sides.y)).squareRoot()
    (width, height) = (Int((sides.x * zoom).rounded()), Int((sides.y * zoom).rounded()))
    unit = sides / SIMD2(Double(width), Double(height))
    object = base / unit
    inner = pointwiseMax((base - Self.innerPadding * mean) / unit, SIMD2(1, 1))
    window = (max(Int(object.x.rounded()), 1), max(Int(object.y.rounded()), 1))
    reach = min(width - window.width, height - window.height) / 2
    (columns, rows) = (width / Self.cell, height / Self.cell)
    (rowWindow, columnWindow) = (
      CorrelationFilter.window(columns), CorrelationFilter.window(rows)
    )
  }

  /// The area of an image.
  func patch(of image: PixelBuffer, around centre: Point, scale: Double) -> ColorPatch {
    ColorPatch(of: image, around: centre, size: sides * scale, width: width, height: height)
  }

  /// Grey and gradients, faded out towards the edges: [rows, planes, columns].
  func features(of patch: ColorPatch) -> [Float] {
    let gradients = HOGFeatures(patch, cell: Self.cell).values
    var features = [Float](repeating: 0, count: rows * Self.planes * columns)
    for y in 0..<rows {
      for x in 0..<columns {
        let weight = columnWindow[y] * rowWindow[x]
        let to = y * Self.planes * columns + x
        features[to] = weight * (grey(of: patch, y, x) - 0.5)
        let from = (y * columns + x) * HOGFeatures.channels
        for channel in 0..<HOGFeatures.channels {
          features[to + (channel + 1) * columns] = weight * gradients[from + channel]
        }
      }
    }
    return features
  }

  /// Mean luminance of a cell in [0, 1], with the weights of Rec. 601.
  private func grey(of patch: ColorPatch, _ row: Int, _ column: Int) -> Float {
    var sum: Float = 0
    for y in (row * Self.cell)..<((row + 1) * Self.cell) {
      for x in (column * Self.cell)..<((column + 1) * Self.cell) {
        let at = (y * width + x) * 3
        sum +=
          0.299 * patch.values[at] + 0.587 * patch.values[at + 1] + 0.114 * patch.values[at + 2]
      }
    }
    return sum / Float(Self.cell * Self.cell)
  }

  /// The displacement in pixels of the patch at which the combined response of filter and colors is highest.
  ///
  /// The response is interpolated linearly between cells.
  func displacement(_ answer: [Float], _ likelihood: [Float], share: Float) -> SIMD2<Double> {
    var best = -Float.infinity
    var position = SIMD2<Double>.zero
    let horizontal = (-reach...reach).map { Position($0, count: columns) }
    let side = 2 * reach + 1
    for down in -reach...reach {
      let vertical = Position(down, count: rows)
      let (near, far) = (vertical.cell * columns, vertical.next * columns)
      for across in 0..<side {
        let x = horizontal[across]
        let above = answer[near + x.cell] * (1 - x.far) + answer[near + x.next] * x.far
        let below = answer[far + x.cell] * (1 - x.far) + answer[far + x.next] * x.far
        let value =
          (1 - share) * (above * (1 - vertical.far) + below * vertical.far)
          + share * likelihood[(down + reach) * side + across]
        if value > best {
          best = value
          position = SIMD2(Double(across - reach), Double(down))
        }
      }
    }
    return position
  }

  /// A displacement as two neighbouring cells of a response that wraps around its edges.
  private struct Position {
    let cell: Int
    let next: Int
    let far: Float

    init(_ displacement: Int, count: Int) {
      let whole = Int((Double(displacement) / Double(TrackedArea.cell)).rounded(.down))
      cell = (whole % count + count) % count
      next = (cell + 1) % count
      far = Float(displacement - whole * TrackedArea.cell) / Float(TrackedArea.cell)
    }
  }

  /// (peak - mean) / standard deviation of a response, the last two without the cells around the peak; at least 0.
  func peakToSidelobeRatio(_ answer: [Float]) -> Double {
    guard let peak = answer.indices.max(by: { answer[$0] < answer[$1] }) else { return 0 }
    func isNear(_ a: Int, _ b: Int, _ count: Int) -> Bool {
      min(abs(a - b), count - abs(a - b)) <= Self.peakReach
    }
    var (sum, squares, count) = (0.0, 0.0, 0.0)
    for (index, value) in answer.enumerated()
    where !isNear(index / columns, peak / columns, rows)
      || !isNear(index % columns, peak % columns, columns)
    {
      sum += Double(value)
      squares += Double(value) * Double(value)
      count += 1
    }
    let mean = sum / count
    let deviation = max(squares / count - mean * mean, 0).squareRoot()
    let ratio = (Double(answer[peak]) - mean) / deviation
    return ratio.isFinite ? max(ratio, 0) : 0
  }
}
