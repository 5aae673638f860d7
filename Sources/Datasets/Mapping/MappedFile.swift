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

  /// The group whose arrays are read; nil in a file of one set of arrays.
  private(set) var group: MappedGroup?
  /// How many places for faces each image has while arrays of faces are opened that have as many; nil where they have rows.
  var slots: Int?

  private let byteCount: Int
  private var decodedBytes = 0
  private var keptBytes = 0
  private var counted: Set<String> = []
  /// The values of arrays that do not store rows first, by path.
  private var whole: [String: [Double]] = [:]
  /// Paths of the mapping by their text.
  private var paths: [String: MappedPath] = [:]

  static let references = "#refs#"
  /// Names that may be found in any file.
  private static let fewLinks = 1 << 14
  private static let minBytesPerLink = 16

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
    FileError.wrongData("cannot read '\(path)' in \(name): expected \(expected), found \(found)")
  }

  /// Reads the arrays of a group from here on; nothing of the last one stays in memory.
  func enter(_ group: MappedGroup) {
    self.group = group
    keptBytes = 0
    counted.removeAll(keepingCapacity: true)
    whole.removeAll(keepingCapacity: true)
  }

  /// A path of the mapping; an object of just this name goes before a field or an attribute.
  func path(_ text: String) throws(FileError) -> MappedPath {
    if let known = paths[text] { return known }
    var path = try MappedPath(text)
    if path.words.isEmpty, path.attribute != nil || !path.field.isEmpty {
      let whole = try? MappedPath(text, isWhole: true)
      if let whole, (try? file.exists(text)) == true { path = whole }
    }
    paths[text] = path
    return path
  }

  /// Where a path leads in the current group; throws for words that the group has not.
  func place(of path: MappedPath) throws(FileError) -> String {
    guard let place = path.filled(group?.values ?? [:]) else {
      throw wrong(path.text, "only words of the images' path", found: "others")
    }
    return place
  }

  /// Whether the current group is one image.
  var isImage: Bool { group?.isImage ?? false }

  /// Throws if an array of several rows has not all words of the current group, which would give its rows to each.
  func requireWords(_ path: MappedPath) throws(FileError) {
    guard let group, path.words.count < group.words.count else { return }
    let words = group.words.map { "{\($0)}" }.joined(separator: " and ")
    throw wrong(
      path.text, "\(words) in the path of an array with rows",
      found: path.words.isEmpty ? "none" : path.words.map { "{\($0)}" }.joined(separator: " and "))
  }

  /// Whether there is a group at a path.
  func isGroup(_ path: String) throws(FileError) -> Bool {
    do throws(HDF5Error) {
      return try file.kind(of: path) == .group
    } catch {
      guard error.kind == .wrongLayout else { throw FileError(reading: error) }
      return false
    }
  }

  /// Opens an array of the current group.
  func dataset(_ path: String) throws(FileError) -> HDF5Dataset {
    let path = try self.path(path)
    return try dataset(at: place(of: path), field: path.field)
  }

  /// Opens an array, or a field of a table; throws if all that are mapped hold more values than a file of this size may.
  func dataset(at place: String, field: [String] = []) throws(FileError) -> HDF5Dataset {
    do {
      var dataset = try file.dataset(place)
      if counted.insert(place).inserted { try decode(dataset.decodedByteCount, of: place) }
      for name in field { dataset = try dataset.field(name) }
      return dataset
    } catch {
      let wrapped = FileError(reading: error)
      guard isImage, (try? file.exists(place)) == false else { throw wrapped }
      throw FileError(
        wrapped.kind,
        "\(wrapped.description); of an image without faces it has 0 rows, in h5py f['\(place)'] = np.zeros((0, 4))"
      )
    }
  }

  /// The numbers of an attribute; nil for a path that names none.
  func numbers(ofAttribute path: MappedPath) throws(FileError) -> [Double]? {
    guard let attribute = path.attribute else { return nil }
    return try FileError.reading {
      try file.attribute(attribute, of: place(of: path), as: [Double].self)
    }
  }

  /// Counts bytes that are decoded while the file is imported; throws for more than a file of this size may hold.
  func decode(_ bytes: Int, of path: String) throws(FileError) {
    decodedBytes = try sum(decodedBytes, bytes, .images, of: path, "values")
  }

  /// Counts values that stay in memory while the file is imported; throws for more than a file of this size may take.
  func keep(_ count: Int, ofBytes bytesEach: Int, at path: String) throws(FileError) {
    keptBytes = try sum(
      keptBytes, count.clampedProduct(with: bytesEach), .values, of: path,
      "values that stay in memory")
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

  /// Throws if names are found more often than a file of this size can have links.
  func requireFew(links count: Int, of path: String) throws(FileError) {
    let limit = max(Self.fewLinks, byteCount / Self.minBytesPerLink)
    guard count <= limit else {
      throw wrong(
        path, "at most \(limit) names in a file of \(byteCount) bytes",
        found: "more, as groups contain themselves")
    }
  }

  /// Throws if an array has more rows than a file of this size may.
  func requireFew(_ rows: Int, of path: String) throws(FileError) {
    try FileError.reading { try TableCheck.rowCount(rows, of: path, in: file) }
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

  /// All numbers of an array of any extents.
  func numbers(of dataset: HDF5Dataset) throws(FileError) -> [Double] {
    try FileError.reading {
      guard dataset.shape.isEmpty else {
        return try dataset.readByValue(Double.self, rows: 0..<dataset.shape[0])
      }
      switch dataset.elementType {
      case .i64: return try dataset.readAll(Int64.self).map(Double.init)
      case .u64: return try dataset.readAll(UInt64.self).map(Double.init)
      default: return try dataset.readAll(Double.self)
      }
    }
  }

  /// The table of numbers that an entry of the mapping names: a path, or an object with `path` and `columns`.
  func table(
    _ key: String, of object: JSONNode, widths: [Int] = [1]
  ) throws(FileError) -> MappedTable? {
    guard let entry = object[key].given else { return nil }
    if let path = entry.ifText {
      return try MappedTable(self, path, MappedAxes.Want(widths: widths))
    }
    try entry.requireKeys(optional: ["path", "columns"])
    return try table(entry, widths: widths)
  }

  /// The table of an object with `path` and optional `columns`.
  func table(
    _ entry: JSONNode, layout: String? = nil, widths: [Int] = [1]
  ) throws(FileError) -> MappedTable {
    let path = try entry["path"].text()
    var columns: Range<Int>?
    if let ends = try entry["columns"].given?.numbers(count: 2) {
      guard let first = Int(exactly: ends[0]), let end = Int(exactly: ends[1]), first >= 0,
        first < end
      else { throw entry["columns"].wrong("the first column and the one after the last") }
      columns = first..<end
    }
    return try MappedTable(
      self, path, MappedAxes.Want(layout: layout, columns: columns, widths: widths))
  }
}
