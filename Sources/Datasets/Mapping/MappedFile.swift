internal import Foundation
internal import HDF5
internal import Platform

/// One HDF5 file that a mapping names, and how its arrays are to be read.
///
/// A small file can claim any number of values, so that rows, values to decode and values in memory are bounded by its size.
final class MappedFile {
  /// The open file.
  let file: HDF5File
  /// Path of the file as given, for messages.
  let name: String
  /// Last name of the path.
  let title: String
  /// Whether MATLAB wrote it; extents are then in reverse order.
  let isMATLAB: Bool
  /// Paths of MATLAB's cells by their references.
  let cells: [HDF5Reference: String]

  private let byteCount: Int
  private var decodedBytes = 0
  private var keptBytes = 0
  private var counted: Set<String> = []
  /// The values of arrays that do not store rows first, by path.
  private var whole: [String: [Double]] = [:]

  private static let references = "#refs#"
  /// What a text or a number that stands for one takes in memory, besides its characters.
  private static let textBytes = 64
  /// Bytes of texts that are read at once.
  private static let bytesAtOnce = 1 << 20

  init(_ url: URL, isMATLAB: Bool) throws(FileError) {
    do {
      file = try HDF5File.open(url.path, named: url.relativePath)
      name = url.relativePath
      title = url.lastPathComponent
      byteCount = try file.byteCount()
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

  /// Opens an array; throws if all that are mapped hold more values than a file of this size may.
  func dataset(_ path: String) throws(FileError) -> HDF5Dataset {
    do {
      let dataset = try file.dataset(path)
      if counted.insert(path).inserted { try decode(dataset.decodedByteCount, of: path) }
      return dataset
    } catch {
      throw PredictionsReader.wrapped(error)
    }
  }

  /// Counts bytes that are decoded while the file is imported; throws for more than a file of this size may hold.
  func decode(_ bytes: Int, of path: String) throws(FileError) {
    decodedBytes = try sum(decodedBytes, bytes, .images, of: path, "values")
  }

  /// Counts values that stay in memory while the file is imported; throws for more than a file of this size may take.
  func keep(_ count: Int, ofBytes bytesEach: Int, at path: String) throws(FileError) {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: bytesEach)
    keptBytes = try sum(
      keptBytes, overflow ? .max : bytes, .values, of: path, "values that stay in memory")
  }

  private func sum(
    _ before: Int, _ bytes: Int, _ limit: RowCost.Limit, of path: String, _ what: String
  ) throws(FileError) -> Int {
    let limit = limit.bytes(inFileOf: byteCount)
    guard bytes <= limit - before else {
      throw wrong(
        path, "at most \(limit) bytes of \(what) in a file of \(byteCount) bytes",
        found: before == 0 ? "\(bytes)" : "\(bytes) after \(before) of other arrays")
    }
    return before + bytes
  }

  /// Throws if an array has more rows than a file of this size may.
  func requireFew(_ rows: Int, of path: String) throws(FileError) {
    do {
      try TableCheck.rowCount(rows, of: path, in: file)
    } catch {
      throw PredictionsReader.wrapped(error)
    }
  }

  /// All values of an array that does not store rows first; they stay in memory.
  func values(of dataset: HDF5Dataset) throws -> [Double] {
    if let known = whole[dataset.path] { return known }
    let count = dataset.shape.reduce(1, *)
    try keep(count, ofBytes: MemoryLayout<Double>.stride, at: dataset.path)
    let values = try dataset.readByValue(Double.self, rows: 0..<dataset.shape[0])
    whole[dataset.path] = values
    return values
  }

  /// A table of numbers that an entry of the mapping names: a path, or an object with `path` and `columns`.
  func table(
    _ key: String, of object: JSONNode, axes: [Int]? = nil, allowing others: [String] = []
  ) throws(FileError) -> MappedTable? {
    guard let entry = object[key].given else { return nil }
    if case .string(let path)? = entry.value {
      return try MappedTable(self, path, axes: axes, columns: nil)
    }
    try entry.requireKeys(optional: ["path", "columns"] + others)
    return try table(entry, axes: axes)
  }

  /// The table of an object with `path` and optional `columns`.
  func table(_ entry: JSONNode, axes: [Int]? = nil) throws(FileError) -> MappedTable {
    let path = try entry["path"].text()
    var columns: Range<Int>?
    if let ends = try entry["columns"].given?.numbers(count: 2) {
      guard let first = Int(exactly: ends[0]), let end = Int(exactly: ends[1]), first >= 0,
        first < end
      else { throw entry["columns"].wrong("the first column and the one after the last") }
      columns = first..<end
    }
    return try MappedTable(self, path, axes: axes, columns: columns)
  }

  /// Texts, one per row: UTF-8, or MATLAB's cells of characters; or whole numbers as texts.
  func texts(_ path: String) throws(FileError) -> [String] {
    do {
      let dataset = try dataset(path)
      switch dataset.elementType {
      case .string: return try strings(dataset)
      case .reference: return try references(dataset).map { try text($0, in: path) }
      default:
        let table = try MappedTable(self, path, axes: nil, columns: nil)
        try keep(table.rows, ofBytes: Self.textBytes, at: path)
        return try (0..<table.rows).map { row in
          guard let whole = Int(exactly: try table.single(row)) else {
            throw wrong(path, "texts or whole numbers", found: "other numbers")
          }
          return "\(whole)"
        }
      }
    } catch let error as HDF5Error {
      throw FileError(reading: error)
    } catch let error as FileError {
      throw error
    } catch {
      throw wrong(path, "texts", found: "\(error)")
    }
  }

  /// References to the cells of a MATLAB file, one per row.
  func references(_ dataset: HDF5Dataset) throws -> [HDF5Reference?] {
    try requireFew(dataset.shape.reduce(1, *), of: dataset.path)
    return try dataset.readReferences()
  }

  private func strings(_ dataset: HDF5Dataset) throws -> [String] {
    guard let rows = dataset.shape.first else { return try dataset.readAllStrings() }
    try requireFew(rows, of: dataset.path)
    var texts: [String] = []
    let step = max(1, Self.bytesAtOnce / max(dataset.decodedByteCount / max(rows, 1), 1))
    for start in stride(from: 0, to: rows, by: step) {
      let part = try dataset.readStrings(rows: start..<min(start + step, rows))
      try keep(
        part.reduce(0) { $0 + Self.textBytes + $1.utf8.count }, ofBytes: 1, at: dataset.path)
      texts += part
    }
    return texts
  }

  private func text(_ reference: HDF5Reference?, in path: String) throws -> String {
    guard let reference, let cell = cells[reference] else {
      throw wrong(path, "references into \(Self.references)", found: "others")
    }
    let dataset = try file.dataset(cell)
    try decode(dataset.decodedByteCount, of: cell)
    try keep(1, ofBytes: dataset.decodedByteCount, at: cell)
    try keep(1, ofBytes: Self.textBytes, at: cell)
    return String(decoding: try dataset.readAll(UInt16.self), as: UTF16.self)
  }
}
