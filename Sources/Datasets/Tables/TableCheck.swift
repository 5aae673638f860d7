internal import HDF5
internal import Platform

/// Validates whole columns, read in parts, before anything relies on them.
enum TableCheck {
  private static let step = 1 << 16
  /// Maximum rows of a table in any file; a larger file may have one row per 4 bytes.
  private static let maxRows = 1 << 18
  private static let minBytesPerRow = 4

  /// The rows of a table, in parts that are read at once.
  static func parts(of table: HDF5Dataset) -> [Range<Int>] {
    let rows = table.shape[0]
    return stride(from: 0, to: rows, by: step).map { $0..<min($0 + step, rows) }
  }

  /// Throws if a table has more rows than its file can hold; memory use grows with the rows.
  static func rowCount(_ table: HDF5Dataset, in file: HDF5File) throws -> Int {
    let rows = table.shape[0]
    try rowCount(rows, of: table.path, in: file)
    return rows
  }

  /// Throws if an array has more rows than its file can hold.
  static func rowCount(_ rows: Int, of path: String, in file: HDF5File) throws {
    let bytes = try file.byteCount()
    let limit = max(maxRows, bytes / minBytesPerRow)
    guard rows <= limit else {
      throw FileError.wrongData(
        "cannot read '\(path)' in \(file.path): expected at most \(limit) rows in a file of "
          + "\(bytes) bytes, found \(rows)")
    }
  }

  /// Throws if a frame has more rows than fit into memory together.
  static func rowsOfFrame(
    _ count: Int, _ frame: Int, table: String, file: String
  ) throws(FileError) {
    guard count <= DatasetLayout.maxRowsOfFrame else {
      throw FileError.wrongData(
        "cannot read '\(table)' in \(file): expected at most \(DatasetLayout.maxRowsOfFrame) rows "
          + "for a frame, found \(count) for frame \(frame)")
    }
  }

  /// Throws if the faces or frames of a file have more attributes than are written.
  static func attributeCount(_ count: Int, of group: String, in file: HDF5File) throws(FileError) {
    guard count <= DatasetLayout.maxAttributes else {
      throw FileError.wrongData(
        "cannot read '\(group)/attributes' in \(file.path): expected at most "
          + "\(DatasetLayout.maxAttributes) attributes, found \(count)")
    }
  }

  /// Throws unless offsets start at 0, never decrease and end at `total`; `what` describes the total.
  static func offsets(
    _ table: HDF5Dataset, total: Int, what: String, in file: HDF5File
  ) throws {
    var last: UInt64 = 0
    for rows in parts(of: table) {
      for (row, offset) in zip(rows, try table.readByValue(UInt64.self, rows: rows)) {
        guard row > 0 || offset == 0, offset >= last, offset <= UInt64(total) else {
          throw FileError.wrongData(
            "cannot read '\(table.path)'[\(row)] in \(file.path): expected "
              + (row == 0 ? "0" : "\(last) to \(total)") + ", found \(offset)")
        }
        last = offset
      }
    }
    guard last == UInt64(total) else {
      throw FileError.wrongData(
        "cannot read '\(table.path)'[\(table.shape[0] - 1)] in \(file.path): expected \(total), "
          + "\(what), found \(last)")
    }
  }

  /// Throws unless the numbers rise and lie in 0 to `limit` - 1.
  static func ascending(_ table: HDF5Dataset, below limit: Int, in file: HDF5File) throws {
    var next = 0
    for rows in parts(of: table) {
      for (row, value) in zip(rows, try table.readByValue(Int32.self, rows: rows)) {
        guard value >= next, value < limit else {
          throw FileError.wrongData(
            "cannot read '\(table.path)'[\(row)] in \(file.path): expected \(next) to "
              + "\(limit - 1) in ascending order, found \(value)")
        }
        next = Int(value) + 1
      }
    }
  }

  /// Number of rows that contain another number.
  static func rows(_ table: HDF5Dataset, otherThan number: Int32) throws(HDF5Error) -> Int {
    var others = 0
    for rows in parts(of: table) {
      others += try table.readByValue(Int32.self, rows: rows).count { $0 != number }
    }
    return others
  }

  /// The lowest and the highest number of a column that are finite; nil without any.
  static func range(_ table: HDF5Dataset) throws(HDF5Error) -> ClosedRange<Float>? {
    var range: ClosedRange<Float>?
    for rows in parts(of: table) {
      for value in try table.read(Float.self, rows: rows) where value.isFinite {
        range = min(range?.lowerBound ?? value, value)...max(range?.upperBound ?? value, value)
      }
    }
    return range
  }

  /// Number of occurrences of each number from 0 to `largest`; throws for a larger number.
  static func counts(
    _ table: HDF5Dataset, upTo largest: UInt8, in file: HDF5File
  ) throws -> [Int] {
    var counts = [Int](repeating: 0, count: Int(largest) + 1)
    for rows in parts(of: table) {
      for (row, value) in zip(rows, try table.read(UInt8.self, rows: rows)) {
        guard value <= largest else {
          throw FileError.wrongData(
            "cannot read '\(table.path)'[\(row)] in \(file.path): expected 0 to "
              + "\(largest), found \(value)")
        }
        counts[Int(value)] += 1
      }
    }
    return counts
  }
}
