import Tensor

/// SUM over the dimensions that a constant lists, kept with size 1 or dropped.
enum Sum: Operator {
  static let name = "SUM"
  static let code = 74
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try ReductionStep(node, isMean: false))
  }
}
