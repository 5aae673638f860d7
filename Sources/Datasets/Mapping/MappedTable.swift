internal import HDF5
internal import Platform

/// Numbers by row, read block by block if the file stores rows first.
final class MappedTable {
  /// The path inside the file.
  let path: String
  let rows: Int
  /// Extents of a row; empty for a single number.
  var rowShape: [Int] { axes.rowShape }
  /// Whether its one row is that of all: an attribute, or an array without extents.
  let isSingle: Bool
  /// The first row of each MATLAB cell, and their end; nil for other arrays.
  let cellStarts: [Int]?
  /// Numbers in a row.
  var width: Int { axes.offsets.count }

  private enum Store {
    /// Read in blocks.
    case rows(HDF5Dataset)
    /// Kept by the file, as other tables may use them too.
    case whole(HDF5Dataset)
    case values([Double])
    /// A row or more in each.
    case cells([String?])
  }

  private let file: MappedFile
  private let store: Store
  private let axes: MappedAxes
  private let want: MappedAxes.Want
  private var block: Range<Int> = 0..<0
  private var values: [Double] = []
  private var cellAxes: MappedAxes

  /// Values that are read at once if the file stores rows first; a single row may have more.
  private static let blockValues = 1 << 14

  /// Opens the array of the current group at a path of the mapping.
  init(_ file: MappedFile, _ text: String, _ want: MappedAxes.Want) throws(FileError) {
    self.file = file
    self.want = want
    let path = try file.path(text)
    if let numbers = try file.numbers(ofAttribute: path) {
      self.path = path.text
      axes = try MappedAxes(row: numbers.count, want, path.text, file)
      (store, isSingle, rows, cellStarts, cellAxes) = (.values(numbers), true, 1, nil, axes)
      return
    }
    let place = try file.place(of: path)
    self.path = path.field.isEmpty ? place : "\(place):\(path.field.joined(separator: ":"))"
    if let cells = try file.cells(at: place) {
      var starts = [0]
      var first: MappedAxes?
      for cell in cells {
        let axes = try cell.map { (cell) throws(FileError) in
          try MappedAxes(file.shape(ofCell: cell), want, cell, file, isCell: true)
        }
        try file.requireFew(axes?.rows ?? 0, of: place)
        starts.append(starts[starts.count - 1] + (axes?.rows ?? 0))
        try file.requireFew(starts[starts.count - 1], of: place)
        guard let axes, axes.rows > 0 else { continue }
        guard first.map({ $0.rowShape == axes.rowShape }) ?? true else {
          throw file.wrong(
            place, "cells of equal extents",
            found: MappedTable.text(axes.rowShape) + " after "
              + MappedTable.text(first?.rowShape ?? []))
        }
        first = first ?? axes
      }
      rows = starts[starts.count - 1]
      axes = if let first { first } else { try MappedAxes([0], want, place, file, isCell: true) }
      (isSingle, store, cellStarts, cellAxes) = (false, .cells(cells), starts, axes)
      try file.requireWords(path)
      return
    }
    cellStarts = nil
    let dataset = try file.dataset(at: place, field: path.field)
    let shape = dataset.shape
    isSingle = shape.isEmpty
    axes =
      try isSingle
      ? MappedAxes(row: 1, want, self.path, file) : MappedAxes(shape, want, self.path, file)
    cellAxes = axes
    rows = axes.rows
    if isSingle {
      store = .values(try file.numbers(of: dataset))
      return
    }
    try file.requireWords(path)
    store = axes.isStreamed ? .rows(dataset) : .whole(dataset)
    try file.requireFew(rows, of: self.path)
    if axes.isStreamed {
      try file.keep(
        min(Self.blockValues, rows * axes.rowStride), ofBytes: MemoryLayout<Double>.stride,
        at: self.path)
    }
  }

  /// The numbers of a row in the order of its extents.
  func row(_ index: Int) throws(FileError) -> [Double] {
    let index = isSingle ? 0 : index
    guard (0..<rows).contains(index) else {
      throw file.wrong(path, "row \(index)", found: "\(rows) rows")
    }
    do {
      switch store {
      case .values(let values): return axes.row(index, of: values)
      case .whole(let dataset):
        if values.isEmpty { values = try file.values(of: dataset) }
        return axes.row(index, of: values)
      case .cells(let cells):
        let cell = (cellStarts ?? []).partitioned { $0 > index } - 1
        if block != cell..<cell + 1, let path = cells[cell] {
          let dataset = try file.cell(path)
          cellAxes = try MappedAxes(dataset.shape, want, path, file, isCell: true)
          values = try file.numbers(of: dataset)
          block = cell..<cell + 1
        }
        return cellAxes.row(index - (cellStarts?[cell] ?? 0), of: values)
      case .rows(let dataset):
        if !block.contains(index) {
          let count = max(1, Self.blockValues / max(axes.rowStride, 1))
          let first = index / count * count
          let next = first..<min(first + count, rows)
          values = try dataset.readByValue(Double.self, rows: next)
          block = next
        }
        return axes.row(index - block.lowerBound, of: values)
      }
    } catch {
      throw FileError(reading: error)
    }
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
    guard isSingle || rows == expected else {
      throw file.wrong(path, "\(expected) rows as in '\(other)'", found: "\(rows)")
    }
    guard width ?? self.width == self.width || rows == 0 else {
      throw file.wrong(path, "\(width ?? 0) numbers per row", found: MappedTable.text(rowShape))
    }
  }

  /// Extents as text for messages.
  static func text(_ shape: [Int]) -> String {
    "[" + shape.map(String.init).joined(separator: ", ") + "]"
  }
}

extension Array {
  /// The first index whose element passes; the elements that pass are the last ones.
  func partitioned(where passes: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if passes(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
