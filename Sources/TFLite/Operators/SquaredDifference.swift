import Tensor

/// SQUARED_DIFFERENCE: (a − b)² of two tensors that broadcast to one shape.
enum SquaredDifference: Operator {
  static let name = "SQUARED_DIFFERENCE"
  static let code = 99
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try BinaryStep(node, .squaredDifference, optionsType: nil))
  }
}
