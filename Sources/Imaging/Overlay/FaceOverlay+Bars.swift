internal import FaceCore

extension FaceOverlay {
  /// The image with a panel of coefficients to its right, as high as the image.
  ///
  /// One face gets all 52 in two columns if the image is high enough; otherwise, and with several faces,
  /// each of the first four gets a column of its largest known ones. An image under 40 pixels is not changed.
  func withBars(of faces: [FacePrediction], rightOf image: PixelBuffer) -> PixelBuffer {
    let columns = Self.columns(of: faces, height: image.height)
    guard let layout = BarLayout(height: image.height), !columns.isEmpty else { return image }
    let width = columns.count * layout.columnWidth + layout.gap
    var canvas = PixelBuffer(
      width: image.width + width, height: image.height, color: palette.ground)
    canvas.paste(image)
    for (index, column) in columns.enumerated() {
      let left = image.width + layout.gap + index * layout.columnWidth
      write(column.title, atRow: 0, left: left, layout: layout, on: &canvas)
      for (row, bar) in column.bars.enumerated() {
        draw(bar, row: row + 1, left: left, layout: layout, on: &canvas)
      }
    }
    return canvas
  }

  private struct Bar {
    let name: String
    let value: Double
  }

  private struct Column {
    let title: String
    let bars: [Bar]
  }

  private static func columns(of faces: [FacePrediction], height: Int) -> [Column] {
    let lists = faces.enumerated().compactMap { index, face -> (face: Int, bars: [Bar])? in
      guard let values = face.blendshapes, values.count == Blendshape.names.count,
        values.contains(where: { !$0.isNaN })
      else { return nil }
      return (index + 1, zip(Blendshape.names, values).map { Bar(name: $0, value: Double($1)) })
    }
    guard let layout = BarLayout(height: height), let only = lists.first else { return [] }
    let half = Blendshape.names.count / 2
    if lists.count == 1, layout.rows >= half {
      return [
        Column(title: "blendshapes", bars: Array(only.bars.prefix(half))),
        Column(title: "", bars: Array(only.bars.dropFirst(half))),
      ]
    }
    return lists.prefix(4).map { face, bars in
      let ranked = bars.enumerated().filter { !$0.element.value.isNaN }.sorted { first, second in
        (-first.element.value, first.offset) < (-second.element.value, second.offset)
      }
      let shown = ranked.prefix(min(layout.rows, half)).map(\.element)
      return Column(title: "face \(face): largest \(shown.count)", bars: shown)
    }
  }

  private func draw(
    _ bar: Bar, row: Int, left: Int, layout: BarLayout, on canvas: inout PixelBuffer
  ) {
    write(bar.name, atRow: row, left: left, layout: layout, on: &canvas)
    let track = BoundingBox(
      x: Double(left + layout.nameWidth),
      y: Double(row * layout.rowHeight + 3 * layout.scale), width: Double(layout.barWidth),
      height: Double(6 * layout.scale))
    canvas.fill(track, with: palette.track)
    var filled = track
    filled.width *= min(max(bar.value, 0), 1)
    canvas.fill(filled, with: palette.detection)
    write(
      Self.twoDecimals(bar.value), atRow: row, left: left + layout.nameWidth + layout.barWidth,
      layout: layout, on: &canvas)
  }

  private func write(
    _ text: String, atRow row: Int, left: Int, layout: BarLayout, on canvas: inout PixelBuffer
  ) {
    canvas.drawText(
      text, at: Point(x: Double(left), y: Double(row * layout.rowHeight + layout.scale)),
      scale: layout.scale, color: palette.ink, halo: palette.ground)
  }
}

/// Sizes of the panel in pixels; the text is scaled to fit all 52 rows in two columns.
private struct BarLayout {
  let scale: Int
  let rows: Int

  init?(height: Int) {
    scale = max(height / (12 * (Blendshape.names.count / 2 + 1)), 1)
    rows = height / (12 * scale) - 1
    if rows < 2 { return nil }
  }

  var rowHeight: Int { 12 * scale }
  var gap: Int { 8 * scale }
  var nameWidth: Int { 122 * scale }
  var barWidth: Int { 56 * scale }
  var columnWidth: Int { nameWidth + barWidth + 36 * scale }
}

extension PixelBuffer {
  /// Copies an image to the top left corner, cropped if it is larger.
  fileprivate mutating func paste(_ image: PixelBuffer) {
    let (stride, rowBytes) = (width * 3, min(width, image.width) * 3)
    let rows = min(height, image.height)
    let source = image.bytes
    withMutableBytes { bytes in
      for y in 0..<rows {
        let from = y * image.width * 3
        for offset in 0..<rowBytes { bytes[y * stride + offset] = source[from + offset] }
      }
    }
  }
}
