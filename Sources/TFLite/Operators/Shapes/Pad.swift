import Tensor

/// PAD with zeros, up to four dimensions.
struct Pad: Operator, Step {
  static let name = "PAD"
  static let newestVersion = 2

  var inputs: [Int]
  let inputShape: Shape
  let outputShape: Shape
  let before: [Int]
  let after: [Int]

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let (tensor, shape) = try node.movable(0, "input")
    let amounts = try node.constantIntegers(1, "paddings")
    guard shape.rank <= 4 else {
      throw node.unsupported("input \(shape), expected at most 4 dimensions")
    }
    guard amounts.count == shape.rank * 2, amounts.allSatisfy({ 0...Shape.maximumCount ~= $0 })
    else {
      throw node.corrupt("paddings \(amounts), expected two of 0 or more for each of \(shape)")
    }
    let before = (0..<shape.rank).map { amounts[$0 * 2] }
    let after = (0..<shape.rank).map { amounts[$0 * 2 + 1] }
    let output = try node.shape((0..<shape.rank).map { before[$0] + shape[$0] + after[$0] })
    return try node.moving(
      Pad(
        inputs: [tensor], inputShape: shape, outputShape: output, before: before, after: after))
  }

  var summary: String { Pad.name }

  /// The padding, if only rows and columns of an image are padded.
  var spatialPadding: Window.Padding? {
    guard inputShape.rank == 4, inputShape[0] == outputShape[0], inputShape[3] == outputShape[3]
    else { return nil }
    return Window.Padding(top: before[1], bottom: after[1], left: before[2], right: after[2])
  }

  /// Whether zeros are only appended to the last dimension.
  var onlyExtendsChannels: Bool {
    before.allSatisfy { $0 == 0 } && after.dropLast().allSatisfy { $0 == 0 }
  }

  func run(_ memory: StepMemory) {
    memory.output.update(repeating: 0, count: outputShape.count)
    func axis(_ values: Shape, _ index: Int) -> Int {
      let own = index - (4 - values.rank)
      return own < 0 ? 1 : values[own]
    }
    func start(_ index: Int) -> Int {
      let own = index - (4 - before.count)
      return own < 0 ? 0 : before[own]
    }
    let length = axis(inputShape, 3)
    var input = memory.inputs[0]
    for a in 0..<axis(inputShape, 0) {
      for b in 0..<axis(inputShape, 1) {
        for c in 0..<axis(inputShape, 2) {
          let row = (a + start(0)) * axis(outputShape, 1) + b + start(1)
          let position = (row * axis(outputShape, 2) + c + start(2)) * axis(outputShape, 3)
          (memory.output + (position + start(3))).update(from: input, count: length)
          input += length
        }
      }
    }
  }
}
