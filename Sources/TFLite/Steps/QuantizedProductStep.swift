import Tensor

/// A convolution or matrix product of INT8 numbers, by TFLite's integer arithmetic.
///
/// Sums of products run on the float kernels. They are exact, since a channel whose sum could exceed 2²⁴ has its weights
/// split into two sums of smaller numbers.
struct QuantizedProductStep: Step {
  /// The sum of products over the weights, or over the lower part of them.
  fileprivate var fine: any Step
  /// The sum over the higher part, in units of `unit`.
  fileprivate var coarse: (any Step)?
  fileprivate let bias: [Int]
  fileprivate let factors: [FixedPointFactor]
  fileprivate let range: ClosedRange<Int>
  fileprivate let roundsOnce: Bool

  /// The unit of the higher part of weights.
  private static let unit = 16
  /// Whole numbers up to here are exact as floats.
  static let exactLimit = 1 << 24

  var inputs: [Int] {
    get { fine.inputs }
    set {
      fine.inputs = newValue
      coarse?.inputs = newValue
    }
  }
  var outputShape: Shape { fine.outputShape }
  var multiplyAccumulates: Int { fine.multiplyAccumulates }
  var constantCount: Int { fine.constantCount + (coarse?.constantCount ?? 0) + 2 * bias.count }
  var scratchCount: Int {
    max(fine.scratchCount, coarse.map { coarseCount + $0.scratchCount } ?? 0)
  }
  var summary: String { "\(fine.summary) INT8" }

  private var coarseCount: Int { (outputShape.count + 15) / 16 * 16 }

  func run(_ memory: StepMemory) {
    let channels = bias.count
    fine.run(memory)
    if let coarse {
      coarse.run(
        StepMemory(
          inputs: memory.inputs, output: memory.scratch, scratch: memory.scratch + coarseCount))
    }
    let unit = coarse == nil ? 0 : Self.unit
    bias.withUnsafeBufferPointer { bias in
      factors.withUnsafeBufferPointer { factors in
        for start in stride(from: 0, to: outputShape.count, by: channels) {
          for channel in 0..<channels {
            var sum = Int(Int32(memory.output[start + channel])) &+ bias[channel]
            if unit > 0 { sum &+= unit &* Int(Int32(memory.scratch[start + channel])) }
            let scaled =
              roundsOnce
              ? factors[channel].timesRoundedOnce(sum) : factors[channel].times(sum)
            memory.output[start + channel] = Float(
              Int32(min(max(scaled, range.lowerBound), range.upperBound)))
          }
        }
      }
    }
  }
}

/// The weights of a product, dense and in the file's order.
struct ProductWeights {
  let tensor: Int
  let shape: Shape
  /// Real numbers, or the integers of an INT8 product.
  let values: FloatStorage
  /// One for each channel of an INT8 product; nil for a product of floats.
  let scales: [Float]?
  /// Whether each channel has a scale of its own.
  let isPerChannel: Bool
  /// The dimension of the output's channels.
  let axis: Int
}

extension ProductWeights {
  /// The weights of an image's window with zeros between them, as a dilation asks for.
  func dilated(height: Int, width: Int) -> ProductWeights {
    let tall = (shape[1] - 1) * height + 1
    let wide = (shape[2] - 1) * width + 1
    guard height > 1 || width > 1, let shape = Shape([self.shape[0], tall, wide, self.shape[3]])
    else { return self }
    let depth = shape[3]
    let values = FloatStorage(count: shape.count) { floats in
      for position in 0..<self.shape.count / depth {
        let column = position % self.shape[2]
        let row = position / self.shape[2] % self.shape[1]
        let channel = position / (self.shape[1] * self.shape[2])
        let to = ((channel * tall + row * height) * wide + column * width) * depth
        for index in 0..<depth {
          floats[to + index] = self.values.pointer[position * depth + index]
        }
      }
    }
    return ProductWeights(
      tensor: tensor, shape: shape, values: values, scales: scales, isPerChannel: isPerChannel,
      axis: axis)
  }
}

extension Node {
  /// The weights of a product, input 1: floats, INT8 numbers that are dequantised for a float input, or INT8 numbers.
  func weights(channelAxis axis: Int) throws(ModelError) -> ProductWeights {
    let constant = try constant(1, "filter")
    let (tensor, _) = try value(1, "filter")
    guard axis < constant.shape.rank else {
      throw unsupported("filter \(constant.shape), expected more than \(axis) dimensions")
    }
    guard isQuantized(0) else {
      guard let values = constant.floats ?? constant.dequantized else {
        throw unsupported("filter of \(constant.type), expected dense FLOAT32 or INT8")
      }
      return ProductWeights(
        tensor: tensor, shape: constant.shape, values: values, scales: nil, isPerChannel: false,
        axis: axis)
    }
    guard let quantization = constant.quantization, let values = constant.centered else {
      throw unsupported("filter of \(constant.type) for an input of INT8, expected INT8")
    }
    guard quantization.zeroPoints.allSatisfy({ $0 == 0 }) else {
      throw unsupported("filter with a zero point, expected 0")
    }
    let isPerChannel = quantization.scales.count > 1
    guard !isPerChannel || quantization.axis == axis else {
      throw unsupported(
        "filter with scales along dimension \(quantization.axis), expected \(axis)")
    }
    return ProductWeights(
      tensor: tensor, shape: constant.shape, values: values,
      scales: isPerChannel
        ? quantization.scales
        : Array(repeating: quantization.scales[0], count: constant.shape[axis]),
      isPerChannel: isPerChannel, axis: axis)
  }

  /// The input of a product, of floats or INT8.
  func factorInput() throws(ModelError) -> (tensor: Int, shape: Shape) {
    guard isQuantized(0) else { return try floats(0, "input") }
    let (tensor, shape, _) = try quantized(0, "input")
    return (tensor, shape)
  }

  /// A product with its bias, input 2, and activation; `step` makes the step of floats for some weights.
  func product(
    _ weights: ProductWeights, clamp: Clamp, roundsOnce: Bool = false,
    step: (_ weights: FloatStorage, _ bias: FloatStorage, Clamp) throws(ModelError) -> any Step
  ) throws(ModelError) -> Lowering {
    let channels = weights.shape[weights.axis]
    guard let scales = weights.scales else {
      return .step(try step(weights.values, bias(2, channels: channels), clamp))
    }
    let (_, _, input) = try quantized(0, "input")
    let result = try outputScale()
    var factors: [FixedPointFactor] = []
    for scale in scales {
      // TFLite multiplies the two scales of a tensor in single precision, those of channels in double.
      let product =
        weights.isPerChannel
        ? Double(input.scale) * Double(scale) : Double(input.scale * scale)
      factors.append(try factor(product / Double(result.scale)))
    }
    let zeros = FloatStorage(count: channels) { _ in }
    func sums(_ values: FloatStorage) throws(ModelError) -> any Step {
      try step(values, zeros, .none)
    }
    let bias = try integerBias(channels: channels)
    guard !QuantizedProductStep.isExact(weights.values, weights, input) else {
      return .quantized(
        QuantizedProductStep(
          fine: try sums(weights.values), coarse: nil, bias: bias, factors: factors,
          range: result.range(clamp), roundsOnce: roundsOnce), result)
    }
    let (fine, coarse) = QuantizedProductStep.split(weights.values)
    guard QuantizedProductStep.isExact(fine, weights, input),
      QuantizedProductStep.isExact(coarse, weights, input)
    else {
      throw unsupported("filter \(weights.shape), expected sums of INT8 products below 2^28")
    }
    return .quantized(
      QuantizedProductStep(
        fine: try sums(fine), coarse: try sums(coarse), bias: bias, factors: factors,
        range: result.range(clamp), roundsOnce: roundsOnce), result)
  }

  private func integerBias(channels: Int) throws(ModelError) -> [Int] {
    guard hasInput(2) else { return Array(repeating: 0, count: channels) }
    let bias = try constantIntegers(2, "bias")
    guard bias.count == channels else {
      throw corrupt("bias [\(bias.count)], expected [\(channels)]")
    }
    return bias
  }
}

extension QuantizedProductStep {
  /// Whether every sum over a channel's weights is exact as a float, in any order.
  fileprivate static func isExact(
    _ values: FloatStorage, _ weights: ProductWeights, _ input: TensorScale
  ) -> Bool {
    let channels = weights.shape[weights.axis]
    let stride = weights.shape.strides[weights.axis]
    var sums = [Int](repeating: 0, count: channels)
    for index in 0..<values.count {
      sums[index / stride % channels] += Int(abs(values.pointer[index]))
    }
    return sums.allSatisfy { $0 * input.magnitude <= exactLimit }
  }

  /// Integers as lower part and higher part in units of `unit`, both small.
  fileprivate static func split(
    _ values: FloatStorage
  ) -> (fine: FloatStorage, coarse: FloatStorage) {
    func part(_ value: (Float) -> Float) -> FloatStorage {
      FloatStorage(count: values.count) { floats in
        for index in floats.indices { floats[index] = value(values.pointer[index]) }
      }
    }
    let unit = Float(Self.unit)
    func coarse(_ value: Float) -> Float { (value / unit).rounded() }
    return (part { $0 - coarse($0) * unit }, part(coarse))
  }
}
