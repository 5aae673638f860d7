import Tensor

/// TRANSPOSE by a constant permutation of the dimensions.
enum Transpose: Operator {
  static let name = "TRANSPOSE"
  static let newestVersion = 4

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let (tensor, shape) = try node.movable(0, "input")
    let permutation = try node.constantIntegers(1, "permutation")
    guard permutation.sorted() == Array(0..<shape.rank) else {
      throw node.corrupt(
        "permutation \(permutation) of input \(shape), expected each of 0 ..< \(shape.rank) once")
    }
    let sizes = permutation.map { shape[$0] }
    let strides = shape.strides
    let result = try node.shape(sizes)
    let step = try StridedCopyStep(
      node, of: tensor, from: 0, sizes: sizes, strides: permutation.map { strides[$0] },
      shape: result)
    return step.isIdentity(ofCount: shape.count)
      ? .alias(of: tensor, shape: result) : try node.moving(step)
  }
}
