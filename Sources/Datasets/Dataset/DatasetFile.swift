internal import FaceCore
internal import Foundation
internal import HDF5
internal import Platform

/// One `dataset.h5`, read by ranges of frames; memory use does not grow with the images.
final class DatasetFile: Sendable {
  /// The file.
  let url: URL
  /// The dataset's own name.
  let name: String
  let frameCount: Int
  /// Number of labelled faces and other objects.
  let faceCount: Int
  /// Its sequences; empty if every frame is a still.
  let sequences: [SequenceDescription]
  /// Whether a frame without a face row is known to show no face.
  let isLabelled: Bool
  /// Number of frames that have no image: no bytes, or a size of 0 by 0.
  let withoutImageCount: Int
  /// Named sets of frames: the name, and how many frames.
  let splits: [(name: String, count: Int)]

  let file: HDF5File
  private let images: ImageTables
  /// The faces and other objects of all frames.
  let faces: FaceTables
  private let sizes: HDF5Dataset
  private let names: HDF5Dataset?
  private let frameSequences: HDF5Dataset?
  private let timestamps: HDF5Dataset?
  /// Cameras, attributes and depth maps of frames.
  let context: FrameContextTables
  private let frameCost: RowCost
  private let firstFace: [Int]

  /// Opens a file and checks that its tables fit together.
  init(_ url: URL) throws(FileError) {
    self.url = url
    do {
      file = try HDF5File.open(url.path, named: url.relativePath)
      let format = try file.optionalAttribute("format") ?? "none"
      guard format == DatasetLayout.format else {
        throw FileError.wrongData(
          "cannot read '/' in \(url.relativePath): expected format \(DatasetLayout.format), "
            + "found \(format)"
            + ImportHint.clause(inPlaceOfDataset: format, at: url.relativePath))
      }
      let version = try file.attribute("version", of: "/", as: Int.self)
      guard version == DatasetLayout.version else {
        throw FileError.wrongData(
          "cannot read '/' in \(url.relativePath): expected version \(DatasetLayout.version), "
            + "found \(version)")
      }
      name =
        try file.optionalAttribute("name") ?? url.deletingPathExtension().lastPathComponent
      sizes = try file.dataset("images/size", holding: Int32.self, shape: [nil, 2])
      frameCount = try TableCheck.rowCount(sizes, in: file)
      images = try ImageTables(file, frames: frameCount)
      names = try file.optionalStrings("images/name", shape: [frameCount])
      frameSequences = try file.optional(
        "frames/sequence", holding: Int32.self, shape: [frameCount])
      timestamps = try file.optional(
        "frames/timestamp_us", holding: Int64.self, shape: [frameCount])
      context = try FrameContextTables(file, frames: frameCount)
      var frameCost = RowCost(rows: frameCount, path: "frames")
      frameCost.add([sizes, names, frameSequences, timestamps], memory: 4)
      context.add(to: &frameCost)
      try frameCost.check(in: file)
      self.frameCost = frameCost
      faces = try FaceTables(file)
      faceCount = faces.count
      let labelled = try file.optionalAttribute("labelled") ?? 1
      guard 0...1 ~= labelled, labelled == 1 || faces.count == 0 else {
        throw FileError.wrongData(
          "cannot read '/' in \(url.relativePath): expected labelled 1, or 0 without faces, found "
            + "\(labelled) with \(faces.count) faces")
      }
      isLabelled = labelled == 1
      withoutImageCount = try Self.withoutImage(sizes, images)
      splits = try Self.checkSplits(file, frames: frameCount)
      sequences = try Self.readSequences(file, frames: frameCount)
      firstFace = try faces.firstRows(frames: frameCount)
    } catch {
      throw FileError(reading: error)
    }
  }

  /// The memory of a range of frames and their faces, as a share of what may be in memory together.
  func load(_ range: Range<Int>) -> Double {
    max(
      Double(range.count) / Double(frameCost.rowsAtOnce),
      Double(faceCount(range)) / Double(faces.cost.rowsAtOnce))
  }

  /// Paths of objects that FORMAT.md does not name, at most 20.
  func unknownTables() throws(FileError) -> [String] {
    try FileError.reading {
      var unknown: [String] = []
      for (group, known) in DatasetLayout.tables {
        guard try group.isEmpty || file.exists(group) && file.kind(of: group) == .group else {
          continue
        }
        for name in try file.members(of: group.isEmpty ? "/" : group)
        where !known.contains(name) && unknown.count < 20 {
          unknown.append(group.isEmpty ? name : "\(group)/\(name)")
        }
      }
      return unknown
    }
  }

  private static func withoutImage(
    _ sizes: HDF5Dataset, _ images: ImageTables
  ) throws(HDF5Error) -> Int {
    var count = 0
    for range in TableCheck.parts(of: sizes) {
      let sides = try sizes.readByValue(Int32.self, rows: range)
      count += try images.areEmpty(range).enumerated().count { row, isEmpty in
        isEmpty || sides[2 * row] == 0 && sides[2 * row + 1] == 0
      }
    }
    return count
  }

  /// The frames of a split in ascending order; throws `.wrongData` if there is none of that name.
  func split(_ name: String) throws(FileError) -> [Int] {
    try FileError.reading {
      let table = try file.dataset("splits/\(name)", holding: Int32.self, shape: [nil])
      return try table.readByValue(Int32.self, rows: 0..<table.shape[0]).map { Int($0) }
    }
  }

  private static func checkSplits(
    _ file: HDF5File, frames: Int
  ) throws -> [(name: String, count: Int)] {
    guard try file.exists("splits") else { return [] }
    return try file.members(of: "splits").map { name in
      let table = try file.dataset("splits/\(name)", holding: Int32.self, shape: [nil])
      try TableCheck.ascending(table, below: frames, in: file)
      return (name, try TableCheck.rowCount(table, in: file))
    }
  }

  /// Origin of the file: licence, source and creation, if given.
  func provenance() throws(FileError) -> [(name: String, value: String)] {
    try FileError.reading {
      try ["licence", "source", "created"].compactMap { name in
        try file.optionalAttribute(name).map { (name, $0) }
      }
    }
  }

  /// The frames of a range; throws `.wrongData` for a time more than 142 years from 0.
  func frames(_ range: Range<Int>) throws(FileError) -> [Frame] {
    try FileError.reading {
      let sides = try sizes.readByValue(Int32.self, rows: range)
      let empty = try images.areEmpty(range)
      let titles = try names?.readStrings(rows: range)
      let owners = try frameSequences?.readByValue(Int32.self, rows: range)
      let times = try timestamps?.readByValue(Int64.self, rows: range)
      for (index, time) in zip(range, times ?? [])
      where !DatasetLayout.times.contains(time) {
        throw FileError.wrongData(
          "cannot read 'frames/timestamp_us'[\(index)] in \(url.relativePath): expected "
            + "microseconds within \(DatasetLayout.timeLimit) of 0, found \(time)")
      }
      return range.enumerated().map { offset, index in
        Frame(
          index: index, name: titles?[offset] ?? "frame \(index)",
          sequence: owners.map { Int($0[offset]) } ?? index,
          timestampMicroseconds: times?[offset] ?? 0,
          size: ImageSize(width: Int(sides[2 * offset]), height: Int(sides[2 * offset + 1])),
          hasNoImage: empty[offset])
      }
    }
  }

  /// The labels of each frame of a range.
  func labels(_ range: Range<Int>) throws(FileError) -> [[FaceLabel]] {
    try FileError.reading {
      let rows = firstFace[range.lowerBound]..<firstFace[range.upperBound]
      let all = try faces.labels(rows)
      return range.map { frame in
        Array(
          all[(firstFace[frame] - rows.lowerBound)..<(firstFace[frame + 1] - rows.lowerBound)])
      }
    }
  }

  /// The identities of the faces of each frame of a range; nil for a file that has none.
  func identities(_ range: Range<Int>) throws(FileError) -> [[Int]]? {
    try FileError.reading {
      let rows = firstFace[range.lowerBound]..<firstFace[range.upperBound]
      guard !rows.isEmpty, let all = try faces.identities(rows) else { return nil }
      return range.map { frame in
        all[(firstFace[frame] - rows.lowerBound)..<(firstFace[frame + 1] - rows.lowerBound)]
          .compactMap { $0 }
      }
    }
  }

  /// Number of faces in a range of frames.
  func faceCount(_ range: Range<Int>) -> Int {
    firstFace[range.upperBound] - firstFace[range.lowerBound]
  }

  /// Size of a frame's image in bytes.
  func imageByteCount(_ frame: Int) throws(FileError) -> Int {
    try FileError.reading { try images.byteCount(frame) }
  }

  /// The images of consecutive frames as stored; `buffer` holds the encoded ones.
  func images(
    _ range: Range<Int>, into buffer: inout [UInt8]
  ) throws(FileError) -> [StoredImage] {
    try FileError.reading { try images.images(range, into: &buffer) }
  }

  private static func readSequences(
    _ file: HDF5File, frames: Int
  ) throws -> [SequenceDescription] {
    let isDescribed = try file.exists("sequences")
    guard try file.exists("frames/sequence") == isDescribed else {
      throw FileError.wrongData(
        "cannot read '\(isDescribed ? "frames/sequence" : "sequences")' in \(file.path): expected "
          + "both frames/sequence and sequences or neither, found one")
    }
    guard isDescribed else { return [] }
    let first = try file.dataset("sequences/first", holding: Int32.self, shape: [nil])
    let count = try TableCheck.rowCount(first, in: file)
    let firsts = try first.readByValue(Int32.self, rows: 0..<count)
    let counts = try file.dataset("sequences/count", holding: Int32.self, shape: [count])
      .readByValue(Int32.self, rows: 0..<count)
    let names = try file.stringDataset("sequences/name", shape: [count]).readStrings(
      rows: 0..<count)
    let kinds = try file.stringDataset("sequences/kind", shape: [count]).readStrings(
      rows: 0..<count)
    let subjects = try file.optionalStrings("sequences/subject", shape: [count])?.readStrings(
      rows: 0..<count)
    let rates = try file.optional("sequences/fps", holding: Double.self, shape: [count])?
      .readByValue(Double.self, rows: 0..<count)
    return try (0..<count).map { row in
      guard let kind = SequenceKind(rawValue: kinds[row]) else {
        throw FileError.wrongData(
          "cannot read 'sequences/kind'[\(row)] in \(file.path): expected still or video, found "
            + "'\(kinds[row].prefix(40))'")
      }
      let (begin, length) = (Int(firsts[row]), Int(counts[row]))
      guard begin >= 0, length >= 0, begin + length <= frames else {
        throw FileError.wrongData(
          "cannot read 'sequences/first'[\(row)] in \(file.path): expected frames within "
            + "0..<\(frames), found \(length) from \(begin) on")
      }
      return SequenceDescription(
        name: names[row], kind: kind, subject: subjects?[row] ?? "",
        framesPerSecond: rates?[row] ?? 0, first: begin, count: length)
    }
  }
}
