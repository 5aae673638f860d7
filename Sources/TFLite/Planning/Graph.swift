import Tensor

/// The steps of a file's operators, in the file's order, before fusion.
struct Graph {
  struct Item {
    var step: any Step
    /// Tensor number of the step's output.
    var output: Int
  }

  var items: [Item] = []
  private(set) var values: [Value?]
  /// The tensor whose floats another one shares.
  private var aliases: [Int: Int] = [:]
  /// Tensor numbers of the floats that a caller writes and reads; an INT8 tensor of the file has floats of its own.
  private(set) var inputs: [Int] = []
  private(set) var outputs: [Int] = []
  private let file: ModelFile
  let kernels: KernelChoice
  private var floatCount = 0

  init(_ file: ModelFile, kernels: KernelChoice) throws(ModelError) {
    self.file = file
    self.kernels = kernels
    values = Array(repeating: nil, count: file.tensors.count)
    for input in file.inputs {
      let tensor = try tensor(input, "the graph's inputs")
      guard tensor.type == .float32 || tensor.type == .int8, tensor.sparsity == nil,
        tensor.bytes.isEmpty, !tensor.isVariable, tensor.type == .float32 || values[input] == nil
      else {
        throw ModelError(
          .unsupported,
          "input '\(tensor.name)' of \(tensor.type), expected FLOAT32 or INT8 without a value")
      }
      let shape = try shape(tensor, "input '\(tensor.name)'")
      guard tensor.type == .int8 else {
        values[input] = .activation(shape)
        inputs.append(input)
        continue
      }
      let scale = try scale(tensor, shape, "input '\(tensor.name)'")
      let floats = append(.activation(shape))
      values[input] = .quantized(shape, scale)
      items.append(
        Item(step: QuantizeStep(inputs: [floats], outputShape: shape, scale: scale), output: input))
      inputs.append(floats)
    }
    for index in file.operators.indices { try read(index) }
    for output in file.outputs {
      let tensor = try tensor(output, "the graph's outputs")
      if values[output] == nil { try readConstant(output, "output '\(tensor.name)'") }
      if case .quantized(let shape, let scale) = values[output] {
        let floats = append(.activation(shape))
        items.append(
          Item(
            step: DequantizeStep(inputs: [output], outputShape: shape, scale: scale.scale),
            output: floats))
        outputs.append(floats)
        continue
      }
      if case .constant(let constant) = values[output], constant.floats == nil {
        throw ModelError(
          .unsupported, "output '\(tensor.name)' of \(tensor.type), expected FLOAT32 or INT8")
      }
      outputs.append(output)
    }
  }

  private mutating func append(_ value: Value) -> Int {
    values.append(value)
    return values.count - 1
  }

  private func scale(
    _ tensor: ModelFile.Tensor, _ shape: Shape, _ position: String
  ) throws(ModelError) -> TensorScale {
    let quantization = try Quantization(tensor.quantization, shape: shape, position)
    guard let scale = quantization.whole else {
      throw ModelError(
        .unsupported, "\(position): \(quantization.scales.count) scales, expected 1")
    }
    return scale
  }

  /// The tensor that owns the floats of a tensor.
  func root(_ tensor: Int) -> Int { aliases[tensor] ?? tensor }

  private func tensor(_ index: Int, _ position: String) throws(ModelError) -> ModelFile.Tensor {
    guard file.tensors.indices.contains(index) else {
      throw ModelError(
        .corrupt, "\(position) name tensor \(index) of \(file.tensors.count)")
    }
    return file.tensors[index]
  }

  private func shape(_ tensor: ModelFile.Tensor, _ position: String) throws(ModelError) -> Shape {
    guard let shape = Shape(tensor.dimensions) else {
      throw ModelError(
        .unsupported,
        "\(position): shape \(tensor.dimensions), expected sizes of 1 or more and at most 256 MiB")
    }
    return shape
  }

  private mutating func read(_ index: Int) throws(ModelError) {
    let operation = file.operators[index]
    guard file.codes.indices.contains(operation.code) else {
      throw ModelError(
        .corrupt, "node \(index): operator code \(operation.code) of \(file.codes.count)")
    }
    let code = file.codes[operation.code]
    let type = try operatorType(code, at: index)
    let position = "node \(index) \(type.name)"
    guard operation.outputs.count == 1 else {
      throw ModelError(.unsupported, "\(position): \(operation.outputs.count) outputs, expected 1")
    }
    for input in operation.inputs where input != TFLiteSchema.Operator.absentInput {
      _ = try tensor(input, "\(position): inputs")
      if values[input] == nil { try readConstant(input, position) }
    }
    let output = operation.outputs[0]
    let result = try tensor(output, "\(position): outputs")
    guard values[output] == nil, result.bytes.isEmpty, !result.isVariable else {
      throw ModelError(.corrupt, "\(position): output tensor \(output) has a value already")
    }
    let declared = try shape(result, position)
    try count(declared.count, position)
    let inputs: [Int?] = operation.inputs.map {
      $0 == TFLiteSchema.Operator.absentInput ? nil : $0
    }
    let node = Node(
      index: index, name: type.name, inputs: inputs, output: output, declaredShape: declared,
      declaredType: result.type, declaredQuantization: result.quantization,
      options: operation.options, optionsType: operation.optionsType,
      customOptions: operation.customOptions,
      values: inputs.map { $0.flatMap { values[$0] } }, kernels: kernels)
    try add(type.lower(node), of: node, signature: result.signature)
  }

  private func operatorType(
    _ code: ModelFile.OperatorCode, at index: Int
  ) throws(ModelError) -> any Operator.Type {
    guard let type = OperatorRegistry.find(code) else {
      let name = TFLiteSchema.BuiltinOperator.name(code.builtin)
      throw ModelError(
        .unsupported,
        "node \(index): operator \(name)\(code.custom.isEmpty ? "" : " '\(code.custom)'") "
          + "is not supported")
    }
    guard code.version >= type.oldestVersion, code.version <= type.newestVersion else {
      throw ModelError(
        .unsupported,
        "node \(index) \(type.name): version \(code.version), expected \(type.oldestVersion) to "
          + "\(type.newestVersion)")
    }
    return type
  }

  private mutating func add(
    _ lowering: Lowering, of node: Node, signature: [Int]
  ) throws(ModelError) {
    let result: (shape: Shape, type: ElementType)
    switch lowering {
    case .constant(let constant):
      result = (constant.shape, constant.type)
      values[node.output] = .constant(constant)
    case .alias(let tensor, let shape):
      result = (shape, values[tensor]?.type ?? .float32)
      switch values[tensor] {
      case .constant(let constant):
        values[node.output] = .constant(
          Constant(
            shape: shape, elements: constant.elements, quantization: constant.quantization))
      case .quantized(_, let scale):
        aliases[node.output] = root(tensor)
        values[node.output] = .quantized(shape, scale)
      case .activation, nil:
        aliases[node.output] = root(tensor)
        values[node.output] = .activation(shape)
      }
    case .step(let step):
      result = (step.outputShape, .float32)
      values[node.output] = .activation(step.outputShape)
      items.append(Item(step: step, output: node.output))
    case .quantized(let step, let scale):
      result = (step.outputShape, .int8)
      values[node.output] = .quantized(step.outputShape, scale)
      items.append(Item(step: step, output: node.output))
    }
    let dimensions = node.declaredShape.dimensions
    let fits =
      result.shape.rank == dimensions.count
      && dimensions.indices.allSatisfy { axis in
        result.shape[axis] == dimensions[axis]
          || signature.count == dimensions.count
            && signature[axis] == TFLiteSchema.Tensor.openSize
      }
    guard fits, result.type == node.declaredType else {
      throw node.corrupt(
        "output is \(result.type) \(result.shape), the file declares "
          + "\(node.declaredType) \(node.declaredShape)")
    }
    try count(max(result.shape.count - node.declaredShape.count, 0), node.position)
  }

  private mutating func readConstant(_ index: Int, _ position: String) throws(ModelError) {
    let tensor = file.tensors[index]
    let position = "\(position): tensor \(index) '\(tensor.name)'"
    guard !tensor.bytes.isEmpty, !tensor.isVariable else {
      throw ModelError(.corrupt, "\(position) is used before it has a value")
    }
    guard let size = tensor.type.size else {
      throw ModelError(
        .unsupported, "\(position) of \(tensor.type), expected FLOAT32, FLOAT16, INT32 or INT8")
    }
    let shape = try shape(tensor, position)
    if let sparsity = tensor.sparsity {
      values[index] = .constant(
        Constant(shape: shape, elements: .sparse(tensor.type, tensor.bytes, sparsity)))
      return
    }
    guard tensor.bytes.count == shape.count * size else {
      throw ModelError(
        .corrupt,
        "\(position) has \(tensor.bytes.count) bytes, expected \(shape.count * size) for \(shape)")
    }
    values[index] = .constant(
      Constant(
        shape: shape, elements: .raw(tensor.type, tensor.bytes),
        quantization: tensor.type == .int8
          ? try Quantization(tensor.quantization, shape: shape, position) : nil))
  }

  /// Limits all results of the operators, constants and activations, to 256 MiB.
  private mutating func count(_ floats: Int, _ position: String) throws(ModelError) {
    floatCount += floats
    guard floatCount <= Shape.maximumCount else {
      throw ModelError(.unsupported, "\(position): the tensors together take more than 256 MiB")
    }
  }
}
