import Tensor

/// RELU: max(x, 0).
struct Relu: Operator, Step {
  static let name = "RELU"
  static let code = 19
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
