import Tensor

/// NEG: −x.
enum Neg: Operator {
  static let name = "NEG"
  static let code = 59
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .negate))
  }
}
