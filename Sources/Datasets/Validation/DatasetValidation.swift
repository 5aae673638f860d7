internal import FaceCore
internal import Foundation
package import Platform

/// The checklist of a dataset or predictions file, filled in by reading all of it.
package struct DatasetValidation: Sendable, Encodable {
  /// Frames read.
  package internal(set) var frames = 0
  /// Faces read.
  package internal(set) var faces = 0
  /// All checks with their findings, in order.
  package internal(set) var checks: [ChecklistLine] = []

  /// The checks that found something.
  package var findings: [ChecklistLine] { checks.filter { $0.count > 0 } }
  /// Whether there is an error among the findings.
  package var hasErrors: Bool { checks.contains(where: \.isError) }

  init() {}

  /// Reads every table and the bytes of every image of a dataset; with `decodes`, also its pixels.
  ///
  /// Otherwise only the header and the end of an image are checked. Files that do not open throw; errors in single
  /// frames or faces are findings. Throws `.interrupted` if the caller asks to stop.
  package init(
    of dataset: DatasetReader, decodes: Bool = false, hash: ImageHash = ImageHash(),
    advance: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false }
  ) throws(FileError) {
    var checks = try DatasetChecks.all(of: dataset)
    faces = dataset.faceCount
    let looker = ImageLook(decodes: decodes, hash: hash)
    let ahead = ImagePrefetcher(0..<dataset.frameCount, of: dataset)
    let rowsAhead = FrameRow.readAhead(of: dataset)
    var rows: ArraySlice<FrameRow> = []
    while case let stretch = ahead.nextStretch(), !stretch.isEmpty {
      for ((frame, stored), image) in zip(stretch, looker.look(at: stretch)) {
        try FileError.stop(if: isInterrupted(), "interrupted after \(frames) frames")
        if rows.isEmpty { rows = try rowsAhead.next()?.get()[...] ?? [] }
        guard let row = rows.popFirst() else {
          throw FileError(.inputOutput, "cannot read the rows of frame \(frame)")
        }
        let checked = CheckedFrame(
          row: row, sequence: dataset.sequence(row.frame.sequence),
          image: row.frame.hasNoImage && stored.holdsNothing ? .none : image)
        for index in checks.indices { try checks[index].look(at: checked) }
        frames += 1
        advance(1)
      }
    }
    for index in checks.indices { checks[index].finish() }
    self.checks = checks.flatMap(\.lines)
  }
}

extension Result<StoredImage, FileError> {
  /// Whether an encoded image of no bytes was read.
  fileprivate var holdsNothing: Bool {
    if case .success(.encoded(let bytes)) = self { bytes.isEmpty } else { false }
  }
}
