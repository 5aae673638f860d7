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
    let (tensor, window, output, options) = try node.pool()
    var clamp = try node.clamp(
      options, field: TFLiteSchema.Pool2DOptions.fusedActivationFunction)
    if node.isQuantized(0) {
      let range = try node.outputScale().range(clamp)
      clamp = Clamp(low: Float(range.lowerBound), high: Float(range.upperBound))
    }
    return try node.moving(
      MaxPool2D(
        inputs: [tensor], outputShape: output, window: window,
        kernels: try node.kernels(covering: output[3]), clamp: clamp))
  }

  var summary: String { "\(MaxPool2D.name) \(kernels.name)" }

  func absorbing(clamp: Clamp) -> (any Step)? {
    self.clamp == .none ? changed { $0.clamp = clamp } : nil
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
