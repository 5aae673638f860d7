import Tensor

/// DENSIFY of a constant whose outer dimensions are dense and whose last is compressed by rows.
enum Densify: Operator {
  static let name = "DENSIFY"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let constant = try node.constant(0, "input")
    guard case .sparse(let type, let bytes, let table) = constant.elements, let size = type.size
    else {
      throw node.unsupported("input of \(constant.type) is not sparse")
    }
    let rows = try CompressedRows(table, shape: constant.shape, node)
    guard bytes.count == rows.columns.count * size else {
      throw node.corrupt(
        "\(bytes.count) bytes of values, expected \(rows.columns.count) of \(type)")
    }
    var dense = [UInt8](repeating: 0, count: constant.shape.count * size)
    for row in 0..<rows.segments.count - 1 {
      for index in rows.segments[row]..<rows.segments[row + 1] {
        let to = (row * rows.width + rows.columns[index]) * size
        let from = bytes.startIndex + index * size
        for byte in 0..<size { dense[to + byte] = bytes[from + byte] }
      }
    }
    return .constant(Constant(shape: constant.shape, elements: .raw(type, dense[...])))
  }
}

/// Locations of the values of a sparse tensor: those of row r have indices segments[r] ..< segments[r + 1].
private struct CompressedRows {
  let segments: [Int]
  let columns: [Int]
  let width: Int

  init(_ table: FlatTable, shape: Shape, _ node: Node) throws(ModelError) {
    typealias Parameter = TFLiteSchema.SparsityParameters
    typealias Dimension = TFLiteSchema.DimensionMetadata
    let order =
      try table.integers(Parameter.traversalOrder, of: Int32.self, maximumCount: 64)?
      .map(Int.init) ?? []
    let blocks = try table.integers(Parameter.blockMap, of: Int32.self, maximumCount: 64) ?? []
    guard shape.rank >= 1, order == Array(0..<shape.rank), blocks.isEmpty else {
      throw node.unsupported(
        "sparsity with traversal order \(order) and \(blocks.count) blocked dimensions, "
          + "expected \(Array(0..<shape.rank)) and none")
    }
    let levels = try table.tables(Parameter.dimensionMetadata)
    guard levels.count == shape.rank, let last = levels.last else {
      throw node.corrupt("sparsity of \(levels.count) dimensions, expected \(shape.rank)")
    }
    for (axis, level) in levels.dropLast().enumerated() {
      let format = try level.integer(Dimension.format, default: Int8(0))
      let size = Int(try level.integer(Dimension.denseSize, default: Int32(0)))
      guard format == TFLiteSchema.DimensionType.dense.rawValue else {
        throw node.unsupported("sparse dimension \(axis), expected only the last one to be")
      }
      guard size == shape[axis] else {
        throw node.corrupt("dense dimension \(axis) of \(size), expected \(shape[axis])")
      }
    }
    let lastFormat = try last.integer(Dimension.format, default: Int8(0))
    guard lastFormat == TFLiteSchema.DimensionType.sparseCSR.rawValue else {
      throw node.unsupported("dense last dimension, expected a sparse one")
    }
    width = shape[shape.rank - 1]
    let rows = shape.count / width
    segments = try CompressedRows.numbers(
      last, Dimension.arraySegmentsType, maximumCount: rows + 1, node)
    columns = try CompressedRows.numbers(
      last, Dimension.arrayIndicesType, maximumCount: shape.count, node)
    guard segments.count == rows + 1, segments.first == 0, segments.last == columns.count,
      zip(segments, segments.dropFirst()).allSatisfy({ $0 <= $1 })
    else {
      throw node.corrupt(
        "\(segments.count) row segments, expected \(rows + 1) rising from 0 to \(columns.count)")
    }
    if let column = columns.first(where: { !(0..<width).contains($0) }) {
      throw node.corrupt("sparse column \(column), expected 0 to \(width - 1)")
    }
  }

  /// A SparseIndexVector union: its type in one field, the vector in the next.
  private static func numbers(
    _ table: FlatTable, _ typeField: Int, maximumCount: Int, _ node: Node
  ) throws(ModelError) -> [Int] {
    let type = try table.integer(typeField, default: UInt8(0))
    guard let vector = try table.table(typeField + 1) else {
      throw node.corrupt("sparse dimension without segments or indices")
    }
    let field = TFLiteSchema.IndexVector.values
    switch TFLiteSchema.SparseIndexVector(rawValue: type) {
    case .int32Vector?:
      return try vector.integers(field, of: Int32.self, maximumCount: maximumCount)?
        .map(Int.init) ?? []
    case .uint16Vector?:
      return try vector.integers(field, of: UInt16.self, maximumCount: maximumCount)?
        .map(Int.init) ?? []
    case .uint8Vector?:
      return try vector.integers(field, of: UInt8.self, maximumCount: maximumCount)?
        .map(Int.init) ?? []
    case nil:
      throw node.unsupported("sparse index vector of type \(type), expected 1, 2 or 3")
    }
  }
}
