import Tensor

/// MEAN over the dimensions that a constant lists, kept with size 1 or dropped.
enum Mean: Operator {
  static let name = "MEAN"
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try ReductionStep(node, isMean: true))
  }
}

/// SUM over the dimensions that a constant lists, kept with size 1 or dropped.
enum Sum: Operator {
  static let name = "SUM"
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try ReductionStep(node, isMean: false))
  }
}
