import Tensor

/// PRELU: x where x ≥ 0, else x times a slope that broadcasts to x.
enum Prelu: Operator {
  static let name = "PRELU"
  static let newestVersion = 1

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    let step = try BinaryStep(node, .slope, optionsType: nil)
    guard step.outputShape == step.inputShapes[0] else {
      throw node.corrupt(
        "slopes \(step.inputShapes[1]) do not broadcast to input \(step.inputShapes[0])")
    }
    return .step(step)
  }
}
