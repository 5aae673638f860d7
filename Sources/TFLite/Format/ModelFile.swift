/// The contents of a `.tflite` file, decoded but not yet validated: tensors, operators and their order.
struct ModelFile: Sendable {
  /// Maximum number of tensors or operators of a file.
  static let maximumItems = 10_000

  struct OperatorCode: Sendable {
    var builtin: Int
    var custom: String
    var version: Int
  }

  struct Tensor: Sendable {
    var name: String
    var dimensions: [Int]
    var type: ElementType
    var bytes: ArraySlice<UInt8>
    var isVariable: Bool
    var sparsity: FlatTable?
  }

  struct Operator: Sendable {
    var code: Int
    var inputs: [Int]
    var outputs: [Int]
    var optionsType: Int
    var options: FlatTable?
    var customOptions: ArraySlice<UInt8>
  }

  let codes: [OperatorCode]
  let tensors: [Tensor]
  let operators: [Operator]
  let inputs: [Int]
  let outputs: [Int]

  init(_ bytes: ArraySlice<UInt8>) throws(ModelError) {
    let buffer = FlatBuffer(bytes: bytes)
    guard buffer.count >= 8, bytes.dropFirst(4).prefix(4).elementsEqual("TFL3".utf8) else {
      throw ModelError(.corrupt, "expected the identifier TFL3 of a TFLite model", byteOffset: 4)
    }
    let root = try buffer.root()
    let version = try root.integer(0, default: UInt32(0))
    guard version == 3 else {
      throw ModelError(.unsupported, "schema version \(version), expected 3")
    }
    codes = try ModelFile.limited(root, 1, "operator codes").mapping(ModelFile.code)
    let graphs = try root.tables(2)
    guard graphs.count == 1, let graph = graphs.first else {
      throw ModelError(.unsupported, "\(graphs.count) subgraphs, expected 1")
    }
    let buffers = try ModelFile.limited(root, 4, "buffers").mapping(ModelFile.data)
    tensors = try ModelFile.limited(graph, 0, "tensors").mapping {
      (table) throws(ModelError) in try ModelFile.tensor(table, buffers)
    }
    inputs = try ModelFile.tensorList(graph, 1)
    outputs = try ModelFile.tensorList(graph, 2)
    operators = try ModelFile.limited(graph, 3, "operators").mapping(ModelFile.operation)
  }

  private static func limited(
    _ table: FlatTable, _ field: Int, _ what: String
  ) throws(ModelError) -> [FlatTable] {
    let tables = try table.tables(field)
    guard tables.count <= maximumItems else {
      throw ModelError(
        .unsupported, "\(tables.count) \(what), expected at most \(maximumItems)",
        byteOffset: table.position)
    }
    return tables
  }

  private static func tensorList(_ table: FlatTable, _ field: Int) throws(ModelError) -> [Int] {
    try table.integers(field, of: Int32.self, maximumCount: 256)?.map(Int.init) ?? []
  }

  private static func code(_ table: FlatTable) throws(ModelError) -> OperatorCode {
    let narrow = try table.integer(0, default: Int8(0))
    let wide = try table.integer(3, default: Int32(0))
    return OperatorCode(
      builtin: max(Int(narrow), Int(wide)), custom: try table.string(1) ?? "",
      version: Int(try table.integer(2, default: Int32(1))))
  }

  private static func data(_ table: FlatTable) throws(ModelError) -> ArraySlice<UInt8> {
    let outside = try table.integer(1, default: UInt64(0))
    guard outside <= 1 else {
      throw ModelError(
        .unsupported, "a buffer whose data lies outside the model, at \(outside)",
        byteOffset: table.position)
    }
    return try table.bytes(0) ?? []
  }

  private static func tensor(
    _ table: FlatTable, _ buffers: [ArraySlice<UInt8>]
  ) throws(ModelError) -> Tensor {
    let buffer = Int(try table.integer(2, default: UInt32(0)))
    guard buffer < max(buffers.count, 1) else {
      throw ModelError(
        .corrupt, "a tensor names buffer \(buffer) of \(buffers.count)",
        byteOffset: table.position)
    }
    return Tensor(
      name: try table.string(3) ?? "",
      dimensions: try table.integers(0, of: Int32.self, maximumCount: 8)?.map(Int.init) ?? [],
      type: ElementType(code: Int(try table.integer(1, default: Int8(0)))),
      bytes: buffers.isEmpty ? [] : buffers[buffer],
      isVariable: try table.flag(5),
      sparsity: try table.table(6))
  }

  private static func operation(_ table: FlatTable) throws(ModelError) -> Operator {
    Operator(
      code: Int(try table.integer(0, default: UInt32(0))),
      inputs: try tensorList(table, 1), outputs: try tensorList(table, 2),
      optionsType: Int(try table.integer(3, default: UInt8(0))),
      options: try table.table(4), customOptions: try table.bytes(5) ?? [])
  }
}

extension Array where Element == FlatTable {
  fileprivate func mapping<T>(
    _ transform: (FlatTable) throws(ModelError) -> T
  ) throws(ModelError) -> [T] {
    var results: [T] = []
    results.reserveCapacity(count)
    for table in self { results.append(try transform(table)) }
    return results
  }
}
