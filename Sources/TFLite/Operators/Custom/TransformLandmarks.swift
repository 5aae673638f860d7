import Tensor

/// TransformLandmarks, version 2: maps x and y of points by a 4×4 matrix and keeps a third coordinate.
struct TransformLandmarks: CustomOperator, Step {
  static let name = "TransformLandmarks"
  static let oldestVersion = 2
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let points = try node.floats(0, "points")
    let matrix = try node.floats(1, "matrix")
    guard points.shape.rank == 3, points.shape[0] == 1, 2...3 ~= points.shape[2],
      matrix.shape.dimensions == [1, 4, 4]
    else {
      throw node.unsupported(
        "points \(points.shape) and matrix \(matrix.shape), expected [1, n, 2 or 3] and [1, 4, 4]")
    }
    return .step(
      TransformLandmarks(inputs: [points.tensor, matrix.tensor], outputShape: points.shape))
  }

  var summary: String { TransformLandmarks.name }

  func run(_ memory: StepMemory) {
    let (points, m, output) = (memory.inputs[0], memory.inputs[1], memory.output)
    let dimensions = outputShape[2]
    for start in stride(from: 0, to: outputShape.count, by: dimensions) {
      let (x, y) = (points[start], points[start + 1])
      output[start] = x * m[0] + y * m[1] + m[3]
      output[start + 1] = x * m[4] + y * m[5] + m[7]
      if dimensions == 3 { output[start + 2] = points[start + 2] }
    }
  }
}
