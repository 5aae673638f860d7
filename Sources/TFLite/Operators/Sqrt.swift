import Tensor

/// SQRT: √x, which is not a number below 0.
enum Sqrt: Operator {
  static let name = "SQRT"
  static let code = 75
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .squareRoot))
  }
}
