internal import FaceCore
internal import Foundation
internal import Platform

/// The frames that a format reads, in a temporary file, so that they can be given out in another order.
final class StagedFrames {
  /// What is kept in memory of a frame.
  struct Row {
    let name: String
    /// Its image; bytes are in the file.
    let image: ImportedFrame.Image
    let statedSize: ImageSize?
    let isSizeOfLabels: Bool
    let isSizeOfImage: Bool
    /// Whether coordinates are fractions of the image's sides.
    let isRelative: Bool
    /// Position of its sequence among `sequences`; nil for a still.
    let sequence: Int?
    /// Who is shown; empty where that is unknown.
    let subject: String
    let number: Int?
    let isFirstUnknown: Bool
    let timestampMicroseconds: Int64
    let clocks: [String: Double]
    /// How it is joined with frames of videos; nil for the way of the format.
    let joins: FrameKey?
    let splits: [String]
  }

  /// The frames in the order of the sources.
  private(set) var rows: [Row] = []
  /// The sequences of video that the sources have.
  private(set) var sequences: [SequenceDescription] = []
  /// Assumptions and losses of reading.
  private(set) var remarks: [ImportRemark] = []
  private var reader: DatasetReader?

  /// Reads the sources into a file that the caller deletes.
  init(
    _ format: any DatasetFormat, _ sources: [URL], options: ImportOptions, in file: URL
  ) throws(FileError) {
    let writer = try DatasetWriter(file, name: "staging", replacing: true)
    var (isVideo, subject) = (false, "")
    var (rows, sequences) = ([Row](), [SequenceDescription]())
    remarks = try format.readPlacingPoints(sources, options: options) {
      (frame) throws(FileError) in
      try FileError.stop(
        if: options.isInterrupted(),
        "interrupted after reading \(rows.count) frames; nothing was written")
      if let begins = frame.begins {
        isVideo = begins.kind == .video
        subject = begins.subject
        if isVideo { sequences.append(begins) }
      } else if !isVideo {
        subject = ""
      }
      var (image, bytes) = (frame.image, [UInt8]())
      if case .encoded(let own) = image { (image, bytes) = (.none, own) }
      rows.append(
        Row(
          name: frame.name, image: image, statedSize: frame.statedSize,
          isSizeOfLabels: frame.isSizeOfLabels, isSizeOfImage: frame.isSizeOfImage,
          isRelative: frame.isRelative,
          sequence: isVideo ? sequences.count - 1 : nil, subject: subject, number: frame.number,
          isFirstUnknown: frame.isFirstUnknown,
          timestampMicroseconds: frame.timestampMicroseconds,
          clocks: FrameJoin.clocks(of: frame.context), joins: frame.joins, splits: frame.splits))
      try writer.add(
        name: frame.name, image: bytes, size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: frame.timestampMicroseconds, faces: frame.faces,
        context: frame.context, depth: frame.depth)
    }
    try writer.finish()
    (self.rows, self.sequences) = (rows, sequences)
    reader = rows.isEmpty ? nil : try DatasetReader(file)
  }

  /// Whether all frames are of recordings and have times, and none has a number.
  var isTimedAlone: Bool {
    rows.allSatisfy { $0.sequence != nil && $0.number == nil }
      && rows.contains { $0.timestampMicroseconds != 0 || !$0.clocks.isEmpty }
  }

  /// Who is shown in some frames: empty where no frame tells, nil where several are.
  func subject(of frames: some Swift.Sequence<Int>) -> String? {
    let known = Set(frames.lazy.map { self.rows[$0].subject }).subtracting([""])
    return known.count > 1 ? nil : known.first ?? ""
  }

  /// What is lost of so many sequences whose frames have several subjects.
  static func remark(ofSubjects count: Int) -> ImportRemark? {
    count == 0
      ? nil : .dropped("subjects of \(count) sequences left out, which have several each")
  }

  /// The faces of a frame.
  func faces(_ index: Int) throws(FileError) -> [FaceLabel] {
    try reader?.labels(index..<index + 1)[0] ?? []
  }

  /// A frame as it was read, without its place in a sequence.
  func frame(_ index: Int) throws(FileError) -> ImportedFrame {
    let row = rows[index]
    var frame = ImportedFrame(
      name: row.name, image: row.image, faces: try faces(index),
      timestampMicroseconds: row.timestampMicroseconds)
    if case .none = row.image, let bytes = try reader?.image(index).bytes, !bytes.isEmpty {
      frame.image = .encoded(Array(bytes))
    }
    frame.statedSize = row.statedSize
    frame.isSizeOfLabels = row.isSizeOfLabels
    frame.isSizeOfImage = row.isSizeOfImage
    frame.isRelative = row.isRelative
    frame.splits = row.splits
    frame.context = try reader?.contexts(index..<index + 1)[0] ?? FrameContext()
    frame.depth = try reader?.depth(index)
    return frame
  }
}
