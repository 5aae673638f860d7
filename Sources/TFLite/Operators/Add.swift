import Tensor

/// ADD of two tensors of one shape, with a fused activation.
struct Add: Operator, Step {
  static let name = "ADD"
  static let code = 0
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape
  let kernels: Kernels
  var clamp: Clamp

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let a = try node.floats(0, "input")
    let b = try node.floats(1, "input")
    guard a.shape == b.shape else {
      throw node.unsupported("inputs \(a.shape) and \(b.shape), expected equal shapes")
    }
    return .step(
      Add(
        inputs: [a.tensor, b.tensor], outputShape: a.shape,
        kernels: try node.kernels(for: a.shape),
        clamp: try node.clamp(node.options(11), field: 0)))
  }

  var summary: String { "\(Add.name) \(kernels.name)" }

  func absorbing(clamp: Clamp) -> (any Step)? {
    guard self.clamp == .none else { return nil }
    var step = self
    step.clamp = clamp
    return step
  }

  func run(_ memory: StepMemory) {
    kernels.add(
      memory.inputs[0], memory.inputs[1], into: memory.output, count: outputShape.count,
      clamp: clamp)
  }
}
