internal import FaceCore
package import Foundation
internal import Imaging
package import Platform

/// Writes a dataset as a folder with images and a label file of another format.
package struct DatasetExport {
  /// The format.
  package var format: any DatasetExporter
  /// Whether anything that the format cannot hold is an error.
  package var isStrict: Bool

  /// Plans an export.
  package init(_ format: any DatasetExporter, isStrict: Bool) {
    self.format = format
    self.isStrict = isStrict
  }

  /// Counts of written data, and losses.
  package struct Summary: Sendable {
    package var images = 0
    package var faces = 0
    package var losses: [(what: String, count: Int)] = []
  }

  /// Number of progress steps of an export.
  package func stepCount(of dataset: DatasetReader) -> Int { 2 * dataset.frameCount }

  /// Determines losses, then writes a new folder, which gets its final name only when it is complete.
  ///
  /// Throws `.wrongData` before anything is written: for losses if strict, and for a dataset without labels.
  package func run(
    over dataset: DatasetReader, to folder: URL, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(FileError) -> Summary {
    guard dataset.isLabelled else {
      throw FileError(
        .wrongData,
        "cannot export \(dataset.url.relativePath): expected labels, found a dataset without; every "
          + "image would count as one without faces")
    }
    let output = try OutputLocation(folder)
    let survey = try ExportSurvey(
      of: dataset, as: format, advance: advance, isInterrupted: isInterrupted)
    if isStrict, !survey.losses.isEmpty {
      let list = survey.losses.map { "\($0.what) (\($0.count))" }.joined(separator: ", ")
      throw FileError(
        .wrongData, "cannot export as \(format.name) without loss (--strict): \(list)")
    }
    try output.make()
    var summary = Summary(faces: survey.faceCount, losses: survey.losses)
    var text = format.makeText(of: dataset, survey)
    let labels = try output.handle(format.labelFile)
    for pass in 0..<text.passes {
      var pending = text.opening(pass: pass)
      var next = 0
      while next < dataset.frameCount {
        let range = try dataset.range(from: next, atMost: 256)
        next = range.upperBound
        for (frame, faces) in zip(try dataset.frames(range), try dataset.labels(range)) {
          guard !isInterrupted() else {
            throw FileError(
              .interrupted, "interrupted after \(summary.images) images; nothing was written")
          }
          if pass == 0 { advance(1) }
          guard let file = survey.files[frame.index] else { continue }
          pending += text.text(of: frame, file: file, faces: faces, pass: pass)
          guard pass == 0 else { continue }
          try output.write(try Self.bytes(of: frame, in: dataset), to: file)
          summary.images += 1
        }
        try output.append(pending, to: labels)
        pending = ""
      }
      try output.append(pending + text.closing(pass: pass), to: labels)
    }
    try output.commit(closing: labels)
    return summary
  }

  private static func bytes(
    of frame: Frame, in dataset: DatasetReader
  ) throws(FileError) -> [UInt8] {
    switch try dataset.image(frame.index) {
    case .encoded(let bytes): return Array(bytes)
    case .pixels(let pixels):
      do {
        return try pixels.pngBytes()
      } catch {
        throw FileError(
          .wrongData,
          "cannot export frame \(frame.index) of \(dataset.url.relativePath): \(error.description)")
      }
    }
  }
}
