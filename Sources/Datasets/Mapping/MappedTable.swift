internal import HDF5
internal import Platform

/// Numbers by row, read block by block if the file stores rows first.
final class MappedTable {
  /// The path inside the file.
  let path: String
  /// Number of rows.
  let rows: Int
  /// Extents of a row; empty for a single number.
  let rowShape: [Int]
  /// Numbers in a row.
  var width: Int { columns?.count ?? rowShape.reduce(1, *) }

  private let file: MappedFile
  private let dataset: HDF5Dataset
  private let columns: Range<Int>?
  /// Offsets of a row's numbers from its start, in the stored order.
  private let offsets: [Int]
  private let rowStride: Int
  private let isStreamed: Bool
  private var block: Range<Int> = 0..<0
  private var values: [Double] = []

  /// Values that are read at once if the file stores rows first; a single row may have more.
  private static let blockValues = 1 << 14

  /// `axes` lists the extents that the user sees, rows first; nil keeps their order.
  init(
    _ file: MappedFile, _ path: String, axes: [Int]?, columns: Range<Int>?
  ) throws(FileError) {
    self.file = file
    self.path = path
    self.columns = columns
    dataset = try file.dataset(path)
    let stored = dataset.shape
    guard !stored.isEmpty else { throw file.wrong(path, "rows", found: "a single value") }
    let seen = file.isMATLAB ? Array(stored.indices.reversed()) : Array(stored.indices)
    let order: [Int]
    if let axes {
      guard axes.count == stored.count else {
        throw file.wrong(
          path, "\(axes.count) dimensions", found: Self.text(seen.map { stored[$0] }))
      }
      order = axes.map { seen[$0] }
    } else {
      order = seen
    }
    var strides = [Int](repeating: 1, count: stored.count)
    for axis in stored.indices.dropLast().reversed() {
      strides[axis] = strides[axis + 1] * stored[axis + 1]
    }
    rows = stored[order[0]]
    rowShape = order.dropFirst().map { stored[$0] }
    isStreamed = order[0] == 0
    rowStride = strides[order[0]]
    try file.requireFew(rows, of: path)
    let rowValues = rowShape.reduce(1, *)
    // The offsets and the numbers of a row, and the block.
    try file.keep(rowValues, ofBytes: 2 * MemoryLayout<Double>.stride, at: path)
    if isStreamed {
      try file.keep(
        min(Self.blockValues, rows * rowValues), ofBytes: MemoryLayout<Double>.stride, at: path)
    }
    var offsets = [0]
    for axis in order.dropFirst() {
      offsets = offsets.flatMap { start in (0..<stored[axis]).map { start + $0 * strides[axis] } }
    }
    if let columns {
      guard columns.upperBound <= offsets.count else {
        throw file.wrong(
          path, "at least \(columns.upperBound) columns", found: "\(offsets.count)")
      }
      offsets = Array(offsets[columns])
    }
    self.offsets = offsets
  }

  /// The numbers of a row in the order of its extents.
  func row(_ index: Int) throws(FileError) -> [Double] {
    guard (0..<rows).contains(index) else {
      throw file.wrong(path, "row \(index)", found: "\(rows) rows")
    }
    do {
      if !isStreamed {
        if values.isEmpty { values = try file.values(of: dataset) }
        return offsets.map { values[index * rowStride + $0] }
      }
      if !block.contains(index) {
        let count = max(1, Self.blockValues / max(rowStride, 1))
        let first = index / count * count
        let next = first..<min(first + count, rows)
        values = try dataset.readByValue(Double.self, rows: next)
        block = next
      }
    } catch {
      throw PredictionsReader.wrapped(error)
    }
    return offsets.map { values[(index - block.lowerBound) * rowStride + $0] }
  }

  /// The only number of a row.
  func single(_ index: Int) throws(FileError) -> Double {
    let row = try row(index)
    guard row.count == 1 else {
      throw file.wrong(path, "one number per row", found: "\(row.count)")
    }
    return row[0]
  }

  /// Throws unless there are as many rows as another array has, and that many numbers in each.
  func require(rows expected: Int, as other: String, width: Int? = nil) throws(FileError) {
    guard rows == expected else {
      throw file.wrong(path, "\(expected) rows as in '\(other)'", found: "\(rows)")
    }
    guard width ?? self.width == self.width else {
      throw file.wrong(path, "\(width ?? 0) numbers per row", found: Self.text(rowShape))
    }
  }

  /// Extents as text for messages.
  static func text(_ shape: [Int]) -> String {
    "[" + shape.map(String.init).joined(separator: ", ") + "]"
  }
}
