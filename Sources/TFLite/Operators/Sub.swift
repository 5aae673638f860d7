import Tensor

/// SUB of two tensors that broadcast to one shape, with a fused activation.
enum Sub: Operator {
  static let name = "SUB"
  static let code = 41
  static let newestVersion = 3

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try BinaryStep(node, .subtract, optionsType: 28))
  }
}
