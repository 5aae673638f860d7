import Tensor

/// MEAN over the dimensions that a constant lists, kept with size 1 or dropped.
enum Mean: Operator {
  static let name = "MEAN"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try ReductionStep.lower(node, .mean)
  }
}

/// SUM over the dimensions that a constant lists, kept with size 1 or dropped.
enum Sum: Operator {
  static let name = "SUM"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try ReductionStep.lower(node, .sum)
  }
}

/// REDUCE_MAX over the dimensions that a constant lists, kept with size 1 or dropped.
enum ReduceMax: Operator {
  static let name = "REDUCE_MAX"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try ReductionStep.lower(node, .maximum)
  }
}
