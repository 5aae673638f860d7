import Tensor

/// RESIZE_BILINEAR with half-pixel centres.
struct ResizeBilinear: Operator, Step {
  static let name = "RESIZE_BILINEAR"
  static let newestVersion = 3

  var inputs: [Int]
  let outputShape: Shape
  let inputPixels: Int
  let resize: BilinearResize
  let kernels: Kernels

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let (tensor, shape) = try node.floats(0, "input")
    let input = try node.image(shape, "input")
    let options = try node.requiredOptions(.resizeBilinear)
    let alignsCorners = try options.flag(TFLiteSchema.ResizeBilinearOptions.alignCorners)
    let hasHalfPixelCentres = try options.flag(TFLiteSchema.ResizeBilinearOptions.halfPixelCenters)
    guard hasHalfPixelCentres, !alignsCorners else {
      throw node.unsupported(
        "align_corners \(alignsCorners) and half_pixel_centers \(hasHalfPixelCentres), "
          + "expected false and true")
    }
    let size = try node.sideLengths(1)
    let output = try node.shape([input.batch, size[0], size[1], input.channels])
    return .step(
      ResizeBilinear(
        inputs: [tensor], outputShape: output, inputPixels: input.height * input.width,
        resize: BilinearResize(
          from: (input.height, input.width), to: (output[1], output[2])),
        kernels: try node.kernels(for: output)))
  }

  var summary: String { "\(ResizeBilinear.name) \(kernels.name)" }

  func absorbing(residual tensor: Int, channels: Int) -> (any Step)? {
    inputs.count == 1 && channels == outputShape[3] ? changed { $0.inputs.append(tensor) } : nil
  }

  func run(_ memory: StepMemory) {
    let channels = outputShape[3]
    for image in 0..<outputShape[0] {
      let start = image * outputShape[1] * outputShape[2] * channels
      kernels.resize(
        memory.inputs[0] + image * inputPixels * channels, by: resize, channels: channels,
        residual: inputs.count > 1 ? memory.inputs[1] + start : nil, into: memory.output + start)
    }
  }
}
