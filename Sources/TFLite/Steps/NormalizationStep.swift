import Tensor

/// Layer normalisation over the last dimension: (x − mean) · scale / √(variance + epsilon).
struct NormalizationStep: Step {
  var inputs: [Int]
  let outputShape: Shape
  /// One per element of the last dimension.
  let scales: FloatStorage
  let epsilon: Float
  let kernels: Kernels

  var summary: String { "layer normalisation \(kernels.name)" }

  func run(_ memory: StepMemory) {
    kernels.normalize(
      memory.inputs[0], rows: outputShape.count / scales.count, scales: scales, epsilon: epsilon,
      into: memory.output)
  }
}

extension Fusion {
  /// Replaces the ten steps of a layer normalisation by one.
  mutating func joinNormalizations() {
    for position in steps.indices {
      guard let found = Normalization(endingAt: position, of: self) else { continue }
      for inner in found.inner { steps[inner] = nil }
      // Its mean, variance and product read it; from now on only one step does.
      uses[graph.root(found.step.inputs[0]), default: 0] -= 2
      replace(at: position, with: found.step, takenOver: found.inner[0])
    }
  }
}

/// x · g + −mean · g, where g = scale · 1 / √(mean of (x − mean)² + epsilon).
private struct Normalization {
  let step: NormalizationStep
  /// Indices of all its steps except the last.
  let inner: [Int]

  init?(endingAt position: Int, of fusion: Fusion) {
    func binary(_ tensor: Int, _ operation: BinaryOperation, uses: Int) -> (Int, BinaryStep)? {
      guard let found = fusion.producer(of: tensor, uses: uses),
        let step = found.step as? BinaryStep, step.operation == operation, step.clamp == .none
      else { return nil }
      return (found.position, step)
    }
    func unary(_ tensor: Int, _ operation: UnaryOperation) -> (Int, UnaryStep)? {
      guard let found = fusion.producer(of: tensor, uses: 1), let step = found.step as? UnaryStep,
        step.operation == operation
      else { return nil }
      return (found.position, step)
    }
    func mean(_ tensor: Int, uses: Int) -> (Int, ReductionStep)? {
      guard let found = fusion.producer(of: tensor, uses: uses),
        let step = found.step as? ReductionStep, step.isMeanOfLast
      else { return nil }
      return (found.position, step)
    }
    func floats(_ tensor: Int, count: Int) -> FloatStorage? {
      guard case .constant(let constant) = fusion.graph.values[tensor],
        constant.shape.count == count,
        constant.shape.dimensions.allSatisfy({ $0 == 1 || $0 == count })
      else { return nil }
      return constant.floats
    }
    guard let sum = fusion.steps[position]?.step as? BinaryStep, sum.operation == .add,
      sum.clamp == .none, let channels = sum.outputShape.dimensions.last,
      let (product, scaled) = binary(sum.inputs[0], .multiply, uses: 1),
      let (shift, shifted) = binary(sum.inputs[1], .multiply, uses: 1),
      scaled.inputs[1] == shifted.inputs[1],
      let (factor, gain) = binary(scaled.inputs[1], .multiply, uses: 2),
      let scales = floats(gain.inputs[1], count: channels),
      let (root, inverse) = unary(gain.inputs[0], .reciprocalSquareRoot),
      let (offset, raised) = binary(inverse.inputs[0], .add, uses: 1),
      let epsilon = floats(raised.inputs[1], count: 1),
      let (spread, variance) = mean(raised.inputs[0], uses: 1),
      let (square, difference) = binary(variance.inputs[0], .squaredDifference, uses: 1),
      let (minus, negative) = unary(shifted.inputs[0], .negate),
      negative.inputs[0] == difference.inputs[1],
      let (middle, average) = mean(negative.inputs[0], uses: 2)
    else { return nil }
    let input = scaled.inputs[0]
    guard difference.inputs[0] == input, average.inputs[0] == input,
      scaled.inputShapes[0] == sum.outputShape, difference.inputShapes[0] == sum.outputShape
    else { return nil }
    step = NormalizationStep(
      inputs: [input], outputShape: sum.outputShape, scales: scales,
      epsilon: epsilon.pointer[0], kernels: difference.kernels)
    inner = [product, shift, factor, root, offset, spread, square, minus, middle]
  }
}
