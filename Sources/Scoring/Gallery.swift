internal import Datasets
internal import FaceCore
internal import Imaging
internal import Metrics
internal import Records
internal import Running

/// Draws the worst frames of a run into its images folder.
enum Gallery {
  /// Longest side of a gallery image in pixels.
  private static let side = 480

  /// Writes one JPEG a frame and describes it for the record; `notes` name the frames whose images cannot be read.
  static func write(
    _ entries: [WorstFrames.Entry], of dataset: DatasetReader, minSide: Int? = nil,
    into folder: RunFolder, notes: inout [String]
  ) throws -> [Record.Image] {
    var images: [Record.Image] = []
    for (rank, entry) in entries.filter({ !$0.frame.hasNoImage }).enumerated() {
      let file = "worst-\(rank + 1).jpg"
      if let image = try write(
        entry, as: file, of: dataset, minSide: minSide, into: folder, notes: &notes)
      {
        images.append(image)
      }
    }
    return images
  }

  /// Writes the JPEG of one frame; nil, and a note that names it, where its image cannot be read.
  static func write(
    _ entry: WorstFrames.Entry, as file: String, of dataset: DatasetReader, minSide: Int? = nil,
    into folder: RunFolder, notes: inout [String]
  ) throws -> Record.Image? {
    let full: PixelBuffer
    do {
      full = try dataset.image(entry.frame.index).decoded(minSide: minSide)
    } catch {
      let note = "Frame \(entry.frame.index) '\(entry.frame.name)' is not shown: \(error)"
      if !notes.contains(note) { notes.append(note) }
      return nil
    }
    var image = full.reduced(toFit: side)
    let scale = Double(image.width) / Double(max(full.originalSize.width, 1))
    draw(entry, on: &image, scale: scale)
    try folder.write(try image.jpegBytes(quality: 85), to: "images/\(file)")
    return Record.Image(
      file: file, frame: entry.frame.name, caption: entry.caption, width: image.width,
      height: image.height)
  }

  private static func draw(
    _ entry: WorstFrames.Entry, on image: inout PixelBuffer, scale: Double
  ) {
    for (index, label) in entry.labels.enumerated() {
      image.stroke(
        label.box.scaled(by: scale),
        color: entry.missed.contains(index) ? Palette.missed : Palette.label)
    }
    for (index, detection) in entry.detections.enumerated() {
      let color = entry.falseDetections.contains(index) ? Palette.falsePositive : Palette.found
      let box = detection.box.scaled(by: scale)
      image.stroke(box, color: color)
      image.drawText(
        NumberText.text(detection.score), at: Point(x: box.x + 2, y: box.y + 2), color: color)
    }
    for (index, face) in entry.faces.enumerated() {
      FaceOverlay.drawOutline(
        of: face, on: &image, scale: scale,
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
