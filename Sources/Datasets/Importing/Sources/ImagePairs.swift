package import Foundation
package import Platform

/// Pairs of images, and whether their faces belong to one person, from a comma-separated file.
package struct ImagePairs: Sendable, Hashable {
  /// Two images to compare.
  package struct Pair: Sendable, Hashable {
    /// The image names in the file, relative to its folder.
    package var first, second: String
    /// Whether their faces belong to one person.
    package var belongs: Bool
  }

  /// The pairs in the order of the file; at least one, none twice in either order.
  package let pairs: [Pair]
  private let folder: URL

  /// Maximum pairs of a file.
  private static let limit = 1_000_000

  /// Reads the columns `a`, `b` and `same`, which is 1 or 0; further columns are ignored.
  ///
  /// Throws `.wrongData` with the line for a row that is not a pair of two files or is repeated, and `.notFound` if
  /// the file or an image is missing.
  package init(_ url: URL) throws(FileError) {
    let folder = url.deletingLastPathComponent()
    self.folder = folder
    let bytes = try SourceFiles.bytes(of: url)
    guard !bytes.contains(0) else {
      throw FileError.wrongData("cannot read \(url.relativePath): expected text, found a byte of 0")
    }
    var file = DelimitedText(bytes, name: url.relativePath)
    let columns = try NamedColumns(&file)
    try columns.require(["a", "b", "same"], in: file)
    var pairs: [Pair] = []
    var lines: [Set<String>: Int] = [:]
    while let row = try columns.next(&file) {
      guard let first = columns.text("a", in: row), let second = columns.text("b", in: row) else {
        throw file.wrong("two images", found: row.joined(separator: ","))
      }
      guard first != second else { throw file.wrong("two images", found: "\(first) twice") }
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
        guard SourceFiles.url(of: name, in: folder).isThere else {
          throw FileError(
            .notFound, "cannot read \(url.relativePath), line \(file.line): no such file '\(name)'")
        }
      }
      pairs.append(Pair(first: first, second: second, belongs: word == "1"))
    }
    guard !pairs.isEmpty else {
      throw FileError.wrongData(
        "cannot read \(url.relativePath): expected a pair or more, found none")
    }
    self.pairs = pairs
  }

  /// The location of an image of the file.
  package func position(of image: String) -> URL { SourceFiles.url(of: image, in: folder) }

  /// Every image once, in the order of the file.
  package var images: [String] {
    var seen: Set<String> = []
    return pairs.flatMap { [$0.first, $0.second] }.filter { seen.insert($0).inserted }
  }
}
