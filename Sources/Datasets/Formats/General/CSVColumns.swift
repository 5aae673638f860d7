internal import FaceCore
package import Foundation
package import Platform

/// A table of text with columns of its own, which the user names.
package struct CSVColumns: DatasetFormat {
  package let name = "csv"
  package let summary = "any CSV by --columns: boxes, points, scores, tracks; --draft guesses them"
  package let settings = ImportSetting.ofPoints.union([.category, .columns, .framesPerSecond])
  /// Points have names.
  package let decidesPoints = true
  package let hasPosesOfAngles = true

  package init() {}

  /// A text whose first line has two names of columns or more.
  package func recognises(_ source: URL) -> String? {
    guard ["csv", "tsv"].contains(source.pathExtension.lowercased()), !source.isFolder else {
      return nil
    }
    let fields = ColumnTable.head(of: source)
    guard fields.count > 1 else { return nil }
    return "a table with columns of its own"
  }

  /// Reads each file; rows of one image become its faces, and names are relative to the file.
  ///
  /// Of several files all labels are read before the first frame.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    let titles = SourceFiles.Titles(sources)
    var people = IdentityNumbers()
    let labels = try options.columns.map { (mapping) throws(FileError) in
      try Self.labels(in: sources, mapping)
    }
    for source in sources {
      guard let mapping = options.columns else { throw try Self.undecided(source) }
      var table = try ColumnTable(source, hasHeader: mapping.hasHeader)
      let plan = try ColumnPlan(mapping, of: table)
      guard options.categories.isEmpty || mapping["label"] != nil else {
        throw FileError.wrongData(
          "cannot read \(source.relativePath): expected a column of labels for --category, found none in --columns "
            + "(label=\(mapping["expression"] ?? "COLUMN"))")
      }
      let title = titles[source]
      var faces = ColumnFaces(
        plan, title: title, angleFactor: options.angleFactor, categories: labels ?? [])
      while let row = try table.next() { try faces.add(row, of: table) }
      let identities = people.numbers(of: faces.identityNames, areOfClips: mapping.isOfVideos)
      var frames = try ColumnFrames(faces, identities: identities, options, in: source)
      try frames.send(to: sink)
      let isNamed = sources.count > 1
      remarks += frames.remarks.map { isNamed ? $0.about(source.lastPathComponent) : $0 }
    }
    return remarks + people.remarks
  }

  /// The labels in several tables, in the order of their first occurrence.
  private static func labels(
    in sources: [URL], _ mapping: ColumnMapping
  ) throws(FileError) -> [String] {
    guard sources.count > 1, let column = mapping["label"] else { return [] }
    var labels: [String] = []
    var known: Set<String> = []
    for source in sources {
      var table = try ColumnTable(source, hasHeader: mapping.hasHeader)
      while let row = try table.next() {
        guard let label = table.text(column, in: row), known.insert(label).inserted
        else { continue }
        labels.append(label)
      }
    }
    return labels
  }

  private static func undecided(_ source: URL) throws(FileError) -> FileError {
    let table = try ColumnTable(source, hasHeader: true)
    let names = table.columns.names
    return FileError.wrongData(
      "cannot read \(source.relativePath): expected --columns, which names the columns of a CSV of its "
        + "own, found \(names.count) columns: " + names.prefix(16).joined(separator: ", ")
        + (names.count > 16 ? ", …" : "")
        + " ('facegauge import csv \(source.relativePath) --draft' guesses them)")
  }
}
