import Tensor

/// RSQRT: 1 / √x.
enum Rsqrt: Operator {
  static let name = "RSQRT"
  static let code = 76
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .reciprocalSquareRoot))
  }
}
