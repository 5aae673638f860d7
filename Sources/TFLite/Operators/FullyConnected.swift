import Tensor

/// FULLY_CONNECTED: each row of the input times a constant matrix, [channels, depth].
struct FullyConnected: Operator, Step {
  static let name = "FULLY_CONNECTED"
  static let newestVersion = 12

  /// The same product as a pointwise convolution of rows.
  private var convolution: Conv2D
  let outputShape: Shape

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...3)
    let (tensor, shape) = try node.factorInput()
    let filter = try node.weights(channelAxis: 0)
    let options = try node.requiredOptions(.fullyConnected)
    typealias Field = TFLiteSchema.FullyConnectedOptions
    let format = try options.integer(Field.weightsFormat, default: Int8(0))
    guard format == 0 else { throw node.unsupported("weights of format \(format), expected 0") }
    guard filter.shape.rank == 2 else {
      throw node.unsupported("filter \(filter.shape), expected 2 dimensions")
    }
    let (channels, depth) = (filter.shape[0], filter.shape[1])
    guard shape.count.isMultiple(of: depth) else {
      throw node.corrupt("input \(shape) is not made of rows of \(depth)")
    }
    let rows = shape.count / depth
    var dimensions = [rows, channels]
    if try options.flag(Field.keepDimensions) {
      guard shape.dimensions.last == depth else {
        throw node.corrupt("input \(shape) to keep, expected \(depth) in the last dimension")
      }
      dimensions = shape.dimensions.dropLast() + [channels]
    }
    let output = try node.shape(dimensions)
    let image = try node.shape([1, rows, 1, channels])
    guard
      let window = Window(
        input: (rows, 1), kernel: (1, 1), stride: (1, 1), padding: .none)
    else { throw node.unsupported("input \(shape), expected fewer rows") }
    let kernels = try node.kernels(covering: channels)
    let clamp = try node.clamp(options, field: Field.fusedActivationFunction)
    return try node.product(filter, clamp: clamp, roundsOnce: true) { weights, bias, clamp in
      let matrix = Conv2D.transposed(weights, rows: channels, columns: depth)
      return FullyConnected(
        convolution: Conv2D(
          inputs: [tensor], outputShape: image, inputChannels: depth, window: window,
          filter: filter.tensor,
          weights: .init(matrix, window: window, channels: channels, kernels, node.kernels),
          bias: bias, kernels: kernels, clamp: clamp),
        outputShape: output)
    }
  }

  var inputs: [Int] {
    get { convolution.inputs }
    set { convolution.inputs = newValue }
  }
  var multiplyAccumulates: Int { convolution.multiplyAccumulates }
  var constantCount: Int { convolution.constantCount }
  var scratchCount: Int { convolution.scratchCount }
  var summary: String {
    "\(FullyConnected.name) \(convolution.kernelSummary)"
  }

  func absorbing(clamp: Clamp) -> (any Step)? {
    guard let clamped = convolution.absorbing(clamp: clamp) as? Conv2D else { return nil }
    return FullyConnected(convolution: clamped, outputShape: outputShape)
  }

  func run(_ memory: StepMemory) { convolution.run(memory) }
}
