internal import FaceCore
package import Foundation
internal import HDF5
package import Platform

/// Contents of a dataset or predictions file, as names and values in order of importance.
package struct FileContents: Sendable, Encodable {
  private let entries: [(name: String, value: Value)]

  private enum Value: Sendable, Encodable {
    case text(String)
    case number(Double)
    case list([String])

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number):
        if let integer = Int(exactly: number) {
          try container.encode(integer)
        } else if number.isFinite {
          try container.encode(number)
        } else {
          try container.encode("\(number)")
        }
      case .list(let items): try container.encode(items)
      }
    }
  }

  /// The kind of file.
  package enum Kind: Sendable {
    case dataset, predictions
  }

  /// Opens a dataset or a predictions file and checks its tables.
  package init(of url: URL) throws(FileError) {
    switch try Self.kind(of: url) {
    case .predictions: entries = try Self.predictions(PredictionsReader(url))
    case .dataset: entries = try Self.dataset(DatasetReader(url))
    }
  }

  /// The declared format of a file, or of the first file of a dataset; unknown formats count as a dataset.
  package static func kind(of url: URL) throws(FileError) -> Kind {
    try DatasetReader.explaining(url) { () throws(FileError) in try format(of: url) }
  }

  private static func format(of url: URL) throws(FileError) -> Kind {
    let first = try ShardList.files(of: url).files[0]
    return try FileError.reading {
      let file = try HDF5File.open(first.path, named: first.relativePath)
      let format = try file.optionalAttribute("format") ?? "none"
      try file.close()
      return format == PredictionsLayout.format ? .predictions : .dataset
    }
  }

  private static func dataset(_ file: DatasetReader) throws(FileError)
    -> [(String, Value)]
  {
    let videos = file.sequences.filter { $0.kind == .video }
    var entries: [(String, Value)] = [
      ("format", .text("\(DatasetLayout.format) \(DatasetLayout.version)")),
      ("name", .text(file.name)),
    ]
    for (name, value) in file.provenance { entries.append((name, .text(value))) }
    if file.files.count > 1 { entries.append(("files", .number(Double(file.files.count)))) }
    entries += [
      ("frames", .number(Double(file.frameCount))),
      ("faces", .number(Double(file.faceCount))),
    ]
    if file.otherObjectCount > 0 {
      entries.append(("other_objects", .number(Double(file.otherObjectCount))))
    }
    entries += [
      ("sequences", .number(Double(file.sequenceCount))),
      ("videos", .number(Double(videos.count))),
      ("landmarks", .list(file.schemes.map(\.name))),
    ]
    if !file.unknownTables.isEmpty {
      entries.append(("unknown_tables", .list(file.unknownTables)))
    }
    if file.withoutImageCount > 0 {
      entries.append(
        (
          "images",
          .text(
            file.withoutImageCount == file.frameCount
              ? "no image" : "no image in \(file.withoutImageCount) frames")
        ))
    }
    if !file.faceAttributes.isEmpty { entries.append(("labels", .list(file.faceAttributes))) }
    let angles = file.faceAttributes.filter(FaceLabel.isAngle)
    if !angles.isEmpty { entries.append(("radians", .list(angles))) }
    let (tables, depthMaps) = file.contextNames
    if !tables.isEmpty { entries.append(("frame_labels", .list(tables))) }
    if depthMaps > 0 { entries.append(("depth_maps", .number(Double(depthMaps)))) }
    if !file.splits.isEmpty {
      entries.append(("splits", .list(file.splits.map { "\($0.name) \($0.count)" })))
    }
    entries.append(("bytes", .number(Double(file.byteCount))))
    return entries
  }

  private static func predictions(_ file: PredictionsReader) throws(FileError)
    -> [(String, Value)]
  {
    var entries: [(String, Value)] = [
      ("format", .text("\(PredictionsLayout.format) \(PredictionsLayout.version)")),
      ("dataset", .text(file.header.datasetName)),
      ("dataset_sha256", .text(file.header.datasetSHA256)),
      ("dataset_path", .text(file.header.datasetPath)),
      ("mode", .text(file.header.mode)),
      ("models", .list(file.header.models.map { "\($0.stage) \($0.name)" })),
      ("model_sha256", .list(file.header.models.map(\.sha256))),
      ("frames", .number(Double(file.frameCount))),
      ("broken", .number(Double(file.brokenCount))),
      ("dropped", .number(Double(file.droppedCount))),
      ("detections", .number(Double(file.detectionCount))),
      ("faces", .number(Double(file.faceCount))),
      ("rejected", .number(Double(file.rejectedCount))),
      ("landmarks", .list(file.scheme.map { [$0.name] } ?? [])),
      ("candidates", .number(Double(file.candidateCount))),
      ("candidate_floor", .number(file.header.candidateFloor)),
      ("stages", .list(file.header.stages)),
    ]
    if let numerics = file.header.numerics {
      entries.append(("kernels", .text(numerics.kernels)))
      entries.append(("blas_core", .text(numerics.blasCore)))
    }
    for (name, value) in file.header.options.sorted(by: { $0.key < $1.key }) {
      entries.append((name, .text(value)))
    }
    return entries
  }

  /// One line per entry, values aligned.
  package var text: String {
    let rows: [[String]] = entries.map { name, value in
      let words =
        switch value {
        case .text(let text): text
        case .number(let number):
          Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .list(let items): items.isEmpty ? "none" : items.joined(separator: ", ")
        }
      return [name, words.withControlCharactersEscaped]
    }
    return TextTable(rows: rows).lines.map { $0 + "\n" }.joined()
  }

  /// One object of all entries.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(entries.reduce(into: [String: Value]()) { $0[$1.name] = $1.value })
  }
}
