import Tensor

/// ADD of two tensors that broadcast to one shape, with a fused activation.
enum Add: Operator {
  static let name = "ADD"
  static let code = 0
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try BinaryStep(node, .add, optionsType: 11))
  }
}
