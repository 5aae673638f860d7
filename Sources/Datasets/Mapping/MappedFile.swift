internal import Foundation
internal import HDF5
internal import Platform

/// One HDF5 file that a mapping names, and how its arrays are to be read.
struct MappedFile {
  /// The open file.
  let file: HDF5File
  /// Name of the file, for messages.
  let name: String
  /// Whether MATLAB wrote it; extents are then in reverse order.
  let isMATLAB: Bool
  /// Paths of MATLAB's cells by their references.
  let cells: [HDF5Reference: String]

  private static let references = "#refs#"

  init(_ url: URL, isMATLAB: Bool) throws(FileError) {
    do {
      file = try HDF5File.open(url.path)
      name = url.lastPathComponent
      self.isMATLAB = isMATLAB
      let hasCells = try file.exists(Self.references)
      cells = isMATLAB && hasCells ? try file.membersByReference(of: Self.references) : [:]
    } catch {
      throw FileError(reading: error)
    }
  }

  /// The error of something at a path.
  func wrong(_ path: String, _ expected: String, found: String) -> FileError {
    FileError(
      .wrongData, "cannot read '\(path)' in \(name): expected \(expected), found \(found)")
  }

  /// A table of numbers that an entry of the mapping names: a path, or an object with `path` and `columns`.
  func table(
    _ key: String, of object: MappingObject, axes: [Int]? = nil, allowing others: [String] = []
  ) throws(FileError) -> MappedTable? {
    guard object.has(key) else { return nil }
    if let path = object.plainText(key) {
      return try MappedTable(self, path, axes: axes, columns: nil)
    }
    guard let entry = try object.object(key) else { return nil }
    try entry.allowOnly(["path", "columns"] + others)
    return try table(entry, axes: axes)
  }

  /// The table of an object with `path` and optional `columns`.
  func table(_ entry: MappingObject, axes: [Int]? = nil) throws(FileError) -> MappedTable {
    guard let path = try entry.text("path") else { throw entry.missing("path") }
    var columns: Range<Int>?
    if let ends = try entry.numbers("columns", count: 2) {
      guard let first = Int(exactly: ends[0]), let end = Int(exactly: ends[1]), first >= 0,
        first < end
      else { throw entry.wrong("columns", "the first column and the one after the last") }
      columns = first..<end
    }
    return try MappedTable(self, path, axes: axes, columns: columns)
  }

  /// Texts, one per row: UTF-8, or MATLAB's cells of characters; or whole numbers as texts.
  func texts(_ path: String) throws(FileError) -> [String] {
    do {
      let dataset = try file.dataset(path)
      switch dataset.elementType {
      case .string: return try dataset.readAllStrings()
      case .reference:
        var texts: [String] = []
        for reference in try dataset.readReferences() {
          guard let reference, let cell = cells[reference] else {
            throw wrong(path, "references into \(Self.references)", found: "others")
          }
          let units = try file.dataset(cell).readAll(UInt16.self)
          texts.append(String(decoding: units, as: UTF16.self))
        }
        return texts
      default:
        let table = try MappedTable(self, path, axes: nil, columns: nil)
        var texts: [String] = []
        for row in 0..<table.rows {
          guard let whole = Int(exactly: try table.single(row)) else {
            throw wrong(path, "texts or whole numbers", found: "other numbers")
          }
          texts.append("\(whole)")
        }
        return texts
      }
    } catch let error as HDF5Error {
      throw FileError(reading: error)
    } catch let error as FileError {
      throw error
    } catch {
      throw wrong(path, "texts", found: "\(error)")
    }
  }
}
