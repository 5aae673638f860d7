import Tensor

/// TransformTensorBilinear, version 2: samples an image at positions that a 4×4 matrix gives for output pixels.
///
/// Pixels have their centres at halves, in the output and in the image. A sample outside the centres of the
/// image's border pixels is 0.
struct TransformTensorBilinear: CustomOperator, Step {
  static let name = "TransformTensorBilinear"
  static let oldestVersion = 2
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape
  let inputHeight, inputWidth: Int

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let (tensor, shape) = try node.floats(0, "input")
    let input = try node.image(shape, "input")
    let matrix = try node.floats(1, "matrix")
    let sides = 1...16_384
    guard input.batch == 1, sides ~= input.height, sides ~= input.width,
      matrix.shape.dimensions == [1, 4, 4]
    else {
      throw node.unsupported(
        "input \(shape) and matrix \(matrix.shape), expected one image of at most 16384 pixels per "
          + "side and [1, 4, 4]")
    }
    let options = try node.customMap()
    let height = try options.integer("output_height", in: sides)
    let width = try options.integer("output_width", in: sides)
    return .step(
      TransformTensorBilinear(
        inputs: [tensor, matrix.tensor],
        outputShape: try node.shape([1, height, width, input.channels]),
        inputHeight: input.height, inputWidth: input.width))
  }

  var summary: String { TransformTensorBilinear.name }

  func run(_ memory: StepMemory) {
    let (height, width, channels) = (outputShape[1], outputShape[2], outputShape[3])
    let x = Row(memory.inputs[1])
    let y = Row(memory.inputs[1] + 4)
    var output = memory.output
    for row in 0..<height {
      for column in 0..<width {
        let across = x.position(column, row)
        let down = y.position(column, row)
        if across >= 0, across <= Float(inputWidth - 1), down >= 0, down <= Float(inputHeight - 1) {
          sample(memory.inputs[0], across, down, channels, into: output)
        } else {
          output.update(repeating: 0, count: channels)
        }
        output += channels
      }
    }
  }

  /// One row of the matrix, shifted from corners to pixel centres.
  private struct Row {
    let a, b, shift: Float

    init(_ row: UnsafePointer<Float>) {
      (a, b) = (row[0], row[1])
      shift = Float(Double(row[3]) + (Double(a) * 0.5 + Double(b) * 0.5 - 0.5))
    }

    func position(_ column: Int, _ row: Int) -> Float {
      a * Float(column) + b * Float(row) + shift
    }
  }

  /// Blends four pixels like MediaPipe, with weights of double precision for the near ones.
  private func sample(
    _ image: UnsafePointer<Float>, _ x: Float, _ y: Float, _ channels: Int,
    into output: UnsafeMutablePointer<Float>
  ) {
    let (left, top) = (Int(x), Int(y))
    // A neighbour beyond the last pixel has weight 0; the last pixel is read instead.
    let right = min(left + 1, inputWidth - 1)
    let upper = image + top * inputWidth * channels
    let lower = image + min(top + 1, inputHeight - 1) * inputWidth * channels
    let (fx, fy) = (x - Float(left), y - Float(top))
    let (gx, gy) = (1 - Double(fx), 1 - Double(fy))
    var channel = 0
    while channel + 4 <= channels {
      func four(_ row: UnsafePointer<Float>, _ column: Int) -> SIMD4<Float> {
        UnsafeRawPointer(row + column * channels + channel).loadUnaligned(as: SIMD4<Float>.self)
      }
      func blend(_ row: UnsafePointer<Float>) -> SIMD4<Float> {
        SIMD4(gx * SIMD4<Double>(four(row, left)) + SIMD4<Double>(fx * four(row, right)))
      }
      let sum = SIMD4<Float>(
        SIMD4<Double>(fy * blend(lower)) + gy * SIMD4<Double>(blend(upper)))
      UnsafeMutableRawPointer(output + channel).storeBytes(of: sum, as: SIMD4<Float>.self)
      channel += 4
    }
    while channel < channels {
      func blend(_ row: UnsafePointer<Float>) -> Float {
        Float(
          gx * Double(row[left * channels + channel])
            + Double(fx * row[right * channels + channel]))
      }
      output[channel] = Float(Double(fy * blend(lower)) + gy * Double(blend(upper)))
      channel += 1
    }
  }
}
