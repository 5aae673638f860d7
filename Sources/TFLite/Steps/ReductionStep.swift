import Tensor

/// Sums, means or maxima over some dimensions of a tensor.
struct ReductionStep: Step {
  let name: String
  var inputs: [Int]
  let outputShape: Shape
  let reduction: Reduction
  /// The divisor of each sum.
  let divisor: Float
  /// The factor of the sum of INT8 numbers that gives their mean, and the range; nil for floats.
  private let quantized: (factor: FixedPointFactor, range: ClosedRange<Int>)?
  /// Whether it is the mean over the last dimension, which is kept.
  let isMeanOfLast: Bool
  private let loops: StridedLoops
  let kernels: Kernels

  /// What becomes of the elements.
  enum Reduction: Sendable { case sum, mean, maximum }

  /// Validates a node with a tensor and the dimensions to reduce, which may repeat and count from the end.
  static func lower(_ node: Node, _ reduction: Reduction) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    guard node.isQuantized(0) else {
      return .step(try ReductionStep(node, try node.floats(0, "input"), reduction))
    }
    guard reduction == .mean else { throw node.unsupported("input of INT8, expected FLOAT32") }
    let (tensor, shape, scale) = try node.quantized(0, "input")
    let result = try node.outputScale()
    return .quantized(
      try ReductionStep(node, (tensor, shape), .mean, scales: (scale, result)), result)
  }

  private init(
    _ node: Node, _ input: (tensor: Int, shape: Shape), _ reduction: Reduction,
    scales: (input: TensorScale, output: TensorScale)? = nil
  ) throws(ModelError) {
    let (tensor, shape) = input
    let isMean = reduction == .mean
    self.reduction = reduction
    var isReduced = [Bool](repeating: false, count: shape.rank)
    for asked in try node.constantIntegers(1, "axes") {
      let axis = asked < 0 ? asked + shape.rank : asked
      guard isReduced.indices.contains(axis) else {
        throw node.corrupt("axis \(asked) of input \(shape)")
      }
      isReduced[axis] = true
    }
    let keepsDimensions =
      try node.options(.reducer)?.flag(TFLiteSchema.ReducerOptions.keepDimensions) ?? false
    let reduced = try node.shape(shape.dimensions.indices.map { isReduced[$0] ? 1 : shape[$0] })
    name = node.name
    inputs = [tensor]
    outputShape =
      keepsDimensions
      ? reduced
      : try node.shape(shape.dimensions.indices.filter { !isReduced[$0] }.map { shape[$0] })
    let count = shape.count / reduced.count
    divisor = isMean && scales == nil ? Float(count) : 1
    if let scales {
      let factor = try node.factor(Double(scales.input.scale) / Double(scales.output.scale))
      guard count * scales.input.magnitude <= QuantizedProductStep.exactLimit,
        let divided = factor.divided(by: count)
      else {
        throw node.unsupported("a mean of \(count) numbers, expected fewer")
      }
      quantized = (divided, scales.output.range(.none))
    } else {
      quantized = nil
    }
    isMeanOfLast =
      isMean && scales == nil && keepsDimensions && isReduced.last == true
      && isReduced.count { $0 } == 1
    let positions = reduced.strides
    loops = StridedLoops(
      shape.dimensions.indices.map {
        StridedLoops.Axis(size: shape[$0], first: isReduced[$0] ? 0 : positions[$0])
      })
    kernels = try node.kernels(forCount: loops.run.size)
  }

  var summary: String { "\(name) \(kernels.name)" }

  func run(_ memory: StepMemory) {
    let output = memory.output
    let isMaximum = reduction == .maximum
    output.update(repeating: isMaximum ? -.infinity : 0, count: outputShape.count)
    let run = loops.run
    loops.forEachRun { start, position, _ in
      let values = memory.inputs[0] + start
      if run.first == 0, isMaximum {
        for index in 0..<run.size { output[position] = max(output[position], values[index]) }
      } else if run.first == 0 {
        output[position] += kernels.sum(values, count: run.size)
      } else {
        kernels.combine(
          isMaximum ? .maximum : .add, output + position, step: 1, values, step: 1,
          into: output + position,
          count: run.size,
          clamp: .none)
      }
    }
    if let (factor, range) = quantized {
      for index in 0..<outputShape.count {
        let mean = factor.times(Int(output[index]))
        output[index] = Float(min(max(mean, range.lowerBound), range.upperBound))
      }
    }
    guard divisor != 1 else { return }
    withUnsafePointer(to: divisor) { divisor in
      kernels.combine(
        .divide, output, step: 1, divisor, step: 0, into: output, count: outputShape.count,
        clamp: .none)
    }
  }
}
