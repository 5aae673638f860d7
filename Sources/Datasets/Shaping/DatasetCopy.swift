internal import FaceCore
internal import Foundation
internal import Imaging
internal import Platform

/// Copies frames of a dataset into another, one by one, with all data that its reader provides.
///
/// All copying of tables goes through this type. Bytes of images are not changed.
struct DatasetCopy {
  /// The source of the frames.
  var reader: DatasetReader
  /// Prefix for the names of frames and sequences.
  var namePrefix = ""
  /// The name of a subject in the copy.
  var subject: (String) -> String = { $0 }
  /// Offset added to identities.
  var identityOffset = 0
  /// The frames to consider; nil means all.
  var isWanted: ((Int) -> Bool)?
  /// From one frame to consider to the next, which divides the rates of videos.
  var step = 1
  /// Changes the labels of a range of frames before anything is chosen; may end early where the caller asks to stop.
  var revise:
    (
      (Range<Int>, [[FaceLabel]], _ isInterrupted: () -> Bool) throws(FileError) -> [[FaceLabel]]
    )?
  /// The faces that a frame has in the copy; nil leaves the frame out.
  var faces:
    (
      Frame, SequenceDescription?, [FaceLabel], _ isInterrupted: () -> Bool
    ) throws(FileError) -> [FaceLabel]? = { _, _, labels, _ in labels }

  /// Result of a copy.
  struct Outcome {
    /// The index of each frame in the copy, -1 if it was left out.
    var positions: [Int32]
    /// Changes and losses.
    var remarks: [ImportRemark] = []

    /// The indices of some frames in the copy, without those left out.
    func positions(of frames: [Int]) -> [Int] {
      frames.compactMap { positions[$0] < 0 ? nil : Int(positions[$0]) }
    }
  }

  init(of reader: DatasetReader) { self.reader = reader }

  private static let batch = 256

  /// Adds the frames to a writer; throws `.interrupted` if the caller asks to stop.
  func run(
    into writer: DatasetWriter, advance: (Int) -> Void, isInterrupted: () -> Bool
  ) throws(FileError) -> Outcome {
    for file in reader.files { try writer.requireOther(than: file) }
    try writer.requireOther(than: reader.url)
    writer.expectDepth(of: reader.schemesWithDepth)
    var outcome = Outcome(positions: Array(repeating: -1, count: reader.frameCount))
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
      var faces = try reader.labels(range)
      if let revise { faces = try revise(range, faces, isInterrupted) }
      for (frame, labels) in zip(try reader.frames(range), faces) {
        try FileError.stop(
          if: isInterrupted(), "interrupted after \(writer.frameCount) frames; nothing was written")
        advance(1)
        let sequence = try self.sequence(of: frame)
        guard isWanted?(frame.index) ?? true,
          var kept = try self.faces(frame, sequence, labels, isInterrupted)
        else {
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
        let image = try reader.image(frame.index)
        if case .pixels = image { recoded += 1 }
        outcome.positions[frame.index] = Int32(clamping: writer.frameCount)
        try writer.add(
          name: name, image: try bytes(of: image, frame), size: frame.size,
          timestampMicroseconds: frame.timestampMicroseconds, faces: kept,
          context: contexts[frame.index - range.lowerBound], depth: try reader.depth(frame.index))
      }
    }
    outcome.remarks.assume(
      recoded, "images that were stored as pixels are now PNG, of the same pixels")
    outcome.remarks.drop(
      "tables that the format does not name left out: "
        + reader.unknownTables.joined(separator: ", "),
      if: !reader.unknownTables.isEmpty)
    return outcome
  }

  /// Adds the splits of the reader to a writer, under their names, for the copied frames.
  func addSplits(
    except replaced: Set<String> = [], _ outcome: Outcome, to writer: DatasetWriter
  ) throws(FileError) {
    for split in reader.splits where !replaced.contains(split.name) {
      let frames = outcome.positions(of: try reader.split(split.name))
      if !frames.isEmpty || split.count == 0 { try writer.addSplit(split.name, frames: frames) }
    }
  }

  /// Throws if a split's name cannot be written.
  static func checkSplitNames(of reader: DatasetReader) throws(FileError) {
    for split in reader.splits where !DatasetLayout.isTableName(split.name) {
      throw FileError.wrongData(
        "cannot copy \(reader.url.relativePath): expected splits of plain names, found "
          + "'\(split.name.prefix(60))'")
    }
  }

  private func sequence(of frame: Frame) throws(FileError) -> SequenceDescription? {
    guard !reader.sequences.isEmpty else { return nil }
    guard reader.sequences.indices.contains(frame.sequence),
      (0..<reader.sequences[frame.sequence].count).contains(
        frame.index - reader.sequences[frame.sequence].first)
    else {
      throw FileError.wrongData(
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
    next.framesPerSecond /= Double(step)
    writer.beginSequence(next, gathersStills: next.count > 1)
  }

  private func bytes(of image: StoredImage, _ frame: Frame) throws(FileError) -> [UInt8] {
    switch image {
    case .encoded(let bytes): return Array(bytes)
    case .pixels(let pixels):
      guard !frame.hasNoImage else { return [] }
      do {
        return try pixels.pngBytes()
      } catch {
        throw FileError.wrongData(
          "cannot copy frame \(frame.index) of \(reader.url.relativePath): \(error.description)")
      }
    }
  }
}
