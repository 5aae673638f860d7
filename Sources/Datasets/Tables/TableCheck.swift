internal import HDF5
internal import Platform

/// Validates whole columns, read in parts, before anything relies on them.
enum TableCheck {
  static let step = 1 << 16
  /// Maximum rows of a table in any file; a larger file may have one row per 4 bytes.
  private static let maxRows = 1 << 18
  private static let minBytesPerRow = 4

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
    let count = table.shape[0]
    for start in stride(from: 0, to: count, by: step) {
      let end = min(start + step, count)
      for (row, offset) in try table.readByValue(UInt64.self, rows: start..<end).enumerated() {
        let index = start + row
        guard index > 0 || offset == 0, offset >= last, offset <= UInt64(total) else {
          throw FileError.wrongData(
            "cannot read '\(table.path)'[\(index)] in \(file.path): expected "
              + (index == 0 ? "0" : "\(last) to \(total)") + ", found \(offset)")
        }
        last = offset
      }
    }
    guard last == UInt64(total) else {
      throw FileError.wrongData(
        "cannot read '\(table.path)'[\(count - 1)] in \(file.path): expected \(total), \(what), "
          + "found \(last)")
    }
  }

  /// Throws unless the numbers rise and lie in 0 to `limit` - 1.
  static func ascending(_ table: HDF5Dataset, below limit: Int, in file: HDF5File) throws {
    var next = 0
    let count = table.shape[0]
    for start in stride(from: 0, to: count, by: step) {
      let end = min(start + step, count)
      for (row, value) in try table.readByValue(Int32.self, rows: start..<end).enumerated() {
        guard value >= next, value < limit else {
          throw FileError.wrongData(
            "cannot read '\(table.path)'[\(start + row)] in \(file.path): expected \(next) to "
              + "\(limit - 1) in ascending order, found \(value)")
        }
        next = Int(value) + 1
      }
    }
  }

  /// Number of rows that contain another number.
  static func rows(_ table: HDF5Dataset, otherThan number: Int32) throws(HDF5Error) -> Int {
    var others = 0
    let count = table.shape[0]
    for start in stride(from: 0, to: count, by: step) {
      let values = try table.readByValue(Int32.self, rows: start..<min(start + step, count))
      others += values.count { $0 != number }
    }
    return others
  }

  /// The lowest and the highest number of a column that are finite; nil without any.
  static func range(_ table: HDF5Dataset) throws(HDF5Error) -> ClosedRange<Float>? {
    var range: ClosedRange<Float>?
    let rows = table.shape[0]
    for start in stride(from: 0, to: rows, by: step) {
      for value in try table.read(Float.self, rows: start..<min(start + step, rows))
      where value.isFinite {
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
    let rows = table.shape[0]
    for start in stride(from: 0, to: rows, by: step) {
      let end = min(start + step, rows)
      for (row, value) in try table.read(UInt8.self, rows: start..<end).enumerated() {
        guard value <= largest else {
          throw FileError.wrongData(
            "cannot read '\(table.path)'[\(start + row)] in \(file.path): expected 0 to "
              + "\(largest), found \(value)")
        }
        counts[Int(value)] += 1
      }
    }
    return counts
  }
}
