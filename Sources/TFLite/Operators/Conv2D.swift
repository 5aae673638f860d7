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
  let weights: Weights
  let bias: FloatStorage
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
    let kernels = try node.kernels(covering: channels)
    let clamp = try node.clamp(options, field: Field.fusedActivationFunction)
    return try node.product(filter, clamp: clamp) { weights, bias, clamp in
      let matrix = transposed(weights, rows: channels, columns: depth)
      return Conv2D(
        inputs: [tensor], outputShape: output, inputChannels: input.channels, window: window,
        filter: filter.tensor,
        weights: Weights(matrix, window: window, channels: channels, kernels, node.kernels),
        bias: bias, kernels: kernels, clamp: clamp)
    }
  }

  /// The weights as the kernels read them.
  enum Weights: Sendable {
    /// [depth, channels], for OpenBLAS.
    case plain(FloatStorage)
    /// Packed for the direct kernels.
    case packed(FloatStorage)
    /// Packed, as 16-bit floats.
    case narrow(FloatStorage)

    var storage: FloatStorage {
      switch self {
      case .plain(let storage), .packed(let storage), .narrow(let storage): storage
      }
    }

    var isPlain: Bool { if case .plain = self { true } else { false } }
    var isNarrow: Bool { if case .narrow = self { true } else { false } }

    /// Floats from which on weights of a single pixel are narrow: they are read once, from the last level of cache.
    private static let leastNarrowCount = 65_536

    init(
      _ matrix: [Float], window: Window, channels: Int, _ kernels: Kernels, _ choice: KernelChoice
    ) {
      guard choice.isDirect(window: window, channels: channels) else {
        self = .plain(FloatStorage(matrix))
        return
      }
      let packed = kernels.pack(matrix, depth: matrix.count / channels, channels: channels)
      let isSinglePixel = window.outputHeight * window.outputWidth == 1
      if isSinglePixel, packed.count >= Self.leastNarrowCount, let narrow = kernels.narrow(packed) {
        self = .narrow(narrow)
      } else {
        self = .packed(packed)
      }
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
  var isDirect: Bool { !weights.isPlain }
  var constantCount: Int {
    outputShape[3] * depth / (weights.isNarrow ? 2 : 1) + outputShape[3] * (slopes == nil ? 1 : 2)
  }
  /// What the plan says of the kernels.
  var kernelSummary: String {
    isDirect ? "direct \(kernels.name)" + (weights.isNarrow ? ", 16-bit weights" : "") : "sgemm"
  }
  var summary: String {
    "\(Conv2D.name) \(window.kernelHeight)x\(window.kernelWidth) \(kernelSummary)"
  }

  var scratchCount: Int {
    if window.isPointwise { return 0 }
    if !isDirect { return pixels * depth }
    return window.padding == .none
      ? 0 : window.paddedHeight * window.paddedWidth * inputChannels
  }

  func absorbing(clamp: Clamp) -> (any Step)? {
    self.clamp == .none && slopes == nil ? changed { $0.clamp = clamp } : nil
  }

  func absorbing(slopes: FloatStorage) -> (any Step)? {
    self.slopes == nil && slopes.count == outputShape[3] ? changed { $0.slopes = slopes } : nil
  }

  func absorbing(residual tensor: Int, channels: Int) -> (any Step)? {
    guard clamp == .none, slopes == nil, residualChannels == nil, channels <= outputShape[3] else {
      return nil
    }
    return changed {
      $0.inputs.append(tensor)
      $0.residualChannels = channels
    }
  }

  func absorbing(padding: Window.Padding, inputShape: Shape) -> (any Step)? {
    window.taking(padding: padding, from: inputShape).map { window in
      changed { $0.window = window }
    }
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
          from, weights.storage.pointer, into: output, rows: pixels, depth: depth, columns: channels
        )
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
      input, window: window, inputChannels: inputChannels, packed: weights.storage.pointer,
      areNarrow: weights.isNarrow, bias: bias.pointer, residual: residual,
      residualChannels: residualChannels ?? 0,
      slopes: slopes?.pointer, into: output, outputChannels: outputShape[3], rows: rows,
      clamp: clamp)
  }
}
