import Tensor

/// Real numbers as q − zero point.
struct QuantizeStep: Step {
  var inputs: [Int]
  let outputShape: Shape
  let scale: TensorScale

  var summary: String { Quantize.name }

  func run(_ memory: StepMemory) {
    for index in 0..<outputShape.count {
      memory.output[index] = scale.centered(memory.inputs[0][index])
    }
  }
}

/// q − zero point as real numbers.
struct DequantizeStep: Step {
  var inputs: [Int]
  let outputShape: Shape
  let scale: Float

  var summary: String { Dequantize.name }

  func run(_ memory: StepMemory) {
    for index in 0..<outputShape.count {
      memory.output[index] = scale * memory.inputs[0][index]
    }
  }
}

/// A function of quantised numbers, one by one.
struct LookupStep: Step {
  let name: String
  var inputs: [Int]
  let outputShape: Shape
  /// The smallest q − zero point, that of the first result in the table.
  let low: Int
  let table: FloatStorage

  var summary: String { "\(name) INT8" }

  func run(_ memory: StepMemory) {
    let from = table.pointer
    for index in 0..<outputShape.count {
      memory.output[index] = from[Int(memory.inputs[0][index]) - low]
    }
  }
}
