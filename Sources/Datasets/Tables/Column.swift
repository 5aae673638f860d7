internal import HDF5

/// A growing table of rows in a file, written in batches.
struct Column<Element: HDF5Element> {
  private let dataset: HDF5Dataset
  private let width: Int
  /// Bytes of a row in the file.
  var bytesPerRow: Int { width * MemoryLayout<Element>.stride }
  private let batch: Int
  private var pending: [Element] = []

  /// Makes an empty table with rows of `width` elements in the shape `row`.
  init(
    _ file: HDF5File, _ path: String, row: [Int] = [], chunkRows: Int = 1024
  ) throws(HDF5Error) {
    width = row.reduce(1, *)
    batch = max(chunkRows * width, 1)
    dataset = try file.createDataset(
      path, of: Element.self, shape: [0] + row, isExtendible: true, chunkRows: chunkRows)
    pending.reserveCapacity(batch)
  }

  /// Adds one element, which continues or completes a row.
  mutating func append(_ element: Element) throws(HDF5Error) {
    pending.append(element)
    try flushIfFull()
  }

  /// Adds elements, whole rows when the row is complete.
  mutating func append(contentsOf elements: some Swift.Sequence<Element>) throws(HDF5Error) {
    pending.append(contentsOf: elements)
    try flushIfFull()
  }

  /// Writes the buffered rows.
  mutating func flush() throws(HDF5Error) {
    guard !pending.isEmpty else { return }
    try dataset.append(pending)
    pending.removeAll(keepingCapacity: true)
  }

  /// Appends all rows written so far to another table of the same shape.
  mutating func copyRows(to other: inout Column) throws(HDF5Error) {
    try flush()
    let (rows, step) = (dataset.shape[0], max(batch / width, 1))
    for start in stride(from: 0, to: rows, by: step) {
      let values = try dataset.read(Element.self, rows: start..<min(start + step, rows))
      try other.append(contentsOf: values)
    }
  }

  private mutating func flushIfFull() throws(HDF5Error) {
    if pending.count >= batch, pending.count % width == 0 { try flush() }
  }
}
