package import Foundation
package import Platform

/// Custom HDF5 files, described by a small JSON that maps their arrays to labels.
package struct HDF5Mapping: DatasetFormat {
  package let name = "hdf5"
  package let summary = "HDF5 or MATLAB 7.3 by a mapping JSON, as those in Datasets/mappings"
  /// A row has a face whatever became of it.
  package let marksLosses = false
  package let statesCategory = true
  /// `pose` of the form euler becomes a rotation.
  package let hasPosesOfAngles = true
  package let settings = ImportSetting.ofPoints.union([.framesPerSecond])

  package init() {}

  private static let header = JSONHeader("facegauge.hdf5-mapping", version: 1)
  private static let imageKeys = [
    "pixels", "bytes", "offsets", "names", "folder", "repeat", "sequence", "subject", "split",
    "time", "order",
  ]

  /// A JSON file whose first bytes name the schema.
  package func recognises(_ source: URL) -> String? {
    JSONLines.recognises(source, schema: Self.header.schema, type: "json")
  }

  package func files(namedIn source: URL) -> [URL] {
    guard let bytes = try? SourceFiles.bytes(of: source, limit: 512 << 20),
      let mapping = try? JSONNode(bytes, source: source.relativePath),
      let names = try? mapping["files"].texts()
    else { return [] }
    return names.map { SourceFiles.url(of: $0, in: source.deletingLastPathComponent()) }
  }

  /// Reads the files that the first source names, or the sources after it.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    guard let source = sources.first else {
      throw FileError.wrongData("cannot import hdf5: expected a mapping, found none")
    }
    guard !HDF5Contents.isHDF5(source) else { throw HDF5Contents.refusal(of: source) }
    let bytes = try SourceFiles.bytes(of: source, limit: 512 << 20)
    let mapping = try JSONNode(
      bytes, source: source.relativePath, header: Self.header, keys: ["images", "faces"],
      optional: ["files", "matlab", "splits"])
    let parent = source.deletingLastPathComponent()
    var files = Array(sources.dropFirst())
    if files.isEmpty {
      files = try mapping["files"].texts().map { SourceFiles.url(of: $0, in: parent) }
    }
    var remarks: [ImportRemark] = []
    var words: MappedWords?
    for url in files {
      try mapping["images"].requireKeys(optional: Self.imageKeys)
      var run = try MappedRun(
        mapping, MappedFile(url, isMATLAB: mapping["matlab"].flag()),
        folder: options.imageFolder ?? parent, options, after: words)
      remarks += try run.send(to: sink)
      words = run.words
    }
    return remarks
  }
}
