import Tensor

/// Sums, differences and products of INT8 numbers that broadcast to one shape, by TFLite's integer arithmetic.
struct QuantizedBinaryStep: Step {
  let name: String
  var inputs: [Int]
  let outputShape: Shape
  private let arithmetic: Arithmetic
  private let range: ClosedRange<Int>
  private let loops: StridedLoops

  private enum Arithmetic: Sendable {
    /// The sum or difference of the inputs times their factors, times a factor.
    case sum(FixedPointFactor, FixedPointFactor, isDifference: Bool, FixedPointFactor)
    case product(FixedPointFactor)
  }

  /// Bits by which summands are raised before they are scaled.
  private static let raise = 20

  /// Validates a node of two inputs; `optionsType` is the type of options that begin with an activation.
  static func lower(
    _ node: Node, _ operation: BinaryOperation, optionsType: TFLiteSchema.BuiltinOptions
  ) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let a = try node.quantized(0, "input")
    let b = try node.quantized(1, "input")
    let result = try node.outputScale()
    guard let shape = a.shape.broadcast(with: b.shape) else {
      throw node.unsupported(
        "inputs \(a.shape) and \(b.shape), expected shapes that broadcast to at most 256 MiB")
    }
    let arithmetic: Arithmetic
    switch operation {
    case .add, .subtract:
      let twice = 2 * Double(max(a.scale.scale, b.scale.scale))
      arithmetic = .sum(
        try node.factor(Double(a.scale.scale) / twice),
        try node.factor(Double(b.scale.scale) / twice), isDifference: operation == .subtract,
        try node.factor(twice / (Double(1 << raise) * Double(result.scale))))
    case .multiply:
      arithmetic = .product(
        try node.factor(Double(a.scale.scale * b.scale.scale / result.scale)))
    case .divide, .squaredDifference, .slope, .maximum, .minimum:
      throw node.unsupported("inputs of INT8, expected FLOAT32")
    }
    let clamp = try node.clamp(
      node.options(optionsType), field: TFLiteSchema.ArithmeticOptions.fusedActivationFunction)
    return .quantized(
      QuantizedBinaryStep(
        name: node.name, inputs: [a.tensor, b.tensor], outputShape: shape, arithmetic: arithmetic,
        range: result.range(clamp), loops: StridedLoops(over: shape, a.shape, b.shape)), result)
  }

  var summary: String { "\(name) INT8" }

  func run(_ memory: StepMemory) {
    let run = loops.run
    loops.forEachRun { start, first, second in
      let (a, b) = (memory.inputs[0] + first, memory.inputs[1] + second)
      for index in 0..<run.size {
        let value = result(Int(a[index * run.first]), Int(b[index * run.second]))
        memory.output[start + index] = Float(
          min(max(value, range.lowerBound), range.upperBound))
      }
    }
  }

  private func result(_ a: Int, _ b: Int) -> Int {
    switch arithmetic {
    case .sum(let ofA, let ofB, let isDifference, let factor):
      let (x, y) = (ofA.times(a << Self.raise), ofB.times(b << Self.raise))
      return factor.times(isDifference ? x - y : x + y)
    case .product(let factor): return factor.times(a * b)
    }
  }
}
