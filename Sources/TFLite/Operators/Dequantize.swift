import Tensor

/// DEQUANTIZE of half-float constants: they are widened at load.
enum Dequantize: Operator {
  static let name = "DEQUANTIZE"
  static let newestVersion = 6

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let constant = try node.constant(0, "input")
    guard case .raw(.float16, let bytes) = constant.elements else {
      throw node.unsupported("input of \(constant.type), expected dense FLOAT16")
    }
    let values = FloatStorage([Float](float16Bytes: bytes))
    return .constant(Constant(shape: constant.shape, elements: .floats(values)))
  }
}
