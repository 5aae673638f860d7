import Tensor

/// Arithmetic on two tensors that broadcast to one shape, followed by an activation.
struct BinaryStep: Step {
  let name: String
  let operation: BinaryOperation
  var inputs: [Int]
  let inputShapes: [Shape]
  let outputShape: Shape
  private let loops: StridedLoops
  let kernels: Kernels
  var clamp: Clamp

  /// Validates a node of two inputs; `optionsType` is the type of options that begin with an activation.
  init(
    _ node: Node, _ operation: BinaryOperation, optionsType: TFLiteSchema.BuiltinOptions?
  ) throws(ModelError) {
    try node.expectInputs(2...2)
    let a = try node.floats(0, "input")
    let b = try node.floats(1, "input")
    guard let shape = a.shape.broadcast(with: b.shape) else {
      throw node.unsupported(
        "inputs \(a.shape) and \(b.shape), expected shapes that broadcast to at most 256 MiB")
    }
    name = node.name
    self.operation = operation
    inputs = [a.tensor, b.tensor]
    inputShapes = [a.shape, b.shape]
    outputShape = shape
    loops = StridedLoops(over: shape, a.shape, b.shape)
    kernels = try node.kernels(forCount: loops.run.size)
    if let optionsType {
      clamp = try node.clamp(
        node.options(optionsType), field: TFLiteSchema.ArithmeticOptions.fusedActivationFunction)
    } else {
      clamp = .none
    }
  }

  var summary: String { "\(name) \(kernels.name)" }

  func absorbing(clamp: Clamp) -> (any Step)? {
    self.clamp == .none ? changed { $0.clamp = clamp } : nil
  }

  func run(_ memory: StepMemory) {
    let run = loops.run
    loops.forEachRun { start, first, second in
      kernels.combine(
        operation, memory.inputs[0] + first, step: run.first, memory.inputs[1] + second,
        step: run.second, into: memory.output + start, count: run.size, clamp: clamp)
    }
  }
}
