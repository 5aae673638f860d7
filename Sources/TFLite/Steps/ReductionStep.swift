import Tensor

/// Sums or means over some dimensions of a tensor.
struct ReductionStep: Step {
  let name: String
  var inputs: [Int]
  let outputShape: Shape
  /// The divisor of each sum.
  let divisor: Float
  /// Whether it is the mean over the last dimension, which is kept.
  let isMeanOfLast: Bool
  private let loops: StridedLoops
  let kernels: Kernels

  /// Validates a node with a tensor and the dimensions to reduce, which may repeat and count from the end.
  init(_ node: Node, isMean: Bool) throws(ModelError) {
    try node.expectInputs(2...2)
    let (tensor, shape) = try node.floats(0, "input")
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
    divisor = isMean ? Float(shape.count / reduced.count) : 1
    isMeanOfLast =
      isMean && keepsDimensions && isReduced.last == true
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
    output.update(repeating: 0, count: outputShape.count)
    let run = loops.run
    loops.forEachRun { start, position, _ in
      let values = memory.inputs[0] + start
      if run.first == 0 {
        output[position] += kernels.sum(values, count: run.size)
      } else {
        kernels.combine(
          .add, output + position, step: 1, values, step: 1, into: output + position,
          count: run.size,
          clamp: .none)
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
