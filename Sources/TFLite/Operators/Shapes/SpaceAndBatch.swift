import Tensor

/// SPACE_TO_BATCH_ND of images: pads them and deals their pixels to block x block images.
enum SpaceToBatch: Operator {
  static let name = "SPACE_TO_BATCH_ND"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    let (tensor, shape, block, margins) = try node.blocks("paddings")
    let input = try node.image(shape, "input")
    let (height, width) = (
      input.height + margins[0] + margins[1], input.width + margins[2] + margins[3]
    )
    guard height.isMultiple(of: block.height), width.isMultiple(of: block.width) else {
      throw node.corrupt(
        "\(height)x\(width) pixels in blocks of \(block.height)x\(block.width)")
    }
    let output = try node.shape([
      input.batch * block.height * block.width, height / block.height, width / block.width,
      input.channels,
    ])
    return try node.moving(
      SpaceBatchStep(
        name: name, inputs: [tensor], outputShape: output, space: shape, batch: output,
        block: block, top: margins[0], left: margins[2], isToBatch: true))
  }
}

/// BATCH_TO_SPACE_ND of images: joins block x block images pixel by pixel and crops the result.
enum BatchToSpace: Operator {
  static let name = "BATCH_TO_SPACE_ND"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    let (tensor, shape, block, margins) = try node.blocks("crops")
    let input = try node.image(shape, "input")
    guard input.batch.isMultiple(of: block.height * block.width) else {
      throw node.corrupt("\(input.batch) images in blocks of \(block.height)x\(block.width)")
    }
    let output = try node.shape([
      input.batch / (block.height * block.width),
      input.height * block.height - margins[0] - margins[1],
      input.width * block.width - margins[2] - margins[3], input.channels,
    ])
    return try node.moving(
      SpaceBatchStep(
        name: name, inputs: [tensor], outputShape: output, space: output, batch: shape,
        block: block, top: margins[0], left: margins[2], isToBatch: false))
  }
}

extension Node {
  /// The image, the block and the margins above, below, left and right.
  fileprivate func blocks(_ what: String) throws(ModelError) -> (
    tensor: Int, shape: Shape, block: (height: Int, width: Int), margins: [Int]
  ) {
    try expectInputs(3...3)
    let (tensor, shape) = try movable(0, "input")
    let block = try constantIntegers(1, "block")
    let margins = try constantIntegers(2, what)
    guard block.count == 2, block.allSatisfy({ 1...1024 ~= $0 }), margins.count == 4,
      margins.allSatisfy({ 0...16_384 ~= $0 })
    else {
      throw unsupported(
        "block \(block) and \(what) \(margins), expected 2 sizes from 1 to 1024 and 4 margins")
    }
    return (tensor, shape, (block[0], block[1]), margins)
  }
}

/// Pixels between an image and the images of its blocks.
struct SpaceBatchStep: Step {
  let name: String
  var inputs: [Int]
  let outputShape: Shape
  /// The image, and the images of its blocks.
  let space: Shape
  let batch: Shape
  let block: (height: Int, width: Int)
  let top: Int
  let left: Int
  let isToBatch: Bool

  var summary: String { name }

  func run(_ memory: StepMemory) {
    let channels = space[3]
    if isToBatch { memory.output.update(repeating: 0, count: outputShape.count) }
    for image in 0..<batch[0] {
      let (part, source) = image.quotientAndRemainder(dividingBy: space[0])
      for row in 0..<batch[1] {
        let y = row * block.height + part / block.width - top
        guard 0..<space[1] ~= y else { continue }
        for column in 0..<batch[2] {
          let x = column * block.width + part % block.width - left
          guard 0..<space[2] ~= x else { continue }
          let inBatch = ((image * batch[1] + row) * batch[2] + column) * channels
          let inSpace = ((source * space[1] + y) * space[2] + x) * channels
          (memory.output + (isToBatch ? inBatch : inSpace)).update(
            from: memory.inputs[0] + (isToBatch ? inSpace : inBatch), count: channels)
        }
      }
    }
  }
}
