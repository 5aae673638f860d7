internal import FaceCore
internal import HDF5
internal import Imaging

/// Some of the values of an array, or of many of the same kind.
struct ArraySample: Sendable {
  /// Consecutive rows of an array, or all of an array.
  struct Part: Sendable {
    let shape: [Int]
    let values: [Double]

    /// The same with the axes in reverse order.
    var reversed: Part {
      var strides = [1]
      for extent in shape.dropFirst().reversed() {
        strides.append(strides[strides.count - 1] * extent)
      }
      // The stride of the last axis is the first in this order, as is the last extent.
      var offsets = [0]
      for (extent, stride) in zip(shape.reversed(), strides) {
        offsets = offsets.flatMap { start in (0..<extent).map { start + $0 * stride } }
      }
      return Part(shape: shape.reversed(), values: offsets.map { values[$0] })
    }
  }

  /// The values of numbers.
  private(set) var parts: [Part] = []
  /// The values of texts.
  private(set) var texts: [String] = []
  /// Values of variable length.
  private(set) var files: [[UInt8]] = []
  /// Extents, nil where the arrays that were looked at differ.
  private(set) var shape: [Int?] = []
  /// Whether every value was read.
  private(set) var isComplete = true
  /// Why values could not be read.
  private(set) var problem: HDF5Error?

  private let reversesAxes: Bool

  private static let maxValues = 1 << 16
  /// Rows of more values are images or the like; few are read.
  private static let wideRow = 2048
  private static let wideRows = 8
  private static let comparedRows = 480
  private static let maxBytes = 16 << 20
  private static let maxTexts = 4096
  private static let textsAtOnce = 16
  /// Enough of a text to be told from others.
  private static func start(_ text: String) -> String { String(text.prefix(256)) }
  /// Bytes in which the size of an image stands.
  private static let maxFileStart = 1 << 16

  /// With `isMATLAB`, extents and values of arrays of two and three dimensions are in MATLAB's order.
  ///
  /// `budget` is what the samples of a file may still take in bytes.
  init(
    _ leaf: ContentsWalk.Leaf, in file: HDF5File, isMATLAB: Bool, budget: inout Int
  ) {
    let limit = min(Self.maxBytes, budget)
    reversesAxes = isMATLAB
    isComplete = leaf.paths.count == leaf.count
    var bytes = 0
    for path in leaf.paths {
      do throws(HDF5Error) {
        if let attribute = leaf.attribute {
          try read(attribute: attribute, of: path, in: file)
        } else {
          var dataset = try file.dataset(path)
          for field in leaf.fields { dataset = try dataset.field(field) }
          merge(dataset.shape, isFirst: path == leaf.paths.first)
          if bytes < limit { bytes += try read(dataset, isOnly: leaf.count == 1) }
        }
      } catch {
        isComplete = false
        if problem == nil { problem = error }
      }
    }
    if isMATLAB { shape.reverse() }
    budget -= parts.reduce(0) { $0 + 8 * $1.values.count } + files.reduce(0) { $0 + $1.count }
    budget -= texts.reduce(0) { $0 + 64 + $1.utf8.count }
  }

  private mutating func merge(_ found: [Int], isFirst: Bool) {
    if isFirst || shape.isEmpty && parts.isEmpty {
      shape = found
    } else if shape.count == found.count {
      for axis in shape.indices where shape[axis] != found[axis] { shape[axis] = nil }
    } else {
      shape = found.map { _ in nil }
    }
  }

  private mutating func read(
    attribute: String, of path: String, in file: HDF5File
  ) throws(HDF5Error) {
    do {
      let values = try file.attribute(attribute, of: path, as: [Double].self)
      parts.append(Part(shape: values.count == 1 ? [] : [values.count], values: values))
      merge(values.count == 1 ? [] : [values.count], isFirst: parts.count == 1)
    } catch {
      texts += try file.attribute(attribute, of: path, as: [String].self)
    }
  }

  /// Reads some rows; returns the bytes that they take.
  private mutating func read(_ dataset: HDF5Dataset, isOnly: Bool) throws(HDF5Error) -> Int {
    let shape = dataset.shape
    guard !shape.contains(0) else { return 0 }
    let rows = shape.first ?? 1
    let rowValues = shape.dropFirst().reduce(1) { product, extent in
      let (next, overflow) = product.multipliedReportingOverflow(by: extent)
      return overflow ? Int.max : next
    }
    guard rowValues <= Self.maxBytes / 8 else {
      isComplete = false
      return 0
    }
    switch dataset.elementType {
    case .string:
      let count = min(rows, max(1, Self.maxTexts / rowValues))
      if count < rows { isComplete = false }
      if shape.isEmpty { texts += try dataset.readAllStrings().map(Self.start) }
      for row in stride(from: 0, to: shape.isEmpty ? 0 : count, by: Self.textsAtOnce) {
        let next = row..<min(row + Self.textsAtOnce, count)
        texts += try dataset.readStrings(rows: next).map(Self.start)
      }
      return count * rowValues * 16
    case .bytes:
      for row in Self.places(rows, of: Self.wideRows) {
        files += try dataset.readByteSequences(rows: row..<row + 1)
          .map { Array($0.prefix(Self.maxFileStart)) }
      }
      isComplete = false
      return 1 << 20
    case .reference, .compound, .unsupported: return 0
    default: break
    }
    if shape.isEmpty {
      parts.append(Part(shape: [], values: try dataset.scalar()))
      return 8
    }
    return try read(rows: rows, of: rowValues, dataset, isOnly: isOnly)
  }

  private mutating func read(
    rows: Int, of rowValues: Int, _ dataset: HDF5Dataset, isOnly: Bool
  ) throws(HDF5Error) -> Int {
    let cell = Array(dataset.shape.dropFirst())
    // An array of one of many images is read as a whole.
    let turns = reversesAxes && (1...2).contains(cell.count)
    let isWhole =
      (!isOnly || turns) && rows.multipliedReportingOverflow(by: rowValues).partialValue <= 1 << 20
    let isWide = rowValues > Self.wideRow && !isWhole
    // The same rows of every array that has several values in each, so that they can be compared.
    let narrow = rowValues > 1 ? Self.comparedRows : Self.maxValues
    let few = min(isWide ? Self.wideRows : narrow, rows)
    var ranges = [0..<(isWhole ? rows : few)]
    if !isWhole, few < rows {
      isComplete = false
      // A block at each end, and rows with gaps where they are wide.
      ranges =
        isWide
        ? Self.places(rows, of: few).map { $0..<$0 + 1 }
        : [0..<(few + 1) / 2, rows - few / 2..<rows].filter { !$0.isEmpty }
    }
    var bytes = 0
    for range in ranges where bytes < Self.maxBytes {
      let values = try dataset.readByValue(Double.self, rows: range)
      let part = Part(shape: [range.count] + cell, values: values)
      if !turns || isWhole { parts.append(turns ? part.reversed : part) }
      bytes += values.count * 8
    }
    return bytes
  }

  private static func places(_ rows: Int, of count: Int) -> [Int] {
    ContentsWalk.spaced(Array(0..<min(rows, 1 << 20)), count).map { place in
      rows <= 1 << 20 ? place : place * (rows >> 20)
    }
  }

  /// The rows that were read: parts as they are where each is one, else their rows.
  func rows(isSingle: Bool) -> [[Double]] {
    if isSingle { return parts.map(\.values) }
    return parts.flatMap { part -> [[Double]] in
      guard let count = part.shape.first, count > 0 else { return [part.values] }
      let width = part.values.count / count
      return (0..<count).map { Array(part.values[$0 * width..<($0 + 1) * width]) }
    }
  }

  /// The least and the greatest finite value; nil where there is none.
  var bounds: ClosedRange<Double>? {
    var (low, high) = (Double.infinity, -Double.infinity)
    for part in parts {
      for value in part.values where value.isFinite {
        low = min(low, value)
        high = max(high, value)
      }
    }
    return low <= high ? low...high : nil
  }

  /// Whether every finite value is a whole number.
  var isWhole: Bool {
    parts.allSatisfy { $0.values.allSatisfy { !$0.isFinite || $0 == $0.rounded() } }
  }

  /// The sizes of the JPEG and PNG files that the values are; nil where one is another.
  var imageSizes: [ImageSize]? {
    let rows = rows(isSingle: parts.allSatisfy { $0.shape.count < 2 })
    let all = files + rows.prefix(16).map { $0.compactMap { UInt8(exactly: $0) } }
    let sizes = all.compactMap { bytes in
      isFile(bytes)
        ? (try? ImageHeader(of: bytes[...]).size) ?? ImageSize(width: 0, height: 0) : nil
    }
    return sizes.isEmpty || sizes.count < all.count ? nil : sizes
  }

  private func isFile(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0xFF, 0xD8, 0xFF]) || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47])
  }
}

extension HDF5Dataset {
  /// The value of a scalar.
  fileprivate func scalar() throws(HDF5Error) -> [Double] {
    switch elementType {
    case .f16, .bf16, .f32, .f64: try readAll(Double.self)
    case .u64: try readAll(UInt64.self).map { Double($0) }
    default: try readAll(Int64.self).map { Double($0) }
    }
  }
}
