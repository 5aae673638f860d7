import Tensor

/// DIV of two tensors that broadcast to one shape, with a fused activation.
enum Div: Operator {
  static let name = "DIV"
  static let code = 42
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try BinaryStep(node, .divide, optionsType: 29))
  }
}
