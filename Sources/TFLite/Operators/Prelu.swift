import Tensor

/// PRELU: x where x ≥ 0, else x times a slope that broadcasts to x.
enum Prelu: Operator {
  static let name = "PRELU"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    guard !node.isQuantized(0) else { return try QuantizedPreluStep.lower(node) }
    let step = try BinaryStep(node, .slope, optionsType: nil)
    guard step.outputShape == step.inputShapes[0] else {
      throw node.corrupt(
        "slopes \(step.inputShapes[1]) do not broadcast to input \(step.inputShapes[0])")
    }
    return .step(step)
  }
}

/// PRELU of INT8 numbers, by TFLite's integer arithmetic.
private struct QuantizedPreluStep: Step {
  var inputs: [Int]
  let outputShape: Shape
  let identity: FixedPointFactor
  let sloped: FixedPointFactor
  let range: ClosedRange<Int>
  let loops: StridedLoops

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let x = try node.quantized(0, "input")
    let slope = try node.quantized(1, "slopes")
    let result = try node.outputScale()
    guard x.shape.broadcast(with: slope.shape) == x.shape else {
      throw node.corrupt("slopes \(slope.shape) do not broadcast to input \(x.shape)")
    }
    return .quantized(
      QuantizedPreluStep(
        inputs: [x.tensor, slope.tensor], outputShape: x.shape,
        identity: try node.factor(Double(x.scale.scale / result.scale)),
        sloped: try node.factor(Double(x.scale.scale * slope.scale.scale / result.scale)),
        range: result.range(.none), loops: StridedLoops(over: x.shape, x.shape, slope.shape)),
      result)
  }

  var summary: String { "\(Prelu.name) INT8" }

  func run(_ memory: StepMemory) {
    let run = loops.run
    loops.forEachRun { start, first, second in
      let (values, slopes) = (memory.inputs[0] + first, memory.inputs[1] + second)
      for index in 0..<run.size {
        let value = Int(values[index * run.first])
        let scaled =
          value >= 0
          ? identity.times(value) : sloped.times(value * Int(slopes[index * run.second]))
        memory.output[start + index] = Float(
          min(max(scaled, range.lowerBound), range.upperBound))
      }
    }
  }
}
