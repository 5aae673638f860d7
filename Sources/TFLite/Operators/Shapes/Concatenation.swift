import Tensor

/// CONCATENATION along one axis.
struct Concatenation: Operator, Step {
  static let name = "CONCATENATION"
  static let newestVersion = 2

  var inputs: [Int]
  let outputShape: Shape
  /// Floats that each input gives to one run of the output, and how many runs there are.
  let lengths: [Int]
  let runs: Int

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...256)
    let options = try node.requiredOptions(.concatenation)
    typealias Field = TFLiteSchema.ConcatenationOptions
    guard try node.clamp(options, field: Field.fusedActivationFunction) == .none else {
      throw node.unsupported("a fused activation, expected NONE")
    }
    var parts: [(tensor: Int, shape: Shape)] = []
    for input in node.inputs.indices { parts.append(try node.movable(input, "input")) }
    let rank = parts[0].shape.rank
    let asked = Int(try options.integer(Field.axis, default: Int32(0)))
    let axis = asked < 0 ? asked + rank : asked
    guard 0..<rank ~= axis else {
      throw node.corrupt("axis \(asked) of \(rank) dimensions")
    }
    var dimensions = parts[0].shape.dimensions
    dimensions[axis] = 0
    for part in parts {
      guard part.shape.rank == rank,
        (0..<rank).allSatisfy({ $0 == axis || part.shape[$0] == dimensions[$0] })
      else {
        throw node.corrupt("input \(part.shape) does not fit \(parts[0].shape) along axis \(axis)")
      }
      dimensions[axis] += part.shape[axis]
    }
    let shape = try node.shape(dimensions)
    let runs = dimensions[..<axis].reduce(1, *)
    return try node.moving(
      Concatenation(
        inputs: parts.map(\.tensor), outputShape: shape,
        lengths: parts.map { $0.shape.count / runs }, runs: runs))
  }

  var summary: String { Concatenation.name }

  func run(_ memory: StepMemory) {
    var output = memory.output
    for run in 0..<runs {
      for index in lengths.indices {
        let length = lengths[index]
        output.update(from: memory.inputs[index] + run * length, count: length)
        output += length
      }
    }
  }
}
