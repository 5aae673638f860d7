import Tensor

/// MUL of two tensors that broadcast to one shape, with a fused activation.
enum Mul: Operator {
  static let name = "MUL"
  static let code = 18
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try BinaryStep(node, .multiply, optionsType: 21))
  }
}
