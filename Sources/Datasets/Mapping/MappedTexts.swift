internal import HDF5
internal import Platform

/// Texts of a mapped file: UTF-8, MATLAB's characters, or whole numbers.
extension MappedFile {
  /// What a text or a number that stands for one takes in memory, besides its characters.
  private static let textBytes = 64
  /// Bytes of texts that are read at once.
  private static let bytesAtOnce = 1 << 20

  /// One text for each of `count` rows; an attribute or a value without extents is that of all.
  func texts(_ path: String, count: Int, as other: String) throws(FileError) -> [String] {
    let (texts, isSingle) = try found(path, needsWords: true)
    if isSingle, let text = texts.first {
      try keep(count, ofBytes: MemoryLayout<String>.stride, at: path)
      return [String](repeating: text, count: count)
    }
    guard texts.count == count else {
      throw wrong(path, "\(count) rows as in '\(other)'", found: "\(texts.count)")
    }
    return texts
  }

  /// All texts that there are, one per row; a list for all groups needs no words.
  func texts(_ path: String, isForAll: Bool = false) throws(FileError) -> [String] {
    try found(path, needsWords: !isForAll).texts
  }

  private func found(
    _ text: String, needsWords: Bool
  ) throws(FileError) -> (texts: [String], isSingle: Bool) {
    let path = try path(text)
    let place = try place(of: path)
    do {
      if let attribute = path.attribute {
        if let texts = try? file.attribute(attribute, of: place, as: [String].self) {
          try keep(texts.reduce(0) { $0 + $1.utf8.count }, ofBytes: 1, at: path.text)
          return (texts, texts.count == 1)
        }
        let table = try MappedTable(self, text, MappedAxes.Want())
        return (try (0..<table.rows).map { try number(table, $0) }, table.isSingle)
      }
      if let cells = try cells(at: place) {
        if needsWords { try requireWords(path) }
        return (try cells.map { try self.text(inCell: $0, of: text) }, false)
      }
      let dataset = try dataset(at: place, field: path.field)
      if isMATLAB, dataset.elementType == .u16, try isText(place) {
        return ([String(decoding: try dataset.readAll(UInt16.self), as: UTF16.self)], true)
      }
      if dataset.elementType == .string {
        let texts = try strings(dataset)
        if needsWords, !dataset.shape.isEmpty { try requireWords(path) }
        return (texts, dataset.shape.isEmpty)
      }
      let table = try MappedTable(self, text, MappedAxes.Want())
      try keep(table.rows, ofBytes: Self.textBytes, at: table.path)
      return (try (0..<table.rows).map { try number(table, $0) }, table.isSingle)
    } catch {
      throw FileError(reading: error) { wrong(text, "texts", found: "\($0)") }
    }
  }

  private func number(_ table: MappedTable, _ row: Int) throws(FileError) -> String {
    guard let whole = Int(exactly: try table.single(row)) else {
      throw wrong(table.path, "texts or whole numbers", found: "other numbers")
    }
    return "\(whole)"
  }

  private func strings(_ dataset: HDF5Dataset) throws -> [String] {
    guard let rows = dataset.shape.first else { return try dataset.readAllStrings() }
    guard dataset.shape.dropFirst().allSatisfy({ $0 == 1 }) else {
      throw wrong(dataset.path, "one text per row", found: MappedTable.text(dataset.shape))
    }
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

  private func isText(_ path: String) throws(HDF5Error) -> Bool {
    let name = "MATLAB_class"
    guard try file.hasAttribute(name, of: path) else { return false }
    return try file.attribute(name, of: path, as: String.self) == "char"
  }

  private func text(inCell path: String?, of place: String) throws -> String {
    guard let path, try file.kind(of: path) == .dataset else {
      throw wrong(place, "references into \(Self.references)", found: "others")
    }
    guard try !isEmpty(cell: path) else { return "" }
    let dataset = try cell(path)
    try keep(1, ofBytes: dataset.decodedByteCount, at: path)
    try keep(1, ofBytes: Self.textBytes, at: path)
    return String(decoding: try dataset.readAll(UInt16.self), as: UTF16.self)
  }
}
