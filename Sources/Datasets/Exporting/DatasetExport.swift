internal import FaceCore
package import Foundation
internal import Imaging
package import Platform

/// Writes a dataset's labels or a tracker's output as a folder of another format, with the images.
package struct DatasetExport {
  /// The format.
  package var format: any DatasetExporter
  /// Whether anything that the format cannot hold is an error.
  package var isStrict: Bool
  /// Whether the images are written, where the format has them.
  package var writesImages = true
  /// Whether the points of faces are written.
  package var writesPoints = true

  /// Plans an export.
  package init(_ format: any DatasetExporter, isStrict: Bool) {
    self.format = format
    self.isStrict = isStrict
  }

  /// Counts of written data, and losses.
  package struct Summary: Sendable {
    package var frames = 0
    package var images = 0
    package var faces = 0
    package var losses: [(what: String, count: Int)] = []
  }

  /// Number of progress steps of an export.
  package func stepCount(of dataset: DatasetReader) -> Int { 2 * dataset.frameCount }

  /// Determines losses, then writes a new folder, which gets its final name only when it is complete.
  ///
  /// Throws `.wrongData` before anything is written: for losses if strict, for a dataset without labels, where no frame
  /// would be written, and for what the format has no place for.
  package func run(
    over dataset: DatasetReader, _ predictions: PredictionsReader? = nil, to folder: URL,
    advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    let source = try ExportSource(dataset, predictions, hasPoints: writesPoints)
    try check(source)
    let output = try OutputLocation(folder)
    let survey = try ExportSurvey(
      of: source, as: format, advance: advance, isInterrupted: isInterrupted)
    guard dataset.frameCount == 0 || survey.files.contains(where: { $0 != nil }) else {
      throw FileError.wrongData(
        "cannot export \(dataset.url.relativePath) as \(format.name): expected frames with images, found none "
          + "in \(dataset.frameCount) (import the labels with their images)")
    }
    if isStrict, !survey.losses.isEmpty {
      let list = survey.losses.map { "\($0.what) (\($0.count))" }.joined(separator: ", ")
      throw FileError.wrongData("cannot export as \(format.name) without loss (--strict): \(list)")
    }
    try output.make()
    var summary = Summary(faces: survey.faceCount, losses: survey.losses)
    let isBare = source.isPredictions && format.layout.hasBareResults || !writesImages
    var text = format.makeText(of: source, survey)
    for pass in 0..<text.passes {
      try output.append(text.opening(pass: pass))
      var next = 0
      while next < dataset.frameCount {
        let range = try source.range(from: next)
        next = range.upperBound
        for (frame, faces) in zip(try dataset.frames(range), try source.faces(range)) {
          try FileError.stop(
            if: isInterrupted(), "interrupted after \(summary.frames) frames; nothing was written")
          if pass == 0 { advance(1) }
          guard let image = survey.files[frame.index] else { continue }
          try output.append(
            text.pieces(of: ExportedFrame(frame: frame, image: image, faces: faces), pass: pass))
          guard pass == 0 else { continue }
          summary.frames += 1
          guard !isBare, !frame.hasNoImage else { continue }
          try output.write(try Self.bytes(of: frame, in: dataset), to: image)
          summary.images += 1
        }
      }
      try output.append(text.closing(pass: pass))
    }
    try output.commit()
    return summary
  }

  private func check(_ source: ExportSource) throws(FileError) {
    let hasVideos = source.dataset.sequences.contains { $0.kind == .video }
    for (isWrong, expected, found) in [
      (format.layout.isOfPredictions && !source.isPredictions, "a tracker's output", "labels"),
      (format.layout.isOfVideos && !hasVideos, "videos", "stills"),
    ] where isWrong {
      throw FileError.wrongData(
        "cannot export \(source.dataset.url.relativePath) as \(format.name): expected \(expected), "
          + "which is what the format holds, found \(found)")
    }
  }

  private static func bytes(
    of frame: Frame, in dataset: DatasetReader
  ) throws(FileError) -> [UInt8] {
    switch try dataset.image(frame.index) {
    case .encoded(let bytes): return ImageHeader.withoutRotation(Array(bytes))
    case .pixels(let pixels):
      do {
        return try pixels.pngBytes()
      } catch {
        throw FileError.wrongData(
          "cannot export frame \(frame.index) of \(dataset.url.relativePath): \(error.description)")
      }
    }
  }
}
