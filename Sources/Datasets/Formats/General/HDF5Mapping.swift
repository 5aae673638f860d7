internal import FaceCore
package import Foundation
internal import HDF5
internal import Imaging
package import Platform

/// Custom HDF5 files, described by a small JSON that maps their arrays to labels.
package struct HDF5Mapping: DatasetFormat {
  /// Name on the command line.
  package let name = "hdf5"
  /// One-line summary of what it reads.
  package let summary =
    "HDF5 or MATLAB 7.3 by a mapping JSON, as those in Datasets/mappings"

  /// Makes the format.
  package init() {}

  /// The options that have an effect.
  package let settings: Set<ImportSetting> = [.framesPerSecond]

  private static let word = "facegauge.hdf5-mapping"
  private static let keys = [
    "format", "version", "files", "matlab", "images", "faces", "splits",
  ]
  private static let imageKeys = [
    "pixels", "bytes", "offsets", "names", "folder", "repeat", "sequence", "subject", "time",
  ]

  /// A JSON file whose first bytes name the format.
  package func recognises(_ source: URL) -> String? {
    guard source.pathExtension.lowercased() == "json",
      let head = SourceFiles.head(of: source), head.contains("\"\(Self.word)\"")
    else { return nil }
    return "a JSON file of format \(Self.word)"
  }

  /// Reads the files that the first source names, or the sources after it.
  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(FileError) -> Void
  ) throws(FileError) -> [ImportRemark] {
    guard let source = sources.first else {
      throw FileError(.wrongData, "cannot import hdf5: expected a mapping, found none")
    }
    let bytes = try SourceFiles.bytes(of: source, limit: 512 << 20)
    guard !HDF5Format.begins(bytes) else {
      throw FileError(
        .wrongData,
        "cannot import \(source.relativePath): expected a mapping JSON, found HDF5 "
          + "(\(try MappedContents.summary(of: source))); write a mapping that names its arrays")
    }
    let mapping = try MappingObject(bytes, file: source.relativePath)
    try mapping.allowOnly(Self.keys)
    guard try mapping.text("format") == Self.word, try mapping.number("version") == 1 else {
      throw FileError(
        .wrongData,
        "cannot read \(source.relativePath): expected format \(Self.word) version 1")
    }
    let parent = source.deletingLastPathComponent()
    var files = Array(sources.dropFirst())
    if files.isEmpty {
      files = try (mapping.texts("files") ?? []).map { parent.appendingPathComponent($0) }
    }
    guard !files.isEmpty else { throw mapping.missing("files") }
    var remarks: [ImportRemark] = []
    for url in files {
      let run = try MappedRun(
        mapping, MappedFile(url, isMATLAB: mapping.flag("matlab")),
        folder: options.imageFolder ?? parent, options, imageKeys: Self.imageKeys)
      remarks += try run.send(to: sink)
    }
    return remarks
  }
}

/// The import of one mapped file.
private struct MappedRun {
  private let file: MappedFile
  private let options: ImportOptions
  private let images: MappedImages
  private let faces: MappedFaces
  private let splits: [String: Set<Int>]
  private let isRepeated: Bool
  private var sequences: MappedSequences

  init(
    _ mapping: MappingObject, _ file: MappedFile, folder: URL, _ options: ImportOptions,
    imageKeys: [String]
  ) throws(FileError) {
    self.file = file
    self.options = options
    guard let object = try mapping.object("images") else { throw mapping.missing("images") }
    try object.allowOnly(imageKeys)
    images = try MappedImages(object, in: file, folder: folder)
    isRepeated = try object.flag("repeat")
    let names = images.names
    guard isRepeated || Set(names).count == names.count else {
      throw FileError(
        .wrongData,
        "cannot read \(object.file): expected each image's name once in '\(images.source)', found "
          + "one again (\"repeat\": true makes its rows faces of one image)")
    }
    guard let labels = try mapping.object("faces") else { throw mapping.missing("faces") }
    faces = try MappedFaces(labels, in: file, imageNames: names, rowsOf: images.source)
    guard !isRepeated || faces.images == nil else {
      throw labels.wrong("image", "no 'image' where images.repeat is true")
    }
    sequences = try MappedSequences(
      object, in: file, count: names.count, rowsOf: images.source,
      framesPerSecond: options.framesPerSecond ?? 30)
    splits = try Self.splits(mapping, file, count: names.count)
  }

  private static func splits(
    _ mapping: MappingObject, _ file: MappedFile, count: Int
  ) throws(FileError) -> [String: Set<Int>] {
    guard let object = try mapping.object("splits") else { return [:] }
    var splits: [String: Set<Int>] = [:]
    for name in object.keys {
      guard let entry = try object.object(name), DatasetLayout.isTableName(name) else {
        throw object.wrong(name, "a name of letters and digits with an object")
      }
      try entry.allowOnly(["path", "columns", "base"])
      guard let base = try entry.number("base") else { throw entry.missing("base") }
      let table = try file.table(entry)
      var rows: Set<Int> = []
      for index in 0..<table.rows {
        let number = try table.single(index)
        guard let row = Int(exactly: number - base), (0..<count).contains(row),
          rows.insert(row).inserted
        else {
          throw file.wrong(
            table.path, "each of \(count) images from \(base.plainText) at most once",
            found: number.plainText)
        }
      }
      splits[name] = rows
    }
    return splits
  }

  /// The rows of the images, each with the rows of its faces.
  private var plan: [(image: Int, faces: [Int])] {
    if let rows = faces.images {
      var byImage = [[Int]](repeating: [], count: images.names.count)
      for (face, image) in rows.enumerated() { byImage[image].append(face) }
      return byImage.enumerated().map { ($0, $1) }
    }
    guard isRepeated else { return images.names.indices.map { ($0, [$0]) } }
    var positions: [String: Int] = [:]
    var plan: [(image: Int, faces: [Int])] = []
    for (row, name) in images.names.enumerated() {
      if let position = positions[name] {
        plan[position].faces.append(row)
      } else {
        positions[name] = plan.count
        plan.append((row, [row]))
      }
    }
    return plan
  }

  func send(
    to sink: (ImportedFrame) throws(FileError) -> Void
  ) throws(FileError) -> [ImportRemark] {
    var sequences = sequences
    for (row, faceRows) in plan {
      guard let position = try sequences.position(row) else { continue }
      var image = ImportedFrame.Image.none
      var size: ImageSize?
      if !options.isLabelsOnly || faces.needsSize {
        (image, size) = try images.image(row)
        if size == nil, faces.needsSize, let url = image.file {
          size = try SourceFiles.imageSize(of: url)
          guard size != nil else {
            throw FileError(
              .wrongData, "cannot import \(url.relativePath): expected a JPEG or PNG, found neither"
            )
          }
        }
      }
      var labels: [FaceLabel] = []
      for face in faceRows {
        if let label = try faces.face(face, size: size) { labels.append(label) }
      }
      var frame = ImportedFrame(
        name: images.names[row], image: image, faces: labels,
        timestampMicroseconds: position.microseconds, begins: position.begins)
      frame.splits = splits.filter { $0.value.contains(row) }.keys.sorted()
      try sink(frame)
    }
    var remarks = faces.assumptions.map { ImportRemark.assumed("\(file.title): \($0)") }
    if sequences.countsFrames {
      let rate = options.framesPerSecond ?? 30
      remarks.append(.assumed("\(file.title): taken as \(rate) frames per second (--fps)"))
    }
    func lost(_ count: Int, _ text: String) {
      if count > 0 { remarks.append(.dropped("\(file.title): \(count) \(text)")) }
    }
    lost(faces.withoutBox, "faces left out whose box has a NaN or a negative size")
    lost(faces.hasTranslation ? faces.count : 0, "translations of heads left out")
    lost(images.clipped, "values of pixels outside of 'range' clipped")
    lost(sequences.stopped, "images left out whose time does not rise")
    if faces.withoutPoints > 0 {
      remarks.append(.assumed("\(file.title): \(faces.withoutPoints) faces without points"))
    }
    return remarks
  }
}
