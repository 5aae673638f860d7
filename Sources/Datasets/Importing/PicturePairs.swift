package import Foundation

/// Pairs of pictures, and whether the faces of each belong together, from a comma-separated file.
package struct PicturePairs: Sendable, Hashable {
  /// Two pictures to compare.
  package struct Pair: Sendable, Hashable {
    /// The pictures as the file names them, its folder being where they are looked for.
    package var first, second: String
    /// Whether their faces belong together.
    package var belongs: Bool
  }

  /// The pairs in the order of the file; at least one, none twice in either order.
  package let pairs: [Pair]
  private let folder: URL

  /// Pairs of a file at most.
  private static let limit = 1_000_000

  /// Reads the columns `a`, `b` and `same`, which is 1 or 0; further columns are ignored.
  ///
  /// Throws `.wrongData` with the line where a row is no pair of two files or is there already, and `.notFound` where
  /// the file or a picture is not there.
  package init(_ url: URL) throws(DatasetError) {
    let folder = url.deletingLastPathComponent()
    self.folder = folder
    let bytes = try SourceFiles.bytes(of: url)
    guard !bytes.contains(0) else {
      throw DatasetError(
        .wrongData, "cannot read \(url.relativePath): expected text, found a byte of 0")
    }
    var file = DelimitedText(bytes, name: url.relativePath)
    let columns = try NamedColumns(&file)
    try columns.require(["a", "b", "same"], in: file)
    var pairs: [Pair] = []
    var lines: [Set<String>: Int] = [:]
    while let row = try columns.next(&file) {
      guard let first = columns.text("a", in: row), let second = columns.text("b", in: row) else {
        throw file.wrong("two pictures", found: row.joined(separator: ","))
      }
      guard first != second else { throw file.wrong("two pictures", found: "\(first) twice") }
      guard let word = columns.text("same", in: row), ["0", "1"].contains(word) else {
        throw file.wrong("0 or 1 in same", found: columns.text("same", in: row) ?? "")
      }
      if let line = lines.updateValue(file.line, forKey: [first, second]) {
        throw file.wrong("each pair once", found: "that of line \(line)")
      }
      guard pairs.count < Self.limit else {
        throw file.wrong("at most \(Self.limit) pairs", found: "more")
      }
      for name in [first, second] {
        guard FileManager.default.fileExists(atPath: Self.place(of: name, in: folder).path) else {
          throw DatasetError(
            .notFound, "cannot read \(url.relativePath), line \(file.line): no such file '\(name)'")
        }
      }
      pairs.append(Pair(first: first, second: second, belongs: word == "1"))
    }
    guard !pairs.isEmpty else {
      throw DatasetError(
        .wrongData, "cannot read \(url.relativePath): expected a pair or more, found none")
    }
    self.pairs = pairs
  }

  /// Where a picture of the file lies.
  package func place(of picture: String) -> URL {
    Self.place(of: picture, in: folder)
  }

  private static func place(of picture: String, in folder: URL) -> URL {
    picture.hasPrefix("/")
      ? URL(fileURLWithPath: picture) : folder.appendingPathComponent(picture)
  }

  /// Every picture once, in the order in which the file names them.
  package var pictures: [String] {
    var seen: Set<String> = []
    return pairs.flatMap { [$0.first, $0.second] }.filter { seen.insert($0).inserted }
  }
}
