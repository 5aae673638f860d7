import Tensor

/// DEQUANTIZE of half-float and INT8 constants, at load, and of INT8 numbers, when the model runs.
enum Dequantize: Operator {
  static let name = "DEQUANTIZE"
  static let newestVersion = 6

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    if case .quantized(let shape, let scale) = try node.value(0, "input").1 {
      let step = DequantizeStep(
        inputs: [try node.quantized(0, "input").tensor], outputShape: shape, scale: scale.scale)
      return .step(step)
    }
    let constant = try node.constant(0, "input")
    if case .raw(.float16, let bytes) = constant.elements {
      let values = FloatStorage([Float](float16Bytes: bytes))
      return .constant(Constant(shape: constant.shape, elements: .floats(values)))
    }
    guard let values = constant.dequantized else {
      throw node.unsupported("input of \(constant.type), expected dense FLOAT16 or INT8")
    }
    return .constant(Constant(shape: constant.shape, elements: .floats(values)))
  }
}

/// QUANTIZE of floats to INT8, or of INT8 to another scale and zero point.
enum Quantize: Operator {
  static let name = "QUANTIZE"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    guard node.declaredType == .int8 else {
      throw node.unsupported("output of \(node.declaredType), expected INT8")
    }
    let result = try node.outputScale()
    if node.isQuantized(0) {
      let (_, _, input) = try node.quantized(0, "input")
      let factor = try node.factor(Double(input.scale) / Double(result.scale))
      return try node.lookup { value, _, _ in factor.times(value) }
    }
    let (tensor, shape) = try node.floats(0, "input")
    return .quantized(
      QuantizeStep(inputs: [tensor], outputShape: shape, scale: result), result)
  }
}
