import Tensor

/// MAX_POOL_2D with a fused activation.
struct MaxPool2D: Operator, Step {
  static let name = "MAX_POOL_2D"
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape
  let window: Window
  let kernels: Kernels
  var clamp: Clamp

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let (tensor, shape) = try node.movable(0, "input")
    let input = try node.image(shape, "input")
    let options = try node.requiredOptions(.pool2D)
    typealias Field = TFLiteSchema.Pool2DOptions
    let width = Int(try options.integer(Field.filterWidth, default: Int32(0)))
    let height = Int(try options.integer(Field.filterHeight, default: Int32(0)))
    let window = try node.window(
      options, input: (input.height, input.width), kernel: (height, width))
    let output = try node.shape([
      input.batch, window.outputHeight, window.outputWidth, input.channels,
    ])
    var clamp = try node.clamp(options, field: Field.fusedActivationFunction)
    if node.isQuantized(0) {
      let range = try node.outputScale().range(clamp)
      clamp = Clamp(low: Float(range.lowerBound), high: Float(range.upperBound))
    }
    return try node.moving(
      MaxPool2D(
        inputs: [tensor], outputShape: output, window: window,
        kernels: try node.kernels(covering: input.channels),
        clamp: clamp))
  }

  var summary: String { "\(MaxPool2D.name) \(kernels.name)" }

  func absorbing(clamp: Clamp) -> (any Step)? {
    guard self.clamp == .none else { return nil }
    var step = self
    step.clamp = clamp
    return step
  }

  func run(_ memory: StepMemory) {
    let channels = outputShape[3]
    for image in 0..<outputShape[0] {
      kernels.maxPool(
        memory.inputs[0] + image * window.inputHeight * window.inputWidth * channels,
        window: window, channels: channels,
        into: memory.output + image * window.outputHeight * window.outputWidth * channels,
        clamp: clamp)
    }
  }
}
