internal import FaceCore
internal import Foundation

/// A checklist of a file of ours, filled in by reading it from end to end.
package struct DatasetValidation: Sendable, Encodable {
  /// Frames read.
  package internal(set) var frames = 0
  /// Faces read.
  package internal(set) var faces = 0
  /// Every check with what it found, in order.
  package internal(set) var checks: [ChecklistLine] = []

  /// The checks that found something.
  package var findings: [ChecklistLine] { checks.filter { $0.count > 0 } }
  /// Whether there is an error among the findings.
  package var hasErrors: Bool { checks.contains(where: \.isError) }

  init() {}

  /// Reads every table and the bytes of every picture of a dataset; with `decodes`, also its pixels.
  ///
  /// Without, a picture is broken where its header or its end is. Files that do not open throw; what is wrong
  /// with single frames or faces is found. Throws `.interrupted` where the caller asks to stop.
  package init(
    of dataset: DatasetReader, decodes: Bool = false, hash: PictureHash = PictureHash(),
    advance: (Int) -> Void = { _ in },
    isInterrupted: () -> Bool = { false }
  ) throws(DatasetError) {
    var checks = try DatasetChecks.all(of: dataset)
    faces = dataset.faceCount
    let looker = PictureLook(decodes: decodes, hash: hash)
    let ahead = PictureReadAhead(0..<dataset.frameCount, of: dataset)
    let rowsAhead = FrameRow.readAhead(of: dataset)
    var rows: ArraySlice<FrameRow> = []
    while case let stretch = ahead.nextStretch(), !stretch.isEmpty {
      for ((frame, stored), picture) in zip(stretch, looker.look(at: stretch)) {
        guard !isInterrupted() else {
          throw DatasetError(.interrupted, "interrupted after \(frames) frames")
        }
        if rows.isEmpty { rows = try rowsAhead.next()?.get()[...] ?? [] }
        guard let row = rows.popFirst() else {
          throw DatasetError(.inputOutput, "cannot read the rows of frame \(frame)")
        }
        let checked = CheckedFrame(
          row: row, sequence: dataset.sequence(row.frame.sequence),
          picture: row.frame.hasNoPicture && stored.holdsNothing ? .none : picture)
        for index in checks.indices { try checks[index].look(at: checked) }
        frames += 1
        advance(1)
      }
    }
    for index in checks.indices { checks[index].finish() }
    self.checks = checks.flatMap(\.lines)
  }
}

extension Result<StoredPicture, DatasetError> {
  /// Whether an encoded picture of no bytes was read.
  fileprivate var holdsNothing: Bool {
    if case .success(.encoded(let bytes)) = self { bytes.isEmpty } else { false }
  }
}
