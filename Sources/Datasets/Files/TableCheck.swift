internal import HDF5

/// Checks of whole columns, read a part at a time, before anything relies on them.
enum TableCheck {
  private static let step = 1 << 16
  /// Rows of one table in any file; more only where every row has some bytes of the file.
  private static let maxRows = 1 << 18
  private static let minBytesPerRow = 4

  /// Throws where a table has more rows than its file can have written: what is kept for each would not fit.
  static func rowCount(_ table: HDF5Dataset, in file: HDF5File) throws -> Int {
    let (rows, bytes) = (table.shape[0], try file.byteCount())
    let limit = max(maxRows, bytes / minBytesPerRow)
    guard rows <= limit else {
      throw DatasetError(
        .wrongData,
        "cannot read '\(table.path)' in \(file.path): expected at most \(limit) rows in a file of "
          + "\(bytes) bytes, found \(rows)")
    }
    return rows
  }

  /// Throws where a frame has more rows than fit into memory together.
  static func rowsOfFrame(
    _ count: Int, _ frame: Int, table: String, file: String
  ) throws(DatasetError) {
    guard count <= DatasetLayout.maxRowsOfFrame else {
      throw DatasetError(
        .wrongData,
        "cannot read '\(table)' in \(file): expected at most \(DatasetLayout.maxRowsOfFrame) rows "
          + "for a frame, found \(count) for frame \(frame)")
    }
  }

  /// Throws unless offsets run from 0 to `total`, the `what`, without turning back.
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
          throw DatasetError(
            .wrongData,
            "cannot read '\(table.path)'[\(index)] in \(file.path): expected "
              + (index == 0 ? "0" : "\(last) to \(total)") + ", found \(offset)")
        }
        last = offset
      }
    }
    guard last == UInt64(total) else {
      throw DatasetError(
        .wrongData,
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
          throw DatasetError(
            .wrongData,
            "cannot read '\(table.path)'[\(start + row)] in \(file.path): expected \(next) to "
              + "\(limit - 1) in ascending order, found \(value)")
        }
        next = Int(value) + 1
      }
    }
  }

  /// How many rows of two numbers hold 0 and 0.
  static func emptyRows(_ table: HDF5Dataset) throws(HDF5Error) -> Int {
    var empty = 0
    let count = table.shape[0]
    for start in stride(from: 0, to: count, by: step) {
      let values = try table.readByValue(Int32.self, rows: start..<min(start + step, count))
      for row in 0..<values.count / 2 where values[2 * row] == 0 && values[2 * row + 1] == 0 {
        empty += 1
      }
    }
    return empty
  }

  /// How often each number from 0 to `largest` occurs; throws for one beyond.
  static func counts(
    _ table: HDF5Dataset, upTo largest: UInt8, in file: HDF5File
  ) throws -> [Int] {
    var counts = [Int](repeating: 0, count: Int(largest) + 1)
    let rows = table.shape[0]
    for start in stride(from: 0, to: rows, by: step) {
      let end = min(start + step, rows)
      for (row, value) in try table.read(UInt8.self, rows: start..<end).enumerated() {
        guard value <= largest else {
          throw DatasetError(
            .wrongData,
            "cannot read '\(table.path)'[\(start + row)] in \(file.path): expected 0 to "
              + "\(largest), found \(value)")
        }
        counts[Int(value)] += 1
      }
    }
    return counts
  }
}
