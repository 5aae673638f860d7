package import FaceCore
package import Foundation
internal import HDF5

/// Writes a `dataset.h5` frame by frame; the file has its name only after `finish()`.
package final class DatasetWriter {
  private let output: OutputFile
  private let file: HDF5File
  private var sequences: [SequenceDescription] = []
  private var landmarks: [LandmarkColumns] = []
  private var byteCount: UInt64 = 0

  private var offsets: Column<UInt64>
  private var bytes: Column<UInt8>
  private var sizes: Column<Int32>
  private var names: TextColumn
  private var frameSequences: Column<Int32>
  private var timestamps: Column<Int64>
  private var faceFrames: Column<Int32>
  private var boxes: Column<Float>
  private var areas: Column<Float>
  private var ignored: Column<UInt8>
  private var crowds: Column<UInt8>
  private var categories: Column<Int32>
  private var identities: Column<Int32>

  /// How many frames were added.
  package private(set) var frameCount = 0
  /// How many faces were added.
  package private(set) var faceCount = 0

  /// Starts a file; `created` follows `SOURCE_DATE_EPOCH` where that is set.
  package init(
    _ url: URL, name: String, source: String? = nil, licence: String? = nil, replacing: Bool
  ) throws(DatasetError) {
    output = try OutputFile(url, replacing: replacing)
    do {
      file = try HDF5File.create(output.temporary.path)
      try file.setAttribute("format", of: "/", to: DatasetLayout.format)
      try file.setAttribute("version", of: "/", to: DatasetLayout.version)
      try file.setAttribute("name", of: "/", to: name)
      try file.setAttribute("created", of: "/", to: Self.creationTime())
      if let source { try file.setAttribute("source", of: "/", to: source) }
      if let licence { try file.setAttribute("licence", of: "/", to: licence) }
      offsets = try Column(file, "images/offsets")
      bytes = try Column(file, "images/bytes", chunkRows: 1 << 20)
      sizes = try Column(file, "images/size", row: [2])
      names = try TextColumn(file, "images/name")
      frameSequences = try Column(file, "frames/sequence")
      timestamps = try Column(file, "frames/timestamp_us")
      faceFrames = try Column(file, "faces/frame")
      boxes = try Column(file, "faces/box", row: [4])
      areas = try Column(file, "faces/area")
      ignored = try Column(file, "faces/ignore")
      crowds = try Column(file, "faces/crowd")
      categories = try Column(file, "faces/category")
      identities = try Column(file, "faces/identity")
      try offsets.append(0)
    } catch {
      throw DatasetError(writing: url, error)
    }
  }

  /// Throws where a file that is still to be read is the one that is being written.
  func requireOther(than input: URL) throws(DatasetError) {
    guard input.resolvingSymlinksInPath().path != output.target.path else {
      throw DatasetError(
        .cannotWrite,
        "cannot write \(output.url.relativePath): expected another file than the input, found the "
          + "same")
    }
  }

  /// Starts a sequence; the frames that follow belong to it. Without any, each frame is a still.
  package func beginSequence(_ description: SequenceDescription) {
    var next = description
    next.first = frameCount
    next.count = 0
    sequences.append(next)
  }

  /// Adds a frame with its encoded picture and its labels; throws `.wrongData` for numbers that f32 cannot hold.
  package func add(
    name: String, picture: [UInt8], size: PictureSize, timestampMicroseconds: Int64 = 0,
    faces: [FaceLabel]
  ) throws(DatasetError) {
    for face in faces { try check(face, of: name) }
    do {
      if sequences.isEmpty || sequences[sequences.count - 1].kind == .still {
        if let last = sequences.last, last.count == 0 {
          sequences[sequences.count - 1].count = 1
        } else {
          sequences.append(
            SequenceDescription(name: name, kind: .still, first: frameCount, count: 1))
        }
      } else {
        sequences[sequences.count - 1].count += 1
      }
      byteCount += UInt64(picture.count)
      try bytes.append(contentsOf: picture)
      try offsets.append(byteCount)
      try sizes.append(contentsOf: [Int32(clamping: size.width), Int32(clamping: size.height)])
      try names.append(name)
      try frameSequences.append(Int32(clamping: sequences.count - 1))
      try timestamps.append(timestampMicroseconds)
      for face in faces { try add(face) }
      frameCount += 1
    } catch {
      throw DatasetError(writing: output.url, error)
    }
  }

  private func check(_ face: FaceLabel, of frame: String) throws(DatasetError) {
    func refuse(_ what: String, _ found: [Double]) -> DatasetError {
      DatasetError(
        .wrongData,
        "cannot write \(output.url.relativePath): expected \(what) in '\(frame)', found \(found)")
    }
    let sides = [face.box.x, face.box.y, face.box.width, face.box.height]
    guard face.box.isWellFormed, sides.allSatisfy({ Float($0).isFinite }) else {
      throw refuse("a box of finite numbers and a size that is not negative", sides)
    }
    guard Float(face.area).isFinite, face.area >= 0 else {
      throw refuse("a finite area that is not negative", [face.area])
    }
    for point in face.landmarks.lazy.flatMap(\.labelled)
    where !Float(point.x).isFinite || !Float(point.y).isFinite {
      throw refuse("labelled points of finite numbers", [point.x, point.y])
    }
  }

  private func add(_ face: FaceLabel) throws(HDF5Error) {
    try faceFrames.append(Int32(clamping: frameCount))
    try boxes.append(
      contentsOf: [face.box.x, face.box.y, face.box.width, face.box.height].map(Float.init))
    try areas.append(Float(face.area))
    try ignored.append(face.isIgnored ? 1 : 0)
    try crowds.append(face.isCrowd ? 1 : 0)
    try categories.append(Int32(clamping: face.category))
    try identities.append(Int32(clamping: face.identity ?? -1))
    for set in face.landmarks where !landmarks.contains(where: { $0.scheme == set.scheme }) {
      landmarks.append(try LandmarkColumns(file, set.scheme, rowsBefore: faceCount))
    }
    for columns in landmarks {
      try columns.append(face.landmarks.first { $0.scheme == columns.scheme })
    }
    faceCount += 1
  }

  /// Writes what is waiting, closes the file and gives it its name.
  package func finish() throws(DatasetError) {
    do {
      try offsets.flush()
      try bytes.flush()
      try sizes.flush()
      try names.flush()
      try frameSequences.flush()
      try timestamps.flush()
      try faceFrames.flush()
      try boxes.flush()
      try areas.flush()
      try ignored.flush()
      try crowds.flush()
      try categories.flush()
      try identities.flush()
      for columns in landmarks { try columns.flush() }
      try writeSequences()
      try file.close()
    } catch {
      throw DatasetError(writing: output.url, error)
    }
    try output.commit()
  }

  private func writeSequences() throws(HDF5Error) {
    var names = try TextColumn(file, "sequences/name")
    var kinds = try TextColumn(file, "sequences/kind")
    var subjects = try TextColumn(file, "sequences/subject")
    var firsts = try Column<Int32>(file, "sequences/first")
    var counts = try Column<Int32>(file, "sequences/count")
    var rates = try Column<Double>(file, "sequences/fps")
    for sequence in sequences {
      try names.append(sequence.name)
      try kinds.append(sequence.kind.rawValue)
      try subjects.append(sequence.subject)
      try firsts.append(Int32(clamping: sequence.first))
      try counts.append(Int32(clamping: sequence.count))
      try rates.append(sequence.framesPerSecond)
    }
    try names.flush()
    try kinds.flush()
    try subjects.flush()
    try firsts.flush()
    try counts.flush()
    try rates.flush()
  }

  private static func creationTime() -> String {
    let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap(Double.init)
    let date = epoch.map(Date.init(timeIntervalSince1970:)) ?? Date()
    return date.formatted(.iso8601)
  }
}

/// The two tables of one landmark scheme.
private final class LandmarkColumns {
  let scheme: LandmarkScheme
  private var points: Column<Float>
  private var visible: Column<UInt8>

  init(_ file: HDF5File, _ scheme: LandmarkScheme, rowsBefore: Int) throws(HDF5Error) {
    self.scheme = scheme
    let path = "faces/landmarks/\(scheme.name)"
    points = try Column(file, "\(path)/points", row: [scheme.count, 2], chunkRows: 256)
    visible = try Column(file, "\(path)/visible", row: [scheme.count], chunkRows: 256)
    for _ in 0..<rowsBefore { try append(nil) }
  }

  func append(_ landmarks: Landmarks?) throws(HDF5Error) {
    guard let landmarks else {
      try points.append(contentsOf: repeatElement(.nan, count: scheme.count * 2))
      try visible.append(contentsOf: repeatElement(0, count: scheme.count))
      return
    }
    for (point, state) in zip(landmarks.points, landmarks.visibility) {
      let isLabelled = state != .notLabelled
      try points.append(isLabelled ? Float(point.x) : .nan)
      try points.append(isLabelled ? Float(point.y) : .nan)
      try visible.append(state.rawValue)
    }
  }

  func flush() throws(HDF5Error) {
    try points.flush()
    try visible.flush()
  }
}
