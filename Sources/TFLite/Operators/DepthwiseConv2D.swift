import Tensor

/// DEPTHWISE_CONV_2D with multiplier 1, and slopes in its epilogue.
struct DepthwiseConv2D: Operator, Step {
  static let name = "DEPTHWISE_CONV_2D"
  static let newestVersion = 7

  var inputs: [Int]
  let outputShape: Shape
  var window: Window
  let weights: FloatStorage
  let bias: FloatStorage
  var zeros: FloatStorage
  let kernels: Kernels
  var clamp: Clamp
  /// Slopes after the clamp, one per channel.
  var slopes: FloatStorage?

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(3...3)
    let (tensor, shape) = try node.factorInput()
    let input = try node.image(shape, "input")
    let options = try node.requiredOptions(.depthwiseConv2D)
    typealias Field = TFLiteSchema.DepthwiseConv2DOptions
    let filter = try node.dilated(
      node.weights(channelAxis: 3), options,
      fields: (Field.dilationWidthFactor, Field.dilationHeightFactor))
    let kernel = try node.image(filter.shape, "filter")
    let multiplier = try options.integer(Field.depthMultiplier, default: Int32(0))
    guard multiplier == 1 else {
      throw node.unsupported("depth multiplier \(multiplier), expected 1")
    }
    guard kernel.batch == 1, kernel.channels == input.channels else {
      throw node.corrupt("filter \(filter.shape) does not fit input \(shape)")
    }
    let window = try node.window(
      options, input: (input.height, input.width), kernel: (kernel.height, kernel.width))
    let output = try node.shape([
      input.batch, window.outputHeight, window.outputWidth, input.channels,
    ])
    let kernels = try node.kernels(covering: input.channels)
    let clamp = try node.clamp(options, field: Field.fusedActivationFunction)
    return try node.product(filter, clamp: clamp) { weights, bias, clamp in
      DepthwiseConv2D(
        inputs: [tensor], outputShape: output, window: window, weights: weights, bias: bias,
        zeros: FloatStorage(count: input.width * input.channels) { _ in }, kernels: kernels,
        clamp: clamp)
    }
  }

  var multiplyAccumulates: Int { outputShape.count * window.kernelHeight * window.kernelWidth }
  var constantCount: Int { weights.count + outputShape[3] * (slopes == nil ? 1 : 2) }
  var summary: String { "\(DepthwiseConv2D.name) \(kernels.name)" }

  func absorbing(clamp: Clamp) -> (any Step)? {
    self.clamp == .none && slopes == nil ? changed { $0.clamp = clamp } : nil
  }

  func absorbing(slopes: FloatStorage) -> (any Step)? {
    self.slopes == nil && slopes.count == outputShape[3] ? changed { $0.slopes = slopes } : nil
  }

  func absorbing(padding: Window.Padding, inputShape: Shape) -> (any Step)? {
    window.taking(padding: padding, from: inputShape).map { window in
      changed { $0.window = window }
    }
  }

  func run(_ memory: StepMemory) {
    let channels = outputShape[3]
    for image in 0..<outputShape[0] {
      depthwise(
        memory.inputs[0] + image * window.inputHeight * window.inputWidth * channels,
        into: memory.output + image * window.outputHeight * window.outputWidth * channels,
        rows: 0..<window.outputHeight)
    }
  }

  /// Some rows of the output, which begin at `output`; only the input's rows under them are read.
  func depthwise(
    _ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, rows: Range<Int>
  ) {
    kernels.depthwise(
      input, window: window, channels: outputShape[3], weights: weights.pointer,
      bias: bias.pointer, zeros: zeros.pointer, slopes: slopes?.pointer, into: output, rows: rows,
      clamp: clamp)
  }
}
