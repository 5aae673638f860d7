import Tensor

/// CONV_2D, and a residual, an activation and slopes in its epilogue.
struct Conv2D: Operator, Step {
  static let name = "CONV_2D"
  static let newestVersion = 8

  var inputs: [Int]
  let outputShape: Shape
  let inputChannels: Int
  var window: Window
  /// Tensor number of the weights as the file has them, [channels, height, width, depth].
  let filter: Int
  let weights: FloatStorage
  let bias: FloatStorage
  /// Whether the weights are packed for the direct kernels; otherwise they are [depth, channels] for OpenBLAS.
  let isDirect: Bool
  let kernels: Kernels
  var clamp: Clamp
  /// Slopes after the clamp, one per channel.
  var slopes: FloatStorage?
  var residualChannels: Int?

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(3...3)
    let (tensor, shape) = try node.factorInput()
    let input = try node.image(shape, "input")
    let options = try node.requiredOptions(.conv2D)
    typealias Field = TFLiteSchema.Conv2DOptions
    let filter = try node.dilated(
      node.weights(channelAxis: 0), options,
      fields: (Field.dilationWidthFactor, Field.dilationHeightFactor))
    let kernel = try node.image(filter.shape, "filter")
    guard kernel.channels == input.channels else {
      throw node.unsupported(
        "filter \(filter.shape) over input \(shape), expected \(input.channels) channels")
    }
    let window = try node.window(
      options, input: (input.height, input.width), kernel: (kernel.height, kernel.width))
    let channels = kernel.batch
    let output = try node.shape([
      input.batch, window.outputHeight, window.outputWidth, channels,
    ])
    let depth = kernel.height * kernel.width * kernel.channels
    let isDirect = node.kernels.isDirect(window: window, channels: channels)
    let kernels = try node.kernels(covering: channels)
    let clamp = try node.clamp(options, field: Field.fusedActivationFunction)
    return try node.product(filter, clamp: clamp) { weights, bias, clamp in
      let matrix = transposed(weights, rows: channels, columns: depth)
      return Conv2D(
        inputs: [tensor], outputShape: output, inputChannels: input.channels, window: window,
        filter: filter.tensor,
        weights: isDirect
          ? kernels.pack(matrix, depth: depth, channels: channels) : FloatStorage(matrix),
        bias: bias, isDirect: isDirect, kernels: kernels, clamp: clamp)
    }
  }

  static func transposed(_ values: FloatStorage, rows: Int, columns: Int) -> [Float] {
    let from = values.pointer
    return [Float](unsafeUninitializedCapacity: rows * columns) { to, count in
      for column in 0..<columns {
        for row in 0..<rows { to[column * rows + row] = from[row * columns + column] }
      }
      count = rows * columns
    }
  }

  var depth: Int { window.kernelHeight * window.kernelWidth * inputChannels }
  var pixels: Int { window.outputHeight * window.outputWidth }
  var multiplyAccumulates: Int { outputShape.count * depth }
  var constantCount: Int { outputShape[3] * (depth + 1 + (slopes == nil ? 0 : 1)) }
  var summary: String {
    "\(Conv2D.name) \(window.kernelHeight)x\(window.kernelWidth) "
      + (isDirect ? "direct \(kernels.name)" : "sgemm")
  }

  var scratchCount: Int {
    if window.isPointwise { return 0 }
    if !isDirect { return pixels * depth }
    return window.padding == .none
      ? 0 : window.paddedHeight * window.paddedWidth * inputChannels
  }

  func absorbing(clamp: Clamp) -> (any Step)? {
    guard self.clamp == .none, slopes == nil else { return nil }
    var step = self
    step.clamp = clamp
    return step
  }

  func absorbing(slopes: FloatStorage) -> (any Step)? {
    guard self.slopes == nil, slopes.count == outputShape[3] else { return nil }
    var step = self
    step.slopes = slopes
    return step
  }

  func absorbing(residual tensor: Int, channels: Int) -> (any Step)? {
    guard clamp == .none, slopes == nil, residualChannels == nil, channels <= outputShape[3] else {
      return nil
    }
    var step = self
    step.inputs.append(tensor)
    step.residualChannels = channels
    return step
  }

  func absorbing(padding: Window.Padding, inputShape: Shape) -> (any Step)? {
    guard let window = window.taking(padding: padding, from: inputShape) else { return nil }
    var step = self
    step.window = window
    return step
  }

  func run(_ memory: StepMemory) {
    let channels = outputShape[3]
    for image in 0..<outputShape[0] {
      let input =
        memory.inputs[0] + image * window.inputHeight * window.inputWidth * inputChannels
      let output = memory.output + image * pixels * channels
      let residual = residualChannels.map { memory.inputs[1] + image * pixels * $0 }
      if isDirect {
        var from = input
        if window.padding != .none {
          window.copyPadded(input, channels: inputChannels, into: memory.scratch)
          from = UnsafePointer(memory.scratch)
        }
        convolve(from, residual: residual, into: output, rows: 0..<window.outputHeight)
      } else {
        var from = input
        if !window.isPointwise {
          window.copyPatches(input, channels: inputChannels, into: memory.scratch)
          from = UnsafePointer(memory.scratch)
        }
        BLAS.multiply(
          from, weights.pointer, into: output, rows: pixels, depth: depth, columns: channels)
        kernels.finish(
          output, pixels: pixels, channels: channels, bias: bias.pointer, residual: residual,
          residualChannels: residualChannels ?? 0, slopes: slopes?.pointer, clamp: clamp)
      }
    }
  }

  /// The direct kernels over some rows of the output; `residual` and `output` are at the first of them.
  func convolve(
    _ input: UnsafePointer<Float>, residual: UnsafePointer<Float>?,
    into output: UnsafeMutablePointer<Float>, rows: Range<Int>
  ) {
    kernels.convolve(
      input, window: window, inputChannels: inputChannels, packed: weights.pointer,
      bias: bias.pointer, residual: residual, residualChannels: residualChannels ?? 0,
      slopes: slopes?.pointer, into: output, outputChannels: outputShape[3], rows: rows,
      clamp: clamp)
  }
}
