internal import HDF5
internal import Platform

extension DatasetFile {
  /// SHA-256 of what the file says, however it is stored, in hexadecimal; `advance` hears the bytes of the file that are done.
  ///
  /// Layout, filters, byte order and the width of numbers do not count, nor do attributes of the root but `labelled`, nor
  /// tables that FORMAT.md does not name. Each known table, in order of paths, adds a line with its path, kind and extents,
  /// and its values: bytes as they are, other integers in 64 bits and other numbers as IEEE doubles, both little-endian,
  /// texts as the length of their UTF-8 in 64 bits and the UTF-8.
  func contentDigest(advance: (Int) -> Void) throws(FileError) -> String {
    try FileError.reading {
      var digest = try SHA256(of: file.path)
      try digest.add(
        "\(DatasetLayout.format) \(DatasetLayout.version) labelled \(isLabelled ? 1 : 0)\n")
      let tables = try Self.tables(of: file, in: "")
      let total = Double(max(tables.reduce(0) { $0 + $1.decodedByteCount }, 1))
      let byteCount = Double(try file.byteCount())
      var (done, reported) = (0, 0)
      for table in tables {
        try digest.add(table) { bytes in
          done += bytes
          let share = Int(Double(done) / total * byteCount)
          advance(share - reported)
          reported = share
        }
      }
      return try digest.hexadecimal()
    }
  }

  /// The tables of a group and the groups inside, in order of their paths, without those that FORMAT.md does not name.
  private static func tables(of file: HDF5File, in group: String) throws(HDF5Error) -> [HDF5Dataset]
  {
    let known = DatasetLayout.tables.first { $0.key == group }?.value
    var tables: [HDF5Dataset] = []
    for name in try file.members(of: group.isEmpty ? "/" : group)
    where known?.contains(name) ?? true {
      let path = group.isEmpty ? name : "\(group)/\(name)"
      switch try file.kind(of: path) {
      case .group: tables += try Self.tables(of: file, in: path)
      case .dataset: tables.append(try file.dataset(path))
      case .other: continue
      }
    }
    return tables
  }
}

extension SHA256 {
  /// Bytes of values that are read at once.
  private static var bytesAtOnce: Int { 1 << 20 }

  fileprivate mutating func add(_ text: String) throws(DigestError) {
    let bytes = Array(text.utf8)
    try update(bytes[...])
  }

  /// Adds a table; `advance` hears the decoded bytes that are done.
  fileprivate mutating func add(_ table: HDF5Dataset, advance: (Int) -> Void) throws {
    let rows = table.shape.first ?? 1
    let rowBytes = max(table.decodedByteCount / max(rows, 1), 1)
    let step = max(Self.bytesAtOnce / rowBytes, 1)
    let isText = table.elementType == .string
    let isFloat = [HDF5ElementType.f32, .f64].contains(table.elementType)
    let isByte = table.elementType == .u8
    try add(
      "\(table.path) \(isText ? "text" : isFloat ? "number" : "integer") "
        + "\(table.shape.map(String.init).joined(separator: "x"))\n")
    for start in stride(from: 0, to: rows, by: step) {
      let range = start..<min(start + step, rows)
      if isText {
        for text in try table.readStrings(rows: range) {
          let count = [Int64(text.utf8.count)]
          try add(count)
          try add(text)
        }
      } else if isByte {
        let bytes = try table.read(UInt8.self, rows: range)
        try update(bytes[...])
      } else if isFloat {
        // Numbers that are none are one, whatever their bits.
        let numbers = try table.readByValue(Double.self, rows: range)
        let patterns = numbers.map { ($0.isNaN ? Double.nan : $0).bitPattern }
        try add(patterns)
      } else {
        let integers = try table.readByValue(Int64.self, rows: range)
        try add(integers)
      }
      advance(range.count * rowBytes)
    }
  }

  private mutating func add(_ values: [some FixedWidthInteger & BitwiseCopyable])
    throws(DigestError)
  {
    let stored = values.map(\.littleEndian)
    try update(stored[...])
  }
}
