internal import HDF5

/// A table that grows while its file is written.
protocol GrowingTable: AnyObject {
  /// Writes the rest, after which no row can be added.
  func finish() throws(HDF5Error)
}

/// A file that is being written, with its growing tables.
final class TableFile {
  /// The file itself.
  let file: HDF5File
  private var growing: [any GrowingTable] = []

  /// Creates a file, under the lock of its caller.
  init(_ path: String) throws(HDF5Error) { file = try HDF5File.create(path, isLocked: true) }

  /// Takes in a table that `finish` completes.
  func add(_ table: any GrowingTable) { growing.append(table) }

  /// Finishes all tables, in the order in which they were planned.
  func finish() throws(HDF5Error) {
    for table in growing { try table.finish() }
    growing.removeAll()
  }
}
