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
    /// The dimensions with -1 for those that are known only when the model runs; empty if the file has none.
    var signature: [Int]
    var type: ElementType
    var bytes: ArraySlice<UInt8>
    var isVariable: Bool
    var sparsity: FlatTable?
    var quantization: FlatTable?
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
    guard TFLiteSchema.isIdentified(bytes) else {
      throw ModelError(
        .corrupt, "expected the identifier \(TFLiteSchema.identifier) of a TFLite model",
        byteOffset: TFLiteSchema.identifierOffset)
    }
    let root = try buffer.root()
    let version = try root.integer(TFLiteSchema.Model.version, default: UInt32(0))
    guard version == TFLiteSchema.supportedVersion else {
      throw ModelError(
        .unsupported, "schema version \(version), expected \(TFLiteSchema.supportedVersion)")
    }
    codes = try ModelFile.limited(root, TFLiteSchema.Model.operatorCodes, "operator codes")
      .mapping(ModelFile.code)
    let graphs = try root.tables(TFLiteSchema.Model.subgraphs)
    guard graphs.count == 1, let graph = graphs.first else {
      throw ModelError(.unsupported, "\(graphs.count) subgraphs, expected 1")
    }
    let buffers = try ModelFile.limited(root, TFLiteSchema.Model.buffers, "buffers")
      .mapping(ModelFile.data)
    tensors = try ModelFile.limited(graph, TFLiteSchema.SubGraph.tensors, "tensors").mapping {
      (table) throws(ModelError) in try ModelFile.tensor(table, buffers)
    }
    inputs = try ModelFile.tensorList(graph, TFLiteSchema.SubGraph.inputs)
    outputs = try ModelFile.tensorList(graph, TFLiteSchema.SubGraph.outputs)
    operators = try ModelFile.limited(graph, TFLiteSchema.SubGraph.operators, "operators")
      .mapping(ModelFile.operation)
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
    typealias Field = TFLiteSchema.OperatorCode
    let narrow = try table.integer(Field.deprecatedBuiltinCode, default: Int8(0))
    let wide = try table.integer(Field.builtinCode, default: Int32(0))
    return OperatorCode(
      builtin: max(Int(narrow), Int(wide)), custom: try table.string(Field.customCode) ?? "",
      version: Int(try table.integer(Field.version, default: Int32(1))))
  }

  private static func data(_ table: FlatTable) throws(ModelError) -> ArraySlice<UInt8> {
    let outside = try table.integer(TFLiteSchema.Buffer.offset, default: UInt64(0))
    guard outside <= TFLiteSchema.Buffer.largestOffsetInside else {
      throw ModelError(
        .unsupported, "a buffer whose data lies outside the model, at \(outside)",
        byteOffset: table.position)
    }
    return try table.bytes(TFLiteSchema.Buffer.data) ?? []
  }

  private static func tensor(
    _ table: FlatTable, _ buffers: [ArraySlice<UInt8>]
  ) throws(ModelError) -> Tensor {
    typealias Field = TFLiteSchema.Tensor
    let buffer = Int(try table.integer(Field.buffer, default: UInt32(0)))
    guard buffer < max(buffers.count, 1) else {
      throw ModelError(
        .corrupt, "a tensor names buffer \(buffer) of \(buffers.count)",
        byteOffset: table.position)
    }
    return Tensor(
      name: try table.string(Field.name) ?? "",
      dimensions: try table.integers(Field.shape, of: Int32.self, maximumCount: 8)?
        .map(Int.init) ?? [],
      signature: try table.integers(Field.shapeSignature, of: Int32.self, maximumCount: 8)?
        .map(Int.init) ?? [],
      type: ElementType(code: Int(try table.integer(Field.type, default: Int8(0)))),
      bytes: buffers.isEmpty ? [] : buffers[buffer],
      isVariable: try table.flag(Field.isVariable),
      sparsity: try table.table(Field.sparsity),
      quantization: try table.table(Field.quantization))
  }

  private static func operation(_ table: FlatTable) throws(ModelError) -> Operator {
    typealias Field = TFLiteSchema.Operator
    return Operator(
      code: Int(try table.integer(Field.opcodeIndex, default: UInt32(0))),
      inputs: try tensorList(table, Field.inputs), outputs: try tensorList(table, Field.outputs),
      optionsType: Int(try table.integer(Field.builtinOptionsType, default: UInt8(0))),
      options: try table.table(Field.builtinOptions),
      customOptions: try table.bytes(Field.customOptions) ?? [])
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
