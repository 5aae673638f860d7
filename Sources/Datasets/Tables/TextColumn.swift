internal import HDF5

/// A growing table of UTF-8 text in a file, written in batches; it is in the file from its first batch on.
final class TextColumn: GrowingTable {
  private let file: HDF5File
  private let path: String
  private var dataset: HDF5Dataset?
  private var pending: [String] = []

  /// Bytes of a row in the file: a reference to a text.
  static let bytesPerRow = 16

  private static let batch = 1024

  /// Plans a table.
  init(_ tables: TableFile, _ path: String) {
    file = tables.file
    self.path = path
    tables.add(self)
  }

  /// Adds one row.
  func append(_ text: String) throws(HDF5Error) {
    pending.append(text)
    if pending.count >= Self.batch { try write() }
  }

  /// Writes the rest, after which no row can be added; a table of less than a batch has exactly its rows in the file.
  func finish() throws(HDF5Error) {
    guard dataset == nil else { return try write() }
    try file.createStringDataset(path, shape: [pending.count]).writeStrings(pending, atRow: 0)
    pending.removeAll()
  }

  private func write() throws(HDF5Error) {
    guard !pending.isEmpty else { return }
    if dataset == nil {
      dataset = try file.createStringDataset(path, shape: [0], isExtendible: true)
    }
    try dataset?.appendStrings(pending)
    pending.removeAll(keepingCapacity: true)
  }
}
