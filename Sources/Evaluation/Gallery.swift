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
    try entries.filter { !$0.frame.hasNoPicture }.enumerated().compactMap { rank, entry in
      try write(entry, as: "worst-\(rank + 1).jpg", of: dataset, into: folder)
    }
  }

  /// Writes the JPEG of one frame; nil where its picture cannot be decoded.
  static func write(
    _ entry: WorstFrames.Entry, as file: String, of dataset: DatasetReader, into folder: RunFolder
  ) throws -> Record.Picture? {
    let stored = try dataset.picture(entry.frame.index)
    guard let full = try? stored.decoded() else { return nil }
    var picture = full.reduced(toFit: side)
    let scale = Double(picture.width) / Double(max(full.width, 1))
    draw(entry, on: &picture, scale: scale)
    try folder.write(try picture.jpegBytes(quality: 85), to: "pictures/\(file)")
    return Record.Picture(
      file: file, frame: entry.frame.name, caption: entry.caption, width: picture.width,
      height: picture.height)
  }

  private static func draw(
    _ entry: WorstFrames.Entry, on picture: inout PixelBuffer, scale: Double
  ) {
    for (index, label) in entry.labels.enumerated() {
      picture.stroke(
        label.box.scaled(by: scale),
        color: entry.missed.contains(index) ? Palette.missed : Palette.label)
    }
    for (index, detection) in entry.detections.enumerated() {
      let color = entry.falseDetections.contains(index) ? Palette.falsePositive : Palette.found
      let box = detection.box.scaled(by: scale)
      picture.stroke(box, color: color)
      picture.drawText(
        Figure.text(detection.score), at: Point(x: box.x + 2, y: box.y + 2), color: color)
    }
    for (index, face) in entry.faces.enumerated() {
      FaceOverlay.drawOutline(
        of: face, on: &picture, scale: scale,
        color: entry.falseFaces.contains(index) ? Palette.falsePositive : Palette.face)
    }
  }
}

/// Colours of the boxes; the report's legend names them.
private enum Palette {
  static let label = RGB(235, 235, 235)
  static let found = RGB(60, 180, 255)
  static let face = RGB(70, 225, 130)
  static let missed = RGB(255, 190, 0)
  static let falsePositive = RGB(255, 70, 70)
}
