internal import Datasets
internal import FaceCore
internal import Imaging
internal import Metrics
internal import Records

/// Draws the worst frames of a run into its pictures folder.
enum Gallery {
  /// Longest side of a gallery picture in pixels.
  private static let side = 480

  /// Writes one JPEG a frame and describes it for the record.
  static func write(
    _ entries: [WorstFrames.Entry], of dataset: DatasetReader, into folder: RunFolder
  ) throws -> [Record.Picture] {
    return try entries.enumerated().map { rank, entry in
      let full: PixelBuffer
      switch try dataset.picture(entry.frame.index) {
      case .encoded(let bytes): full = try PixelBuffer(decoding: bytes.span)
      case .pixels(let pixels): full = pixels
      }
      var picture = full.reduced(toFit: side)
      let scale = Double(picture.width) / Double(max(full.width, 1))
      draw(entry, on: &picture, scale: scale)
      let file = "worst-\(rank + 1).jpg"
      try folder.write(try picture.jpegBytes(quality: 85), to: "pictures/\(file)")
      return Record.Picture(
        file: file, frame: entry.frame.name, caption: caption(entry), width: picture.width,
        height: picture.height)
    }
  }

  private static func draw(
    _ entry: WorstFrames.Entry, on picture: inout PixelBuffer, scale: Double
  ) {
    func scaled(_ box: BoundingBox) -> BoundingBox {
      BoundingBox(
        x: box.x * scale, y: box.y * scale, width: box.width * scale, height: box.height * scale)
    }
    let missed = Set(entry.outcome.missed)
    let wrong = Set(entry.outcome.falsePositives)
    for (index, label) in entry.labels.enumerated() {
      picture.stroke(
        scaled(label.box), color: missed.contains(index) ? Palette.missed : Palette.label)
    }
    for (index, detection) in entry.detections.enumerated() {
      let color = wrong.contains(index) ? Palette.falsePositive : Palette.found
      let box = scaled(detection.box)
      picture.stroke(box, color: color)
      picture.drawText(
        Figure.text(detection.score), at: Point(x: box.x + 2, y: box.y + 2), color: color)
    }
  }

  private static func caption(_ entry: WorstFrames.Entry) -> String {
    let outcome = entry.outcome
    var parts: [String] = []
    if !outcome.missed.isEmpty { parts.append("\(outcome.missed.count) missed") }
    if !outcome.falsePositives.isEmpty {
      let count = outcome.falsePositives.count
      parts.append("\(count) false positive\(count == 1 ? "" : "s")")
    }
    parts.append("\(outcome.matches.count) of \(outcome.labelled) found")
    return parts.joined(separator: ", ")
  }
}

/// Colours of the boxes; the report's legend names them.
private enum Palette {
  static let label = RGB(235, 235, 235)
  static let found = RGB(60, 180, 255)
  static let missed = RGB(255, 190, 0)
  static let falsePositive = RGB(255, 70, 70)
}
