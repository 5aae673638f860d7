import Tensor

/// DEPTH_TO_SPACE: turns the channels of one pixel into block x block pixels.
struct DepthToSpace: Operator, Step {
  static let name = "DEPTH_TO_SPACE"

  var inputs: [Int]
  let outputShape: Shape
  let block: Int

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let (tensor, shape) = try node.movable(0, "input")
    let input = try node.image(shape, "input")
    let options = try node.requiredOptions(.depthToSpace)
    let block = Int(
      try options.integer(TFLiteSchema.DepthToSpaceOptions.blockSize, default: Int32(0)))
    guard 1...1024 ~= block, input.channels.isMultiple(of: block * block) else {
      throw node.corrupt("block size \(block) does not divide \(input.channels) channels")
    }
    let output = try node.shape([
      input.batch, input.height * block, input.width * block, input.channels / block / block,
    ])
    return try node.moving(DepthToSpace(inputs: [tensor], outputShape: output, block: block))
  }

  var summary: String { DepthToSpace.name }

  func run(_ memory: StepMemory) {
    let run = block * outputShape[3]
    let width = outputShape[2] / block
    var output = memory.output
    for row in 0..<outputShape[0] * outputShape[1] {
      let part = row % block
      let line = memory.inputs[0] + row / block * width * block * run
      for x in 0..<width {
        output.update(from: line + (x * block + part) * run, count: run)
        output += run
      }
    }
  }
}
