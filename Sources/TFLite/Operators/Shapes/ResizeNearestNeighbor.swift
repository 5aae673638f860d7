import Tensor

/// RESIZE_NEAREST_NEIGHBOR of images.
struct ResizeNearestNeighbor: Operator, Step {
  static let name = "RESIZE_NEAREST_NEIGHBOR"
  static let newestVersion = 4

  var inputs: [Int]
  let outputShape: Shape
  let inputShape: Shape
  /// The input's row of each row of the output, and its column of each column.
  let rows: [Int]
  let columns: [Int]

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let (tensor, shape) = try node.movable(0, "input")
    let input = try node.image(shape, "input")
    let options = try node.options(.resizeNearestNeighbor)
    typealias Field = TFLiteSchema.ResizeNearestNeighborOptions
    let alignsCorners = try options?.flag(Field.alignCorners) ?? false
    let hasHalfPixelCentres = try options?.flag(Field.halfPixelCenters) ?? false
    let size = try node.sideLengths(1)
    func sources(_ count: Int, of limit: Int) -> [Int] {
      let scale =
        alignsCorners && count > 1
        ? Float(limit - 1) / Float(count - 1) : Float(limit) / Float(count)
      return (0..<count).map { index in
        let position = (Float(index) + (hasHalfPixelCentres ? 0.5 : 0)) * scale
        let nearest = position.rounded(alignsCorners ? .toNearestOrAwayFromZero : .down)
        return min(Int(nearest), limit - 1)
      }
    }
    return try node.moving(
      ResizeNearestNeighbor(
        inputs: [tensor],
        outputShape: try node.shape([input.batch, size[0], size[1], input.channels]),
        inputShape: shape, rows: sources(size[0], of: input.height),
        columns: sources(size[1], of: input.width)))
  }

  var summary: String { ResizeNearestNeighbor.name }

  func run(_ memory: StepMemory) {
    let channels = outputShape[3]
    var output = memory.output
    for image in 0..<outputShape[0] {
      for row in rows {
        for column in columns {
          let from = ((image * inputShape[1] + row) * inputShape[2] + column) * channels
          output.update(from: memory.inputs[0] + from, count: channels)
          output += channels
        }
      }
    }
  }
}
