internal import FaceCore
internal import Foundation
internal import Platform

/// Combined properties of the files of a dataset, collected file by file.
struct ShardUnion {
  private(set) var shards: [Shard] = []
  private(set) var names: [String] = []
  private(set) var frameCount = 0
  private(set) var faceCount = 0
  private(set) var otherObjectCount = 0
  private(set) var isLabelled = true
  /// Empty until a file has some; then earlier and later stills are sequences of one frame.
  private(set) var sequences: [SequenceDescription] = []
  private(set) var schemes: Set<LandmarkScheme> = []
  private(set) var schemesWithDepth: Set<LandmarkScheme> = []
  private(set) var withoutImageCount = 0
  private(set) var splitNames: [String] = []
  private(set) var splitCounts: [String: Int] = [:]
  private(set) var splitsOfShards: [[String]] = []
  private(set) var attributeNames: Set<String> = []
  private(set) var faceAttributeNames: [String] = []
  private(set) var contextNames: [String] = []
  private(set) var depthMapCount = 0
  private(set) var unknownTables: [String] = []
  private(set) var provenance: [(name: String, value: String)] = []

  /// Maximum frames and faces; the files count them in 32 bits.
  private static let rowLimit = Int(Int32.max)

  /// Adds the next file; throws `.wrongData` if it does not match those before it.
  mutating func add(_ file: DatasetFile) throws(FileError) {
    if let first = shards.first, file.isLabelled != isLabelled {
      func word(_ isLabelled: Bool) -> String { isLabelled ? "labelled" : "not labelled" }
      throw FileError.wrongData(
        "cannot read \(file.url.relativePath) with \(first.url.relativePath): expected a dataset "
          + "that is \(word(isLabelled)), found one that is \(word(file.isLabelled))")
    }
    guard frameCount + file.frameCount <= Self.rowLimit, faceCount + file.faceCount <= Self.rowLimit
    else {
      throw FileError.wrongData(
        "cannot read \(file.url.relativePath): expected at most \(Self.rowLimit) frames and faces "
          + "in all files, found more")
    }
    isLabelled = file.isLabelled
    if !file.sequences.isEmpty, sequences.isEmpty {
      sequences = (0..<frameCount).map(Self.still)
    }
    shards.append(
      Shard(
        url: file.url, firstFrame: frameCount,
        firstSequence: sequences.isEmpty ? frameCount : sequences.count,
        frameCount: file.frameCount, faceCount: file.faceCount))
    for var sequence in file.sequences {
      sequence.first += frameCount
      sequences.append(sequence)
    }
    if file.sequences.isEmpty, !sequences.isEmpty {
      sequences += (frameCount..<(frameCount + file.frameCount)).map(Self.still)
    }
    if !names.contains(file.name) { names.append(file.name) }
    schemes.formUnion(file.faces.schemes)
    schemesWithDepth.formUnion(file.faces.schemesWithDepth)
    withoutImageCount += file.withoutImageCount
    for split in file.splits {
      if splitCounts[split.name] == nil { splitNames.append(split.name) }
      splitCounts[split.name, default: 0] += split.count
    }
    splitsOfShards.append(file.splits.map(\.name))
    let attributes = file.faces.faceAttributes
    attributeNames.formUnion(attributes.attributeNames)
    for name in attributes.otherNames where !faceAttributeNames.contains(name) {
      faceAttributeNames.append(name)
    }
    for name in file.context.names where !contextNames.contains(name) { contextNames.append(name) }
    depthMapCount += file.context.depthCount
    for table in try file.unknownTables() where !unknownTables.contains(table) {
      unknownTables.append(table)
    }
    try addProvenance(of: file)
    frameCount += file.frameCount
    faceCount += file.faceCount
    otherObjectCount += file.faces.otherCount
  }

  private mutating func addProvenance(of file: DatasetFile) throws(FileError) {
    for (name, value) in try file.provenance() {
      guard let known = provenance.firstIndex(where: { $0.name == name }) else {
        provenance.append((name, value))
        continue
      }
      let values = provenance[known].value.components(separatedBy: "; ")
      if values.count < 10, !values.contains(value) { provenance[known].value += "; \(value)" }
    }
  }

  private static func still(_ frame: Int) -> SequenceDescription {
    SequenceDescription(name: "", kind: .still, first: frame, count: 1)
  }
}
