internal import HDF5

/// A growing table of rows in a file, written in batches; it is in the file from its first batch on.
final class Column<Element: HDF5Element>: GrowingTable {
  private let file: HDF5File
  private let path: String
  private let row: [Int]
  private let chunkRows: Int
  private let attributes: [(name: String, value: any HDF5AttributeValue)]
  private let width: Int
  /// Bytes of a row in the file.
  var bytesPerRow: Int { width * MemoryLayout<Element>.stride }
  private let batch: Int
  private var dataset: HDF5Dataset?
  /// A check of each access would make most of what a face costs; the methods here, which do not nest, are its only users.
  @exclusivity(unchecked) private var pending: [Element] = []

  /// Plans a table with rows of `width` elements in the shape `row`.
  init(
    _ tables: TableFile, _ path: String, row: [Int] = [], chunkRows: Int = 1024,
    attributes: [(name: String, value: any HDF5AttributeValue)] = []
  ) {
    file = tables.file
    self.path = path
    self.row = row
    self.chunkRows = chunkRows
    self.attributes = attributes
    width = row.reduce(1, *)
    batch = max(chunkRows * width, 1)
    pending.reserveCapacity(batch)
    tables.add(self)
  }

  /// Plans a table whose first rows are NaN, for faces or frames before the first that has a value.
  convenience init(
    _ tables: TableFile, _ path: String, row: [Int] = [], chunkRows: Int = 1024,
    attributes: [(name: String, value: any HDF5AttributeValue)] = [], rowsBefore: Int
  ) throws(HDF5Error) where Element: FloatingPoint {
    self.init(tables, path, row: row, chunkRows: chunkRows, attributes: attributes)
    for _ in 0..<rowsBefore { try append(contentsOf: repeatElement(.nan, count: width)) }
  }

  /// Adds one element, which continues or completes a row.
  func append(_ element: Element) throws(HDF5Error) {
    pending.append(element)
    try writeIfFull()
  }

  /// Adds elements, whole rows when the row is complete.
  func append(contentsOf elements: some Swift.Sequence<Element>) throws(HDF5Error) {
    pending.append(contentsOf: elements)
    try writeIfFull()
  }

  /// Writes the rest, after which no row can be added.
  ///
  /// A table of less than a chunk has exactly its rows in the file: a chunk is stored whole.
  func finish() throws(HDF5Error) {
    guard dataset == nil else { return try write() }
    let rows = pending.count / max(width, 1)
    try make(rows: rows, isExtendible: false).write(pending, atRow: 0)
    pending.removeAll()
  }

  /// Appends all rows added so far to another table of the same shape.
  func copyRows(to other: Column) throws(HDF5Error) {
    if let dataset {
      let (rows, step) = (dataset.shape[0], max(batch / width, 1))
      for start in stride(from: 0, to: rows, by: step) {
        let values = try dataset.read(Element.self, rows: start..<min(start + step, rows))
        try other.append(contentsOf: values)
      }
    }
    try other.append(contentsOf: pending)
  }

  private func writeIfFull() throws(HDF5Error) {
    if pending.count >= batch, pending.count % width == 0 { try write() }
  }

  private func write() throws(HDF5Error) {
    guard !pending.isEmpty else { return }
    if dataset == nil { dataset = try make(rows: 0, isExtendible: true) }
    try dataset?.append(pending)
    pending.removeAll(keepingCapacity: true)
  }

  private func make(rows: Int, isExtendible: Bool) throws(HDF5Error) -> HDF5Dataset {
    let dataset = try file.createDataset(
      path, of: Element.self, shape: [rows] + row, isExtendible: isExtendible,
      chunkRows: isExtendible ? chunkRows : nil)
    if let unit = DatasetLayout.unit(of: path) {
      try file.setAttribute("unit", of: path, to: unit)
    }
    for (name, value) in attributes { try file.setAttribute(name, of: path, to: value) }
    return dataset
  }
}
