internal import Platform

/// Validates every length and extent of a matrix, because libmatio trusts them.
struct MATValidator {
  /// The bytes with the matrix.
  let bytes: MATBytes
  /// Remaining limit of cells over all matrices of a file.
  private(set) var cellsLeft: Int
  /// Maximum nesting of cells.
  private static let maxDepth = 4

  init(_ bytes: MATBytes, cellsLeft: Int) {
    self.bytes = bytes
    self.cellsLeft = cellsLeft
  }

  /// Validates a matrix and returns its name and whether its class is supported.
  mutating func validate(
    _ matrix: Range<Int>, depth: Int = 0
  ) throws(FileError) -> (name: String, isRead: Bool) {
    guard depth <= Self.maxDepth else {
      throw bytes.wrong(
        matrix.lowerBound, "cells at most \(Self.maxDepth) deep", found: "deeper ones")
    }
    let flags = try bytes.element(at: matrix.lowerBound, in: matrix)
    typealias Flags = MATFormat.ArrayFlags
    guard flags.kind == .uint32, flags.body.count == Flags.byteCount else {
      throw bytes.wrong(matrix.lowerBound, "the flags of an array", found: "another element")
    }
    let word = bytes.word(at: flags.body.lowerBound)
    let code = word & Flags.classMask
    guard let arrayClass = MATFormat.ArrayClass(rawValue: code) else {
      throw bytes.wrong(flags.body.lowerBound, "a class of arrays of 1 to 17", found: "\(code)")
    }
    // Opaque arrays have no extents.
    guard arrayClass != .opaque else { return ("", false) }
    let extents = try bytes.element(at: flags.end, in: matrix)
    let count = try elementCount(extents)
    let label = try bytes.element(at: extents.end, in: matrix)
    guard label.kind == .int8 || label.kind == .uint8, label.body.count <= 63,
      bytes.bytes[label.body].allSatisfy({ (0x20..<0x7F).contains($0) })
    else {
      throw bytes.wrong(extents.end, "a name of at most 63 letters", found: "another element")
    }
    let name = String(decoding: bytes.bytes[label.body], as: UTF8.self)
    guard arrayClass.isRead else { return (name, false) }
    if arrayClass == .cell {
      try validateCells(count, from: label.end, in: matrix, depth: depth)
    } else {
      try validateValues(
        count, arrayClass, isComplex: word & Flags.isComplex != 0, at: label.end, in: matrix)
    }
    return (name, true)
  }

  private func elementCount(_ extents: MATElement) throws(FileError) -> Int {
    let rank = extents.body.count / 4
    guard extents.kind == .int32, extents.body.count % 4 == 0, (2...8).contains(rank) else {
      throw bytes.wrong(extents.body.lowerBound, "2 to 8 extents", found: "another element")
    }
    var count = 1
    for axis in 0..<rank {
      let extent = Int32(bitPattern: bytes.word(at: extents.body.lowerBound + 4 * axis))
      let product = count.multipliedReportingOverflow(by: Int(extent))
      guard extent >= 0, !product.overflow, product.partialValue <= Int(Int32.max) else {
        throw bytes.wrong(
          extents.body.lowerBound, "extents of at most \(Int32.max) values", found: "\(extent)")
      }
      count = product.partialValue
    }
    return count
  }

  private mutating func validateCells(
    _ count: Int, from start: Int, in matrix: Range<Int>, depth: Int
  ) throws(FileError) {
    guard count <= cellsLeft else {
      throw bytes.wrong(start, "at most \(cellsLeft) more cells", found: "\(count)")
    }
    cellsLeft -= count
    var position = start
    for _ in 0..<count {
      let cell = try bytes.element(at: position, in: matrix)
      guard cell.kind == .matrix else {
        throw bytes.wrong(position, "a cell", found: "another element")
      }
      position = cell.end
      // A cell that was never filled.
      if cell.body.isEmpty { continue }
      guard try validate(cell.body, depth: depth + 1).isRead else {
        throw bytes.wrong(
          cell.body.lowerBound, "cells of numbers, text or cells", found: "one of another class")
      }
    }
    guard position == matrix.upperBound else {
      throw bytes.wrong(
        position, "the end of the array after \(count) cells",
        found: "\(matrix.upperBound - position) more bytes")
    }
  }

  private func validateValues(
    _ count: Int, _ arrayClass: MATFormat.ArrayClass, isComplex: Bool, at start: Int,
    in matrix: Range<Int>
  ) throws(FileError) {
    guard !isComplex else {
      throw bytes.wrong(matrix.lowerBound, "real numbers", found: "complex ones")
    }
    // Some writers omit the values of an empty array.
    guard count > 0 || start < matrix.upperBound else { return }
    let values = try bytes.element(at: start, in: matrix)
    guard let size = values.kind.byteCount, values.body.count == count * size else {
      throw bytes.wrong(
        start, "\(count) values", found: "\(values.body.count) bytes of type \(values.kind)")
    }
    let isText = [.utf8, .utf16, .utf32].contains(values.kind)
    guard arrayClass == .text ? size < 4 : !isText else {
      throw bytes.wrong(start, "values that fit their class", found: "type \(values.kind)")
    }
    guard values.end >= matrix.upperBound else {
      throw bytes.wrong(
        values.end, "the end of the array", found: "\(matrix.upperBound - values.end) more bytes")
    }
  }
}
