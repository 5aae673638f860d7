import Tensor

/// LOGISTIC: 1 / (1 + e⁻ˣ).
enum Logistic: Operator {
  static let name = "LOGISTIC"
  static let code = 14
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .logistic))
  }
}
