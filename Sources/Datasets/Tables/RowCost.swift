internal import HDF5
internal import Platform

/// What the rows of some tables take once they are decompressed; a small file may declare very much.
struct RowCost {
  /// Bytes that a row takes in memory, at most.
  private(set) var bytesPerRow = 0
  private(set) var decodedBytes = 0
  let rows: Int
  /// The group or table, which messages name.
  let path: String

  /// What tables may hold in any file, and per byte of a larger file.
  enum Limit {
    /// Numbers and texts, each of which is looked at several times.
    case values
    /// Bytes of images, which compress well where they are drawn.
    case images

    private var bytes: Int { self == .values ? 64 << 20 : 256 << 20 }
    private var bytesPerStoredByte: Int { self == .values ? 16 : 64 }

    /// The limit in a file of a size.
    func bytes(inFileOf byteCount: Int) -> Int {
      let (stored, overflow) = byteCount.multipliedReportingOverflow(by: bytesPerStoredByte)
      return overflow ? Int.max : max(bytes, stored)
    }
  }
  /// Maximum bytes that the rows of one frame may take in memory.
  private static let maxBytesOfFrame = 64 << 20
  /// Memory of rows that are read together; a single frame may take more.
  private static let bytesAtOnce = 16 << 20
  /// What a value by name counts at least in a table, because reading it takes longer than others.
  private static let namedValueBytes = 16
  /// What it takes in memory: text, number and the free places of a hash table.
  private static let namedValueMemory = 64
  private static let rowsAtOnce = 4096

  /// Rows that are read together, at least one.
  var rowsAtOnce: Int {
    max(1, min(Self.rowsAtOnce, Self.bytesAtOnce / max(bytesPerRow, 1)))
  }

  /// Maximum rows of a frame, all of which are in memory together.
  var rowsOfFrame: Int {
    min(DatasetLayout.maxRowsOfFrame, max(1, Self.maxBytesOfFrame / max(bytesPerRow, 1)))
  }

  /// Adds tables that are being written, by the bytes of a row in each; nil ones are left out.
  mutating func add(bytesPerRow rows: [Int?], memory: Int = 2) {
    bytesPerRow += rows.reduce(0) { $0 + memory * ($1 ?? 0) }
  }

  /// Adds tables whose values take up to `memory` times their bytes; nil ones are left out.
  mutating func add(_ tables: [HDF5Dataset?], memory: Int = 2) {
    for case let table? in tables {
      let bytes = table.decodedByteCount
      decodedBytes = Self.sum(decodedBytes, bytes)
      let (row, overflow) = (bytes / max(rows, 1)).multipliedReportingOverflow(by: memory)
      bytesPerRow = Self.sum(bytesPerRow, overflow ? .max : row)
    }
  }

  /// Adds tables of one value by name per row.
  mutating func addNamedValues(_ count: Int) {
    decodedBytes = Self.sum(decodedBytes, count * rows * Self.namedValueBytes)
    bytesPerRow = Self.sum(bytesPerRow, count * Self.namedValueMemory)
  }

  private static func sum(_ one: Int, _ other: Int) -> Int {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// Throws if the tables hold more than a file of its size may.
  func check(_ limit: Limit = .values, in file: HDF5File) throws {
    let bytes = try file.byteCount()
    let limit = limit.bytes(inFileOf: bytes)
    guard decodedBytes <= limit else {
      throw FileError.wrongData(
        "cannot read '\(path)' in \(file.path): expected at most \(limit) bytes of values in a file "
          + "of \(bytes) bytes, found \(decodedBytes) for \(rows) rows")
    }
  }

  /// What a frame with more faces than a reader accepts should have, in words; nil if it has few enough.
  func refusal(ofFaces count: Int) -> String? {
    guard count > rowsOfFrame else { return nil }
    return "at most \(rowsOfFrame) faces"
      + (rowsOfFrame < DatasetLayout.maxRowsOfFrame ? " of \(bytesPerRow) bytes" : "")
  }

  /// Throws if a frame has more rows than fit into memory together.
  func check(_ count: Int, ofFrame frame: Int, table: String, file: String) throws(FileError) {
    try TableCheck.rowsOfFrame(count, frame, table: table, file: file)
    guard count <= rowsOfFrame else {
      throw FileError.wrongData(
        "cannot read '\(table)' in \(file): expected at most \(rowsOfFrame) rows of "
          + "\(bytesPerRow) bytes for a frame, found \(count) for frame \(frame)")
    }
  }
}
