import Tensor

/// RELU: max(x, 0).
enum Relu: Operator {
  static let name = "RELU"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try ClampStep.lower(node, to: .relu)
  }
}

/// RELU6: min(max(x, 0), 6).
enum Relu6: Operator {
  static let name = "RELU6"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try ClampStep.lower(node, to: .relu6)
  }
}

/// LEAKY_RELU: x where x > 0, else x times a constant.
struct LeakyRelu: Operator, Step {
  static let name = "LEAKY_RELU"
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape
  let kernels: Kernels
  let slope: FloatStorage

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let options = try node.requiredOptions(.leakyRelu)
    let slope = try options.float(TFLiteSchema.LeakyReluOptions.alpha, default: 0)
    guard slope.isFinite else { throw node.corrupt("slope \(slope), expected a finite number") }
    if node.isQuantized(0) {
      let (_, _, input) = try node.quantized(0, "input")
      let result = try node.outputScale()
      let identity = try node.factor(Double(input.scale) / Double(result.scale))
      let sloped = try node.factor(Double(input.scale * slope) / Double(result.scale))
      return try node.lookup { value, _, _ in (value >= 0 ? identity : sloped).times(value) }
    }
    let (tensor, shape) = try node.floats(0, "input")
    return .step(
      LeakyRelu(
        inputs: [tensor], outputShape: shape, kernels: try node.kernels(forCount: shape.count),
        slope: FloatStorage([slope])))
  }

  var summary: String { "\(LeakyRelu.name) \(kernels.name)" }

  func run(_ memory: StepMemory) {
    kernels.combine(
      .slope, memory.inputs[0], step: 1, slope.pointer, step: 0, into: memory.output,
      count: outputShape.count, clamp: .none)
  }
}

/// A tensor limited to a range.
struct ClampStep: Step {
  let name: String
  var inputs: [Int]
  let outputShape: Shape
  let kernels: Kernels
  var clamp: Clamp

  static func lower(_ node: Node, to clamp: Clamp) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    if node.isQuantized(0) {
      let (_, _, input) = try node.quantized(0, "input")
      let result = try node.outputScale()
      let factor = try node.factor(Double(input.scale / result.scale))
      let range = result.range(clamp)
      return try node.lookup { value, _, _ in
        min(max(factor.times(value), range.lowerBound), range.upperBound)
      }
    }
    let (tensor, shape) = try node.floats(0, "input")
    return .step(
      ClampStep(
        name: node.name, inputs: [tensor], outputShape: shape,
        kernels: try node.kernels(for: shape), clamp: clamp))
  }

  var summary: String { "\(name) \(kernels.name)" }

  func run(_ memory: StepMemory) {
    kernels.clamp(memory.inputs[0], into: memory.output, count: outputShape.count, to: clamp)
  }
}
