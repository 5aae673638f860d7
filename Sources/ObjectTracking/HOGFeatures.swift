internal import Foundation

/// Histograms of oriented gradients over cells (Felzenszwalb et al. 2010), without the texture features.
///
/// For each cell the strength of the gradients in 18 directions, then in 9 directions without sign, each
/// normalized by the four blocks of 2 x 2 cells that contain the cell, clipped at 0.2 and averaged.
struct HOGFeatures: Sendable {
  /// Cells in a row.
  let width: Int
  /// Rows of cells.
  let height: Int
  /// [height, width, 27].
  let values: [Float]

  /// Features of a cell.
  static let channels = 27
  private static let directions = 18
  private static let ceiling: Float = 0.2
  /// Keeps the norm of flat areas above 0, for values in [0, 1].
  private static let floor: Float = 1e-4
  /// Tangents of 10, 30, 50 and 70 degrees, the borders between directions.
  private static let borders = SIMD4<Float>(
    (0..<4).map { Float(tan((20 * Double($0) + 10) * Double.pi / 180)) })

  /// The features of the complete cells of a patch, which has at least one.
  init(_ patch: ColorPatch, cell: Int) {
    width = patch.width / cell
    height = patch.height / cell
    let histograms = Self.histograms(patch, cell: cell, width: width, height: height)
    values = Self.normalized(histograms, width: width, height: height)
  }

  /// [height, width, 18]: each pixel's gradient is shared by the four nearest cells.
  private static func histograms(
    _ patch: ColorPatch, cell: Int, width: Int, height: Int
  ) -> [Float] {
    let (values, columns, rows) = (patch.values, patch.width, patch.height)
    let across = (0..<(width * cell)).map { Share($0, cell: cell, count: width) }
    let borders = Self.borders
    // One extra cell on every side collects contributions outside.
    let stride = (width + 2) * directions
    var padded = [Float](repeating: 0, count: (height + 2) * stride)
    for y in 0..<(height * cell) {
      let (above, below) = (max(y - 1, 0) * columns * 3, min(y + 1, rows - 1) * columns * 3)
      let vertical: Float = below - above == 2 * columns * 3 ? 0.5 : 1
      let down = Share(y, cell: cell, count: height)
      for x in 0..<(width * cell) {
        let (left, right) = (max(x - 1, 0) * 3, min(x + 1, columns - 1) * 3)
        let horizontal: Float = right - left == 6 ? 0.5 : 1
        let row = y * columns * 3
        var gradient = SIMD2<Float>.zero
        var strength: Float = -1
        for channel in 0..<3 {
          let candidate = SIMD2(
            horizontal * (values[row + right + channel] - values[row + left + channel]),
            vertical * (values[below + x * 3 + channel] - values[above + x * 3 + channel]))
          let square = candidate.x * candidate.x + candidate.y * candidate.y
          if square > strength { (gradient, strength) = (candidate, square) }
        }
        guard strength > 0 else { continue }
        let (magnitude, direction) = (strength.squareRoot(), Self.direction(of: gradient, borders))
        let share = across[x]
        let at = down.cell * stride + share.cell * directions + direction
        let (near, far) = (magnitude * (1 - down.far), magnitude * down.far)
        padded[at] += near * (1 - share.far)
        padded[at + directions] += near * share.far
        padded[at + stride] += far * (1 - share.far)
        padded[at + stride + directions] += far * share.far
      }
    }
    return (1...height).flatMap {
      padded[($0 * stride + directions)..<(($0 + 1) * stride - directions)]
    }
  }

  /// The padded cell before a pixel's centre, and the part of the gradient that goes to the next one.
  private struct Share {
    let cell: Int
    let far: Float

    init(_ pixel: Int, cell size: Int, count: Int) {
      let position = (Float(pixel) + 0.5) / Float(size) + 0.5
      cell = min(Int(position), count)
      far = position - Float(cell)
    }
  }

  /// The nearest of the 18 directions, 0 to the right, 20 degrees from one to the next, clockwise on screen.
  private static func direction(of gradient: SIMD2<Float>, _ borders: SIMD4<Float>) -> Int {
    let (x, y) = (abs(gradient.x), abs(gradient.y))
    let ends = borders * x
    let steps =
      (y > ends.x ? 1 : 0) + (y > ends.y ? 1 : 0) + (y > ends.z ? 1 : 0) + (y > ends.w ? 1 : 0)
    switch (gradient.x >= 0, gradient.y >= 0) {
    case (true, true): return steps
    case (false, true): return 9 - steps
    case (false, false): return 9 + steps
    case (true, false): return steps == 0 ? 0 : 18 - steps
    }
  }

  private static func normalized(_ histograms: [Float], width: Int, height: Int) -> [Float] {
    let energy = (0..<(width * height)).map { cell in
      (0..<9).reduce(Float(0)) { sum, direction in
        let at = cell * directions + direction
        let both = histograms[at] + histograms[at + 9]
        return sum + both * both
      }
    }
    /// Of the block whose lower right cell is at that position; cells at the edges are repeated.
    func norm(_ y: Int, _ x: Int) -> Float {
      let (top, bottom) = (max(y - 1, 0) * width, min(y, height - 1) * width)
      let (left, right) = (max(x - 1, 0), min(x, width - 1))
      let sum =
        energy[top + left] + energy[top + right] + energy[bottom + left] + energy[bottom + right]
      return 1 / (sum + floor).squareRoot()
    }
    let norms = (0...height).map { y in (0...width).map { norm(y, $0) } }
    var values = [Float](repeating: 0, count: width * height * channels)
    for y in 0..<height {
      for x in 0..<width {
        let from = (y * width + x) * directions
        let to = (y * width + x) * channels
        for norm in [norms[y][x], norms[y][x + 1], norms[y + 1][x], norms[y + 1][x + 1]] {
          for direction in 0..<directions {
            values[to + direction] += 0.5 * min(histograms[from + direction] * norm, ceiling)
          }
          for direction in 0..<9 {
            let both = histograms[from + direction] + histograms[from + direction + 9]
            values[to + directions + direction] += 0.5 * min(both * norm, ceiling)
          }
        }
      }
    }
    return values
  }
}
