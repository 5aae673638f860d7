internal import HDF5

/// A growing table of UTF-8 text in a file, written in batches.
struct TextColumn {
  private let dataset: HDF5Dataset
  private var pending: [String] = []

  /// Bytes of a row in the file: a reference to a text.
  static let bytesPerRow = 16

  /// Makes an empty table.
  init(_ file: HDF5File, _ path: String) throws(HDF5Error) {
    dataset = try file.createStringDataset(path, shape: [0], isExtendible: true)
  }

  /// Adds one row.
  mutating func append(_ text: String) throws(HDF5Error) {
    pending.append(text)
    if pending.count >= 1024 { try flush() }
  }

  /// Writes the buffered rows.
  mutating func flush() throws(HDF5Error) {
    guard !pending.isEmpty else { return }
    try dataset.appendStrings(pending)
    pending.removeAll(keepingCapacity: true)
  }
}
