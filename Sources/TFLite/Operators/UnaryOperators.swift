import Tensor

/// NEG: −x.
enum Neg: Operator {
  static let name = "NEG"
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .negate))
  }
}

/// SQRT: √x, which is not a number below 0.
enum Sqrt: Operator {
  static let name = "SQRT"
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .squareRoot))
  }
}

/// RSQRT: 1 / √x.
enum Rsqrt: Operator {
  static let name = "RSQRT"
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .reciprocalSquareRoot))
  }
}

/// LOGISTIC: 1 / (1 + e⁻ˣ).
enum Logistic: Operator {
  static let name = "LOGISTIC"
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try UnaryStep(node, .logistic))
  }
}

/// RELU: max(x, 0).
struct Relu: Operator, Step {
  static let name = "RELU"
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape
  let kernels: Kernels
  var clamp: Clamp

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let (tensor, shape) = try node.floats(0, "input")
    return .step(
      Relu(
        inputs: [tensor], outputShape: shape, kernels: try node.kernels(for: shape), clamp: .relu))
  }

  var summary: String { "\(Relu.name) \(kernels.name)" }

  func run(_ memory: StepMemory) {
    kernels.clamp(memory.inputs[0], into: memory.output, count: outputShape.count, to: clamp)
  }
}
