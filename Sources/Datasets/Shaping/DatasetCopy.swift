internal import FaceCore
internal import Foundation
internal import Imaging

/// Copies frames of a dataset into another, a frame at a time, with everything that its reader gives.
///
/// This is the one place that passes a dataset's tables on; bytes of pictures are not touched.
struct DatasetCopy {
  /// Where the frames come from.
  var reader: DatasetReader
  /// What stands before the names of frames and sequences.
  var namePrefix = ""
  /// The name of a subject in the copy.
  var subject: (String) -> String = { $0 }
  /// What is added to identities.
  var identityOffset = 0
  /// The frames to look at; nil means all.
  var isWanted: ((Int) -> Bool)?
  /// The faces that a frame has in the copy; nil leaves the frame out.
  var faces: (Frame, SequenceDescription?, [FaceLabel]) -> [FaceLabel]? = { $2 }

  /// What became of the frames.
  struct Outcome {
    /// For each frame its place in the copy, -1 where it was left out.
    var places: [Int32]
    /// What was changed or did not come along.
    var remarks: [ImportRemark] = []

    /// The places of some frames, those left out skipped.
    func places(of frames: [Int]) -> [Int] {
      frames.compactMap { places[$0] < 0 ? nil : Int(places[$0]) }
    }
  }

  init(of reader: DatasetReader) { self.reader = reader }

  private static let batch = 256

  /// Adds the frames to a writer; throws `.interrupted` where the caller asks to stop.
  func run(
    into writer: DatasetWriter, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(DatasetError) -> Outcome {
    for file in reader.files { try writer.requireOther(than: file) }
    try writer.requireOther(than: reader.url)
    writer.expectDepth(of: reader.schemesWithDepth)
    var outcome = Outcome(places: Array(repeating: -1, count: reader.frameCount))
    var open = -1
    var recoded = 0
    var next = 0
    while next < reader.frameCount {
      let range = try reader.range(from: next, atMost: Self.batch)
      next = range.upperBound
      guard isWanted.map({ range.contains(where: $0) }) ?? true else {
        advance(range.count)
        continue
      }
      let contexts = try reader.contexts(range)
      for (frame, labels) in zip(try reader.frames(range), try reader.labels(range)) {
        guard !isInterrupted() else {
          throw DatasetError(
            .interrupted, "interrupted after \(writer.frameCount) frames; nothing was written")
        }
        advance(1)
        let sequence = try self.sequence(of: frame)
        guard isWanted?(frame.index) ?? true, var kept = faces(frame, sequence, labels) else {
          continue
        }
        for index in kept.indices {
          kept[index].identity = kept[index].identity.map { $0 + identityOffset }
        }
        let name = namePrefix + frame.name
        if frame.sequence != open || sequence == nil {
          begin(sequence, name: name, in: writer)
          open = frame.sequence
        }
        let picture = try reader.picture(frame.index)
        if case .pixels = picture { recoded += 1 }
        outcome.places[frame.index] = Int32(clamping: writer.frameCount)
        try writer.add(
          name: name, picture: try bytes(of: picture, frame), size: frame.size,
          timestampMicroseconds: frame.timestampMicroseconds, faces: kept,
          context: contexts[frame.index - range.lowerBound], depth: try reader.depth(frame.index))
      }
    }
    if recoded > 0 {
      outcome.remarks.append(
        .assumed("\(recoded) pictures that were stored as pixels are now PNG, of the same pixels"))
    }
    if !reader.unknownTables.isEmpty {
      outcome.remarks.append(
        .dropped(
          "tables that the format does not name left out: "
            + reader.unknownTables.joined(separator: ", ")))
    }
    return outcome
  }

  /// Adds the splits of the reader to a writer, under their names, for the frames that came along.
  func addSplits(
    except replaced: Set<String> = [], _ outcome: Outcome, to writer: DatasetWriter
  ) throws(DatasetError) {
    for split in reader.splits where !replaced.contains(split.name) {
      let frames = outcome.places(of: try reader.split(split.name))
      if !frames.isEmpty || split.count == 0 { try writer.addSplit(split.name, frames: frames) }
    }
  }

  /// Throws where the reader has splits whose names cannot be written again.
  static func checkSplitNames(of reader: DatasetReader) throws(DatasetError) {
    for split in reader.splits where !DatasetLayout.isTableName(split.name) {
      throw DatasetError(
        .wrongData,
        "cannot copy \(reader.url.relativePath): expected splits of plain names, found "
          + "'\(split.name.prefix(60))'")
    }
  }

  private func sequence(of frame: Frame) throws(DatasetError) -> SequenceDescription? {
    guard !reader.sequences.isEmpty else { return nil }
    guard reader.sequences.indices.contains(frame.sequence),
      (0..<reader.sequences[frame.sequence].count).contains(
        frame.index - reader.sequences[frame.sequence].first)
    else {
      throw DatasetError(
        .wrongData,
        "cannot copy frame \(frame.index) of \(reader.url.relativePath): expected one within its "
          + "sequence, found sequence \(frame.sequence) ('facegauge validate' lists such frames)")
    }
    return reader.sequences[frame.sequence]
  }

  private func begin(
    _ sequence: SequenceDescription?, name: String, in writer: DatasetWriter
  ) {
    guard var next = sequence else {
      return writer.beginSequence(SequenceDescription(name: name, kind: .still))
    }
    next.name = namePrefix + next.name
    next.subject = next.subject.isEmpty ? "" : subject(next.subject)
    writer.beginSequence(next, gathersStills: next.count > 1)
  }

  private func bytes(of picture: StoredPicture, _ frame: Frame) throws(DatasetError) -> [UInt8] {
    switch picture {
    case .encoded(let bytes): return Array(bytes)
    case .pixels(let pixels):
      guard !frame.hasNoPicture else { return [] }
      do {
        return try pixels.pngBytes()
      } catch {
        throw DatasetError(
          .wrongData,
          "cannot copy frame \(frame.index) of \(reader.url.relativePath): \(error.description)")
      }
    }
  }
}
