package import Foundation
internal import HDF5
package import Platform

/// All arrays of an HDF5 file, and what they are taken for.
package struct HDF5Contents: Encodable {
  private let name: String
  private let url: URL
  private let arrays: [FoundArray]
  private let draft: MappingDraft
  private let gaps: [String]
  private let isMATLAB: Bool
  /// What the values that are looked at may take in memory.
  private static let sampledBytes = 128 << 20

  /// Lists the arrays of any HDF5 file; throws where it cannot be opened.
  package init(of url: URL) throws(FileError) {
    do {
      let file = try HDF5File.open(url.path, named: url.relativePath)
      let walk = ContentsWalk(file)
      self.url = url
      name = url.relativePath
      let isMATLAB = try file.userBlockStart().starts(with: "MATLAB 7.3 MAT-file".utf8)
      self.isMATLAB = isMATLAB
      gaps = walk.gaps
      var budget = Self.sampledBytes
      arrays = walk.leaves.flatMap {
        FoundArray.read($0, in: file, isMATLAB: isMATLAB, budget: &budget)
      }
      draft = MappingDraft(arrays, walk.variables, isMATLAB: isMATLAB)
    } catch {
      throw FileError(reading: error)
    }
  }

  /// Whether a file is HDF5 and does not name one of our formats.
  package static func areForeign(_ url: URL) -> Bool {
    guard let file = try? HDF5File.open(url.path) else { return false }
    let format = try? file.attribute("format", of: "/", as: String.self)
    return format?.hasPrefix("facegauge.") != true
  }

  /// Whether a file is HDF5, whatever it holds.
  package static func isHDF5(_ url: URL) -> Bool { (try? HDF5File.open(url.path)) != nil }

  /// The command that drafts a mapping of a file, in words.
  package static func advice(for url: URL) -> String {
    "'facegauge import hdf5 \(url.relativePath) --draft mapping.json' drafts a mapping of its arrays"
  }

  /// The error of a file that is given instead of its mapping.
  package static func refusal(of url: URL) -> FileError {
    FileError.wrongData(
      "cannot import \(url.relativePath): expected a mapping JSON, found HDF5 (\(advice(for: url)))"
    )
  }

  private struct Row: Encodable {
    let path: String
    let count: Int
    let type: String
    let shape: [Int?]
    let filters: [String]
    let chunks: [Int]
    let values: [String]
    let guess: String?
    let problem: String?
  }

  private var rows: [Row] {
    arrays.enumerated().map { index, array in
      Row(
        path: array.pattern.text(draft.names), count: array.leaf.count, type: array.type,
        shape: array.shape, filters: array.description?.filters ?? [],
        chunks: array.description?.chunk ?? [], values: Self.first(array),
        guess: draft.roles[index], problem: array.problem)
    }
  }

  private static func first(_ array: FoundArray) -> [String] {
    if !array.sample.texts.isEmpty {
      return array.sample.texts.prefix(3).map { "\"\($0.prefix(24))\"" }
    }
    if let head = array.sample.files.first {
      return head.prefix(4).map { "\($0)" }
    }
    return (array.sample.parts.first?.values.prefix(4) ?? []).map {
      $0.shortText(significantDigits: 4)
    }
  }

  /// A line per array, then what could not be read and why.
  package var text: String {
    let rows = rows
    var table = [["path", "type", "shape", "stored", "first values", "guess"]]
    for row in rows {
      let many = row.count > 1 ? "  × \(row.count.groupedText)" : ""
      let shape =
        row.shape.isEmpty
        ? "one value"
        : "[" + row.shape.map { $0.map(String.init) ?? "*" }.joined(separator: ", ") + "]"
      let chunks =
        row.chunks.isEmpty ? "" : "chunks " + row.chunks.map(String.init).joined(separator: " × ")
      let stored = (row.filters + [chunks]).filter { !$0.isEmpty }.joined(separator: ", ")
      let guess =
        row.problem == nil
        ? row.guess ?? "–" : (row.guess.map { "\($0); " } ?? "") + "cannot be read"
      table.append(
        [
          row.path + many, row.type, shape, stored.isEmpty ? "–" : stored,
          row.values.isEmpty ? "–" : row.values.joined(separator: " "), guess,
        ].map(\.withControlCharactersEscaped))
    }
    var lines = rows.isEmpty ? ["no arrays"] : TextTable(rows: table).lines
    let problems =
      rows.compactMap { row in row.problem.map { "cannot read \(row.path): \($0)" } } + gaps
    if !problems.isEmpty { lines += [""] + problems.map(\.withControlCharactersEscaped) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// One object: the arrays, what could not be read, and what a mapping is unsure of.
  package func encode(to encoder: any Encoder) throws {
    struct Listing: Encodable {
      let file: String
      let arrays: [Row]
      let problems: [String]
      let unsure: [String]
    }
    try Listing(file: name, arrays: rows, problems: gaps, unsure: draft.remarks)
      .encode(to: encoder)
  }

  /// What a mapping that follows from the guess is unsure of or leaves out, in one line each.
  package var doubts: [String] { draft.remarks.map(\.withControlCharactersEscaped) }

  /// The mapping that the guess implies, in the folder of which `location` is a file.
  ///
  /// Throws `.wrongData` where no array holds images or their names.
  package func mapping(at location: URL) throws(FileError) -> String {
    guard !draft.images.isEmpty else {
      let unread = arrays.filter { $0.problem != nil }
      let reason = unread.first.map { "\($0.pattern.text(draft.names)): \($0.problem ?? "")" } ?? ""
      let isPickled = arrays.contains { $0.leaf.paths.contains { $0.hasSuffix("/block0_items") } }
      throw FileError.wrongData(
        "cannot draft a mapping of \(name): expected an array of images or of their names, found none among "
          + "\(arrays.count) arrays"
          + (unread.isEmpty ? "" : ", \(unread.count) of which cannot be read (\(reason))")
          + (isPickled
            ? " (pandas' fixed format has texts as Python objects: write format='table', data_columns=True, or CSV)"
            : ""))
    }
    let isBeside =
      location.deletingLastPathComponent().standardizedFileURL.path
      == url.deletingLastPathComponent().standardizedFileURL.path
    var members: [DraftValue.Member] = [
      .init("schema", .text("facegauge.hdf5-mapping")), .init("version", .number(1)),
      .init(
        "files", .list([.text(isBeside ? url.lastPathComponent : url.standardizedFileURL.path)])),
    ]
    if isMATLAB { members.append(.init("matlab", .flag(true))) }
    members.append(.init("images", .object(draft.images)))
    members.append(.init("faces", .object(draft.faces)))
    if !draft.splits.isEmpty { members.append(.init("splits", .object(draft.splits))) }
    return DraftValue.object(members).text() + "\n"
  }
}
