package import FaceCore
package import Foundation
internal import HDF5
package import Platform

/// Writes a `dataset.h5` frame by frame; the file gets its final name in `finish()`.
package final class DatasetWriter {
  private let output: AtomicFile
  /// The file that messages name.
  private let reported: URL
  private let tables: TableFile
  private var sequences: [SequenceDescription] = []
  private let faces: FaceColumns
  private var byteCount: UInt64 = 0
  /// Whether stills that follow belong to the sequence that was begun last.
  private var gathersStills = false

  private let offsets: Column<UInt64>
  private let bytes: Column<UInt8>
  private let sizes: Column<Int32>
  private let names: TextColumn
  private let frameSequences: Column<Int32>
  private let timestamps: Column<Int64>
  private var contexts: FrameContextColumns

  private var mostFaces = (count: 0, name: "")

  /// Number of frames added.
  package private(set) var frameCount = 0
  /// Number of faces added, without objects of other categories.
  package private(set) var faceCount = 0

  /// Starts a file; `created` follows `SOURCE_DATE_EPOCH` if that is set.
  ///
  /// In a dataset without labels, a frame without a face row may show any number of faces. Errors name
  /// `reported`, which this file will be a part of, or the file itself.
  package init(
    _ url: URL, name: String, source: String? = nil, licence: String? = nil,
    isLabelled: Bool = true, replacing: Bool, reported: URL? = nil
  ) throws(FileError) {
    self.reported = reported ?? url
    output = try AtomicFile(url, replacing: replacing)
    let unfinished = try output.begin()
    do {
      tables = try TableFile(unfinished.path)
      let file = tables.file
      try file.setAttribute("format", of: "/", to: DatasetLayout.format)
      try file.setAttribute("version", of: "/", to: DatasetLayout.version)
      try file.setAttribute("name", of: "/", to: name)
      try file.setAttribute("created", of: "/", to: Self.creationTime())
      try file.setAttribute("labelled", of: "/", to: isLabelled ? 1 : 0)
      if let source { try file.setAttribute("source", of: "/", to: source) }
      if let licence { try file.setAttribute("licence", of: "/", to: licence) }
      offsets = Column(tables, "images/offsets")
      bytes = Column(tables, "images/bytes", chunkRows: 1 << 20)
      sizes = Column(tables, "images/size", row: [2])
      names = TextColumn(tables, "images/name")
      frameSequences = Column(tables, "frames/sequence")
      timestamps = Column(tables, "frames/timestamp_us")
      faces = FaceColumns(tables)
      contexts = FrameContextColumns(tables)
      try offsets.append(0)
    } catch {
      throw FileError(writing: self.reported, error)
    }
  }

  /// Throws if an input file is the file that is being written.
  func requireOther(than input: URL) throws(FileError) {
    try output.target.requireOther(than: input, reported: reported)
  }

  /// Reserves depths for schemes even if the first faces have none; call it before the first face.
  func expectDepth(of schemes: Set<LandmarkScheme>) {
    faces.schemesWithDepth.formUnion(schemes)
  }

  /// Starts a sequence for the frames that follow. Without one, each frame is a still.
  ///
  /// A sequence of stills takes one frame, and with `gathersStills` all that follow.
  package func beginSequence(_ description: SequenceDescription, gathersStills: Bool = false) {
    self.gathersStills = gathersStills
    var next = description
    next.first = frameCount
    next.count = 0
    sequences.append(next)
  }

  /// Adds a frame with its encoded image and its labels; throws `.wrongData` for numbers that the file cannot hold.
  package func add(
    name: String, image: [UInt8], size: ImageSize, timestampMicroseconds: Int64 = 0,
    faces labels: [FaceLabel], context: FrameContext = FrameContext(), depth: DepthMap? = nil
  ) throws(FileError) {
    guard DatasetLayout.times.contains(timestampMicroseconds) else {
      throw FileError.wrongData(
        "cannot write \(reported.relativePath): expected microseconds within "
          + "\(DatasetLayout.timeLimit) of 0 in '\(name)', found \(timestampMicroseconds)")
    }
    if let refusal = contexts.refusal(of: context, depth) ?? faces.refusal(of: labels) {
      throw FileError.wrongData(
        "cannot write \(reported.relativePath): expected \(refusal.expected) in '\(name)', found "
          + refusal.found)
    }
    do {
      if let last = sequences.last, last.kind != .still || last.count == 0 || gathersStills {
        sequences[sequences.count - 1].count += 1
      } else {
        sequences.append(
          SequenceDescription(name: name, kind: .still, first: frameCount, count: 1))
      }
      byteCount += UInt64(image.count)
      try bytes.append(contentsOf: image)
      try offsets.append(byteCount)
      try sizes.append(contentsOf: [Int32(clamping: size.width), Int32(clamping: size.height)])
      try names.append(name)
      try frameSequences.append(Int32(clamping: sequences.count - 1))
      try timestamps.append(timestampMicroseconds)
      try faces.append(labels, frame: frameCount)
      faceCount += FaceCategories.faceCount(labels)
      try contexts.append(context, depth, frame: frameCount)
      frameCount += 1
    } catch {
      throw FileError(writing: reported, error)
    }
    // A table that begins with this frame makes the faces of earlier frames larger too.
    if labels.count > mostFaces.count { mostFaces = (labels.count, name) }
    if let expected = faces.cost.refusal(ofFaces: mostFaces.count) {
      throw FileError.wrongData(
        "cannot write \(reported.relativePath): expected \(expected) in '\(mostFaces.name)', found "
          + "\(mostFaces.count)")
    }
  }

  /// Names a set of frames; throws `.wrongData` unless they exist and ascend.
  package func addSplit(_ name: String, frames: [Int]) throws(FileError) {
    let isAscending = zip(frames, frames.dropFirst()).allSatisfy { $0 < $1 }
    guard DatasetLayout.isTableName(name), isAscending, frames.first ?? 0 >= 0,
      frames.last ?? 0 < max(frameCount, 1)
    else {
      throw FileError.wrongData(
        "cannot write \(reported.relativePath): expected a split with a plain name and ascending "
          + "frames below \(frameCount), found '\(name)' of \(frames.count) frames")
    }
    do {
      try tables.file.createDataset("splits/\(name)", of: Int32.self, shape: [frames.count])
        .write(frames.map { Int32(clamping: $0) }, atRow: 0)
    } catch {
      throw FileError(writing: reported, error)
    }
  }

  /// Writes buffered rows, closes the file and renames it to its final name.
  package func finish() throws(FileError) {
    do {
      try tables.finish()
      try writeSequences()
      try tables.finish()
      try tables.file.close()
    } catch {
      throw FileError(writing: reported, error)
    }
    try output.commit()
  }

  private func writeSequences() throws(HDF5Error) {
    let names = TextColumn(tables, "sequences/name")
    let kinds = TextColumn(tables, "sequences/kind")
    let subjects = TextColumn(tables, "sequences/subject")
    let firsts = Column<Int32>(tables, "sequences/first")
    let counts = Column<Int32>(tables, "sequences/count")
    let rates = Column<Double>(tables, "sequences/fps")
    for sequence in sequences {
      try names.append(sequence.name)
      try kinds.append(sequence.kind.rawValue)
      try subjects.append(sequence.subject)
      try firsts.append(Int32(clamping: sequence.first))
      try counts.append(Int32(clamping: sequence.count))
      try rates.append(sequence.framesPerSecond)
    }
  }

  private static func creationTime() -> String {
    let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap(Double.init)
    let date = epoch.map(Date.init(timeIntervalSince1970:)) ?? Date()
    return date.formatted(.iso8601)
  }
}
