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
  /// A row has a face whatever became of it.
  package let marksLosses = false

  /// `pose` of the form euler becomes a rotation.
  package let hasPosesOfAngles = true

  /// Makes the format.
  package init() {}

  /// The options that have an effect.
  package let settings = ImportSetting.ofPoints.union([.framesPerSecond])

  private static let header = JSONHeader("facegauge.hdf5-mapping", version: 1)
  private static let imageKeys = [
    "pixels", "bytes", "offsets", "names", "folder", "repeat", "sequence", "subject", "time",
  ]

  /// A JSON file whose first bytes name the schema.
  package func recognises(_ source: URL) -> String? {
    guard source.pathExtension.lowercased() == "json" else { return nil }
    return JSONLines.recognises(source, schema: Self.header.schema)
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
    let mapping = try JSONNode(
      bytes, source: source.relativePath, header: Self.header, keys: ["images", "faces"],
      optional: ["files", "matlab", "splits"])
    let parent = source.deletingLastPathComponent()
    var files = Array(sources.dropFirst())
    if files.isEmpty {
      files = try mapping["files"].texts().map { parent.appendingPathComponent($0) }
    }
    var remarks: [ImportRemark] = []
    for url in files {
      let run = try MappedRun(
        mapping, MappedFile(url, isMATLAB: mapping["matlab"].flag()),
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
    _ mapping: JSONNode, _ file: MappedFile, folder: URL, _ options: ImportOptions,
    imageKeys: [String]
  ) throws(FileError) {
    self.file = file
    self.options = options
    let object = mapping["images"]
    try object.requireKeys(optional: imageKeys)
    images = try MappedImages(object, in: file, folder: folder)
    isRepeated = try object["repeat"].flag()
    let names = images.names
    guard isRepeated || Set(names).count == names.count else {
      throw FileError(
        .wrongData,
        "cannot read \(object.source): expected each image's name once in '\(images.source)', found "
          + "one again (\"repeat\": true makes its rows faces of one image)")
    }
    faces = try MappedFaces(
      mapping["faces"], in: file, imageNames: names, rowsOf: images.source,
      angleFactor: options.angleFactor)
    guard !isRepeated || faces.images == nil else {
      throw mapping["faces"]["image"].wrong("no 'image' where images.repeat is true")
    }
    sequences = try MappedSequences(
      object, in: file, count: names.count, rowsOf: images.source,
      framesPerSecond: options.framesPerSecond ?? 30)
    splits = try Self.splits(mapping, file, count: names.count)
  }

  private static func splits(
    _ mapping: JSONNode, _ file: MappedFile, count: Int
  ) throws(FileError) -> [String: Set<Int>] {
    guard let object = mapping["splits"].given else { return [:] }
    var splits: [String: Set<Int>] = [:]
    for name in try object.keys() {
      let entry = object[name]
      guard DatasetLayout.isTableName(name) else {
        throw entry.wrong("a name of letters and digits with an object")
      }
      try entry.requireKeys(["path", "base"], optional: ["columns"])
      let base = try entry["base"].number()
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
          size = try SourceFiles.imageSize(of: url, isUpright: options.isUpright)
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
      if faces.needsSize { frame.statedSize = size }
      frame.isSizeOfImage = faces.needsSize
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
