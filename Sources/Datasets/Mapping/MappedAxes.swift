internal import Platform

/// Where the numbers of a row lie in an array.
struct MappedAxes {
  /// What is to be read of an array.
  struct Want {
    /// The axes by letter, N for the rows, in the order of the array that the user sees; nil if they are in order.
    var layout: String?
    /// The part of a flat row that is used.
    var columns: Range<Int>?
    /// Numbers that a row may have; they tell rows from their numbers in the group of one image.
    var widths: [Int] = [1]
  }

  let rows: Int
  /// Extents of a row, of points the count and the dimensions.
  let rowShape: [Int]
  /// Offsets of a row's numbers from its start, in the stored order.
  let offsets: [Int]
  /// Values between the starts of two rows.
  let rowStride: Int
  /// Whether rows come first in the file.
  let isStreamed: Bool

  /// Maximum numbers of a row in a cell, which are not counted as those of other arrays.
  private static let valuesOfCell = 1 << 16

  /// One row of that many numbers.
  init(
    row count: Int, _ want: Want, _ path: String, _ file: MappedFile
  ) throws(FileError) {
    (rows, rowShape, rowStride, isStreamed) = (1, count == 1 ? [] : [count], 0, false)
    offsets = try Self.columns(Array(0..<count), want, path, file)
  }

  /// The axes of an array as it is stored; a MATLAB cell has rows of its own, or is one.
  init(
    _ stored: [Int], _ want: Want, _ path: String, _ file: MappedFile, isCell: Bool = false
  ) throws(FileError) {
    let slots = isCell ? nil : file.slots
    let isFolded = slots != nil && stored.count > 1 && stored[1] == slots
    // The places for faces of each image are rows.
    let stored =
      isFolded ? [stored[0].clampedProduct(with: stored[1])] + stored.dropFirst(2) : stored
    let seen = file.isMATLAB ? Array(stored.indices.reversed()) : Array(stored.indices)
    let extents = seen.map { stored[$0] }
    var strides = [Int](repeating: 1, count: stored.count)
    for axis in stored.indices.dropLast().reversed() {
      strides[axis] = strides[axis + 1].clampedProduct(with: stored[axis + 1])
    }
    let isAlone = isCell || file.isImage
    guard !isAlone || !stored.contains(0) else {
      (rows, rowShape, offsets, rowStride, isStreamed) = (0, [], [], 0, false)
      return
    }
    var rowAxis: Int? = seen.first
    var order = Array(seen.dropFirst())
    if let layout = want.layout {
      var letters = Array(layout)
      if isAlone, extents.count < letters.count { letters.removeAll { $0 == "N" } }
      guard letters.count == extents.count, isAlone || letters.contains("N") else {
        throw file.wrong(path, "\(layout.count) dimensions", found: MappedTable.text(extents))
      }
      rowAxis = letters.firstIndex(of: "N").map { seen[$0] }
      order = ["K", "D"].compactMap { letters.firstIndex(of: $0) }.map { seen[$0] }
    } else if isAlone {
      guard let trailing = Self.trailing(of: extents, want) else {
        let widths = want.columns?.upperBound ?? want.widths.first ?? 1
        throw file.wrong(path, "\(widths) numbers per face", found: MappedTable.text(extents))
      }
      let leading = seen.dropLast(trailing)
      rowAxis = leading.first { stored[$0] != 1 } ?? leading.first
      order = Array(seen.suffix(trailing))
    }
    isStreamed = rowAxis == 0 && !isCell && !isFolded
    rows = rowAxis.map { stored[$0] } ?? 1
    rowStride = rowAxis.map { strides[$0] } ?? 0
    rowShape = order.map { stored[$0] }
    // The offsets and the numbers of a row.
    let count = rowShape.reduce(1) { $0.clampedProduct(with: $1) }
    if isCell {
      guard count <= Self.valuesOfCell else {
        throw file.wrong(path, "at most \(Self.valuesOfCell) numbers per face", found: "\(count)")
      }
    } else {
      try file.keep(count, ofBytes: 2 * MemoryLayout<Double>.stride, at: path)
    }
    var offsets = [0]
    for axis in order {
      offsets = offsets.flatMap { start in (0..<stored[axis]).map { start + $0 * strides[axis] } }
    }
    self.offsets = rows == 0 ? offsets : try Self.columns(offsets, want, path, file)
  }

  private static func columns(
    _ offsets: [Int], _ want: Want, _ path: String, _ file: MappedFile
  ) throws(FileError) -> [Int] {
    guard let columns = want.columns else { return offsets }
    guard columns.upperBound <= offsets.count else {
      throw file.wrong(path, "at least \(columns.upperBound) columns", found: "\(offsets.count)")
    }
    return Array(offsets[columns])
  }

  /// How many of the last axes make a row; nil if several others have more than one index.
  private static func trailing(of extents: [Int], _ want: Want) -> Int? {
    var width = 1
    for count in 0...extents.count {
      if count > 0 {
        width = width.clampedProduct(with: extents[extents.count - count])
      }
      let fits =
        want.columns.map { count > 0 && width >= $0.upperBound } ?? want.widths.contains(width)
      if fits {
        return extents.dropLast(count).count { $0 != 1 } < 2 ? count : nil
      }
    }
    return nil
  }

  /// The numbers of a row, of values that begin with row 0.
  func row(_ index: Int, of values: [Double]) -> [Double] {
    offsets.map { values[index * rowStride + $0] }
  }
}

extension Int {
  /// The product, or the largest number where it is beyond that.
  func clampedProduct(with other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
