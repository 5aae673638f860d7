import Tensor

/// AVERAGE_POOL_2D over the window's pixels inside the input, with a fused activation.
struct AveragePool2D: Operator, Step {
  static let name = "AVERAGE_POOL_2D"
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape
  let window: Window
  let clamp: Clamp
  /// The scale of INT8 numbers and their range; nil for floats.
  let quantized: (scale: TensorScale, range: ClosedRange<Int>)?

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    let (tensor, window, output, options) = try node.pool()
    let clamp = try node.clamp(
      options, field: TFLiteSchema.Pool2DOptions.fusedActivationFunction)
    let scale = node.isQuantized(0) ? try node.outputScale() : nil
    if let scale {
      let count =
        min(window.kernelHeight, window.inputHeight) * min(window.kernelWidth, window.inputWidth)
      guard count * scale.magnitude <= QuantizedProductStep.exactLimit else {
        throw node.unsupported("a mean of \(count) numbers, expected fewer")
      }
    }
    return try node.moving(
      AveragePool2D(
        inputs: [tensor], outputShape: output, window: window, clamp: clamp,
        quantized: scale.map { ($0, $0.range(clamp)) }))
  }

  var summary: String { AveragePool2D.name }

  func run(_ memory: StepMemory) {
    let channels = outputShape[3]
    var output = memory.output
    for image in 0..<outputShape[0] {
      let input = memory.inputs[0] + image * window.inputHeight * window.inputWidth * channels
      for y in 0..<window.outputHeight {
        let rows = covered(
          y * window.strideHeight - window.padding.top, window.kernelHeight, window.inputHeight)
        for x in 0..<window.outputWidth {
          let columns = covered(
            x * window.strideWidth - window.padding.left, window.kernelWidth, window.inputWidth)
          output.update(repeating: 0, count: channels)
          for row in rows {
            for column in columns {
              let from = input + (row * window.inputWidth + column) * channels
              for channel in 0..<channels { output[channel] += from[channel] }
            }
          }
          finish(output, count: rows.count * columns.count, channels: channels)
          output += channels
        }
      }
    }
  }

  private func covered(_ start: Int, _ size: Int, _ limit: Int) -> Range<Int> {
    let first = min(max(start, 0), limit)
    return first..<max(min(start + size, limit), first)
  }

  private func finish(_ sums: UnsafeMutablePointer<Float>, count: Int, channels: Int) {
    let count = max(count, 1)
    guard let (scale, range) = quantized else {
      for channel in 0..<channels {
        sums[channel] = min(max(sums[channel] / Float(count), clamp.low), clamp.high)
      }
      return
    }
    // TFLite averages q, not q − zero point, and rounds halves away from zero.
    for channel in 0..<channels {
      let sum = Int(sums[channel]) + count * scale.zeroPoint
      let mean = (sum + (sum > 0 ? count / 2 : -(count / 2))) / count - scale.zeroPoint
      sums[channel] = Float(min(max(mean, range.lowerBound), range.upperBound))
    }
  }
}
