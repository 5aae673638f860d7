import Tensor

/// A function of each element of a tensor.
struct UnaryStep: Step {
  let name: String
  let operation: UnaryOperation
  var inputs: [Int]
  let outputShape: Shape
  let kernels: Kernels

  /// Validates a node of one input.
  init(_ node: Node, _ operation: UnaryOperation) throws(ModelError) {
    try node.expectInputs(1...1)
    let (tensor, shape) = try node.floats(0, "input")
    name = node.name
    self.operation = operation
    inputs = [tensor]
    outputShape = shape
    kernels = try node.kernels(forCount: shape.count)
  }

  var summary: String { "\(name) \(kernels.name)" }

  func run(_ memory: StepMemory) {
    kernels.map(operation, memory.inputs[0], into: memory.output, count: outputShape.count)
  }
}
