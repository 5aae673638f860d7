package import FaceCore

extension PixelBuffer {
  /// The size in pixels that a line of text takes, halo included.
  package static func textSize(_ text: String, scale: Int = 1) -> ImageSize {
    let scale = max(scale, 1)
    return ImageSize(
      width: (max(text.count * BitmapFont.advance - 1, 0) + 2) * scale,
      height: (BitmapFont.glyphHeight + 2) * scale)
  }

  /// Draws one line of text with a halo one font pixel wide, its top left corner at a position.
  ///
  /// `scale` is the side of a font pixel in pixels. Latin letters, digits and common signs have glyphs; others
  /// show as a box. Parts outside the image are clipped.
  package mutating func drawText(
    _ text: String, at position: Point, scale: Int = 1, color: RGB = .white, halo: RGB = .black
  ) {
    let scale = Double(max(scale, 1))
    let (left, top) = (position.x.rounded() + scale, position.y.rounded() + scale)
    var cells: [BoundingBox] = []
    for (index, character) in text.enumerated() {
      for (y, row) in BitmapFont.rows(of: character).enumerated() {
        for x in 0..<BitmapFont.glyphWidth where row >> (BitmapFont.glyphWidth - 1 - x) & 1 == 1 {
          cells.append(
            BoundingBox(
              x: left + Double(index * BitmapFont.advance + x) * scale, y: top + Double(y) * scale,
              width: scale, height: scale))
        }
      }
    }
    for cell in cells {
      fill(
        BoundingBox(
          x: cell.x - scale, y: cell.y - scale, width: 3 * scale, height: 3 * scale), with: halo)
    }
    for cell in cells { fill(cell, with: color) }
  }
}
