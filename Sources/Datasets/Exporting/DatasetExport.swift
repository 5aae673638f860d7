internal import FaceCore
package import Foundation
internal import Imaging

/// Writes a dataset as a folder with pictures and a label file of another format.
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

  /// What was written, and what was lost.
  package struct Summary: Sendable {
    package var pictures = 0
    package var faces = 0
    package var losses: [(what: String, count: Int)] = []
  }

  /// How many steps an export of a dataset takes.
  package func stepCount(of dataset: DatasetReader) -> Int { 2 * dataset.frameCount }

  /// Looks for losses, then writes a folder, which must not be there; it has its name only when it is whole.
  ///
  /// Throws `.wrongData` for losses when strict and for a dataset without labels, before anything is written.
  package func run(
    over dataset: DatasetReader, to folder: URL, advance: (Int) -> Void,
    isInterrupted: () -> Bool
  ) throws(DatasetError) -> Summary {
    guard dataset.isLabelled else {
      throw DatasetError(
        .wrongData,
        "cannot export \(dataset.url.relativePath): expected labels, found a dataset without; every "
          + "picture would count as one without faces")
    }
    let output = try OutputPlace(folder)
    let survey = try ExportSurvey(
      of: dataset, as: format, advance: advance, isInterrupted: isInterrupted)
    if isStrict, !survey.losses.isEmpty {
      let list = survey.losses.map { "\($0.what) (\($0.count))" }.joined(separator: ", ")
      throw DatasetError(
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
            throw DatasetError(
              .interrupted, "interrupted after \(summary.pictures) pictures; nothing was written")
          }
          if pass == 0 { advance(1) }
          guard let file = survey.files[frame.index] else { continue }
          pending += text.text(of: frame, file: file, faces: faces, pass: pass)
          guard pass == 0 else { continue }
          try output.write(try Self.bytes(of: frame, in: dataset), to: file)
          summary.pictures += 1
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
  ) throws(DatasetError) -> [UInt8] {
    switch try dataset.picture(frame.index) {
    case .encoded(let bytes): return Array(bytes)
    case .pixels(let pixels):
      do {
        return try pixels.pngBytes()
      } catch {
        throw DatasetError(
          .wrongData,
          "cannot export frame \(frame.index) of \(dataset.url.relativePath): \(error.description)")
      }
    }
  }
}
