internal import Foundation
import Tensor

/// NEG: −x.
enum Neg: Operator {
  static let name = "NEG"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .negate))
  }
}

/// SQRT: √x, which is not a number below 0.
enum Sqrt: Operator {
  static let name = "SQRT"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .squareRoot))
  }
}

/// RSQRT: 1 / √x.
enum Rsqrt: Operator {
  static let name = "RSQRT"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .reciprocalSquareRoot))
  }
}

/// EXP: eˣ.
enum Exp: Operator {
  static let name = "EXP"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .exponential))
  }
}

/// HARD_SWISH: x · min(max(x + 3, 0), 6) / 6.
enum HardSwish: Operator {
  static let name = "HARD_SWISH"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .hardSwish))
  }
}

/// LOGISTIC: 1 / (1 + e⁻ˣ).
enum Logistic: Operator {
  static let name = "LOGISTIC"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    guard node.isQuantized(0) else { return .step(try UnaryStep(node, .logistic)) }
    try node.expectInputs(1...1)
    return try node.lookup { 1 / (1 + expf(-$0)) }
  }
}
