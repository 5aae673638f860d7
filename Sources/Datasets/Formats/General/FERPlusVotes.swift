internal import FaceCore
package import Foundation
package import Platform

/// FER+: how many of ten people saw which expression in an image of FER2013.
package struct FERPlusVotes: DatasetFormat {
  package let name = "ferplus"
  package let summary = "FER+ votes: label.csv (image, box, ten counts) or fer2013new.csv"

  package init() {}

  private static let words = [
    "neutral", "happiness", "surprise", "sadness", "anger", "disgust", "fear", "contempt",
    "unknown", "NF",
  ]
  private static let header = ["Usage", "Image name"] + words

  private struct Counts {
    var (scattered, unknown, noFace, missing, unnamed) = (0, 0, 0, 0, 0)
    var hasUsages = false
    var usages = UsageSplits()
  }

  /// A CSV file of images with a box and ten counts, or with FER+'s header.
  package func recognises(_ source: URL) -> String? {
    guard let head = SourceFiles.head(of: source, type: "csv") else { return nil }
    if NamedColumns.head(of: source) == Self.header {
      return "a CSV file with the header of fer2013new.csv"
    }
    var file = DelimitedText(Array(head.utf8), name: "")
    guard let fields = try? file.next(), fields.count == 2 + Self.words.count,
      SourceFiles.isImage(fields[0]), fields[1].hasPrefix("(")
    else { return nil }
    return "a CSV file of images, boxes in brackets and ten counts"
  }

  /// Reads each file, one image per row; names are relative to it, and images may be missing.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var counts = Counts()
    for source in sources {
      var file = try DelimitedText(source, limit: 256 << 20)
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      var ahead = file
      let hasUsage = try ahead.header() == Self.header
      if hasUsage { file = ahead }
      counts.hasUsages = counts.hasUsages || hasUsage
      var isEmpty = !hasUsage
      while let fields = try file.next() {
        isEmpty = false
        guard fields.count == Self.header.count else {
          throw file.wrong(
            "\(hasUsage ? "usage, image" : "image, box") and ten counts",
            found: "\(fields.count) fields")
        }
        let name = fields[hasUsage ? 1 : 0]
        guard !hasUsage || !name.isEmpty else {
          counts.unnamed += 1
          continue
        }
        guard SourceFiles.isImage(name) else {
          throw file.wrong("the name of an image", found: name)
        }
        var face = FaceLabel(
          box: hasUsage
            ? BoundingBox(x: 0, y: 0, width: 48, height: 48) : try Self.box(fields[1], file))
        try Self.add(fields.dropFirst(2), to: &face, file, &counts)
        let url = folder.appendingPathComponent(name)
        let isThere = options.isLabelsOnly || url.isThere
        if !isThere { counts.missing += 1 }
        var frame = ImportedFrame(name: name, image: isThere ? .file(url) : .none, faces: [face])
        if hasUsage { frame.splits = counts.usages.splits(of: fields[0]) }
        try sink(frame)
      }
      guard !isEmpty else {
        throw FileError.wrongData(
          "cannot read \(file.name): expected rows of votes, found an empty file")
      }
    }
    return Self.remarks(counts)
  }

  private static func remarks(_ counts: Counts) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed(
        "the expression is the word with more than half of the votes, single votes removed, as in "
          + "FER+; the votes are attributes"),
      .assumed(
        counts.hasUsages
          ? "the box is the whole of FER's image, 48 by 48"
          : "boxes are taken as left, top, right, bottom"),
    ]
    remarks.assume(counts.scattered, "faces without a majority of votes have no expression")
    remarks.assume(counts.unknown, "faces with a majority for unknown have no expression")
    remarks.assume(counts.noFace, "faces with a majority for NF, no face, are to be ignored")
    remarks.drop(counts.missing, "images were not found: labels only")
    remarks.drop(counts.unnamed, "rows without an image's name left out")
    return remarks + counts.usages.remarks
  }

  /// A box `(left, top, right, bottom)`.
  private static func box(
    _ field: String, _ file: DelimitedText
  ) throws(FileError) -> BoundingBox {
    let text = field.trimmingCharacters(in: .whitespaces)
    let parts = text.dropFirst().dropLast()
      .split(separator: ",", omittingEmptySubsequences: false)
    guard text.hasPrefix("("), text.hasSuffix(")"), parts.count == 4 else {
      throw file.wrong("a box (left, top, right, bottom)", found: field)
    }
    let sides = try parts.map { (part) throws(FileError) in try file.number(part, in: "the box") }
    let box = BoundingBox(
      x: sides[0], y: sides[1], width: sides[2] - sides[0], height: sides[3] - sides[1])
    guard box.isWellFormed else {
      throw file.wrong("a box (left, top, right, bottom)", found: field)
    }
    return box
  }

  private static func add(
    _ fields: ArraySlice<String>, to face: inout FaceLabel, _ file: DelimitedText,
    _ counts: inout Counts
  ) throws(FileError) {
    var counted: [(word: String, votes: Double)] = []
    for (word, field) in zip(words, fields) {
      let votes = try file.number(field, in: word)
      guard votes >= 0, votes <= 1_000_000, votes == votes.rounded() else {
        throw file.wrong("a whole number of votes in \(word)", found: field)
      }
      face.attributes["votes_\(word)"] = votes
      // FER+ treats single votes as mistakes.
      if votes > 1 { counted.append((word, votes)) }
    }
    let total = counted.reduce(0) { $0 + $1.votes }
    guard let winner = counted.first(where: { 2 * $0.votes > total })?.word else {
      counts.scattered += 1
      return
    }
    switch winner {
    case "unknown": counts.unknown += 1
    case "NF":
      counts.noFace += 1
      face.isIgnored = true
    default: face.expression = winner
    }
  }
}
