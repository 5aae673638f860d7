internal import Foundation
import Tensor

/// SOFTMAX over the last dimension: e^(β · x), over the sum of these.
struct Softmax: Operator, Step {
  static let name = "SOFTMAX"
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape
  let beta: Float
  /// The exponential of each difference from the greatest INT8 number, and the output's scale; nil for floats.
  let quantized: (exponentials: FloatStorage, scale: TensorScale)?

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let options = try node.requiredOptions(.softmax)
    let beta = try options.float(TFLiteSchema.SoftmaxOptions.beta, default: 0)
    guard beta.isFinite else { throw node.corrupt("beta \(beta), expected a finite number") }
    guard node.isQuantized(0) else {
      let (tensor, shape) = try node.floats(0, "input")
      return .step(
        Softmax(inputs: [tensor], outputShape: shape, beta: beta, quantized: nil))
    }
    let (tensor, shape, scale) = try node.quantized(0, "input")
    let result = try node.outputScale()
    let factor = -scale.scale * beta
    let exponentials = FloatStorage((0..<256).map { expf(factor * Float($0)) })
    return .quantized(
      Softmax(
        inputs: [tensor], outputShape: shape, beta: beta, quantized: (exponentials, result)),
      result)
  }

  var summary: String { Softmax.name }

  func run(_ memory: StepMemory) {
    let depth = outputShape.dimensions.last ?? 1
    for start in stride(from: 0, to: outputShape.count, by: depth) {
      let (row, output) = (memory.inputs[0] + start, memory.output + start)
      var greatest = row[0]
      for index in 0..<depth { greatest = max(greatest, row[index]) }
      var sum: Float = 0
      if let (exponentials, scale) = quantized {
        for index in 0..<depth { sum += exponentials.pointer[Int(greatest - row[index])] }
        let inverse = 1 / (sum * scale.scale)
        for index in 0..<depth {
          let share = exponentials.pointer[Int(greatest - row[index])] * inverse
          // What is not a number becomes the lowest.
          let rounded = max(Float(scale.low), (share + 0.5).rounded(.down))
          output[index] = min(rounded, Float(scale.high))
        }
      } else {
        for index in 0..<depth {
          output[index] = expf((row[index] - greatest) * beta)
          sum += output[index]
        }
        for index in 0..<depth { output[index] /= sum }
      }
    }
  }
}
