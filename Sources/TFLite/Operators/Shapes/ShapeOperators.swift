import Tensor

/// SHAPE: the sizes of a tensor, which are known at load.
enum ShapeOf: Operator {
  static let name = "SHAPE"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let (_, value) = try node.value(0, "input")
    return .constant(
      Constant(shape: try node.shape([value.shape.rank]), integers: value.shape.dimensions))
  }
}

/// PACK of INT32 constants without dimensions into a list.
enum Pack: Operator {
  static let name = "PACK"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...256)
    let axis = try node.options(.pack)?.integer(TFLiteSchema.PackOptions.axis, default: Int32(0))
    guard axis ?? 0 == 0 else { throw node.unsupported("axis \(axis ?? 0), expected 0") }
    var numbers: [Int] = []
    for input in node.inputs.indices {
      let integers = try node.constantIntegers(input, "input")
      guard integers.count == 1 else {
        throw node.unsupported("\(integers.count) numbers in an input, expected 1")
      }
      numbers += integers
    }
    return .constant(Constant(shape: try node.shape([numbers.count]), integers: numbers))
  }
}

/// SQUEEZE: the same elements without the dimensions of size 1 that are listed, or without any of size 1.
enum Squeeze: Operator {
  static let name = "SQUEEZE"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...1)
    let (tensor, shape) = try node.movable(0, "input")
    let asked =
      try node.options(.squeeze)?.integers(
        TFLiteSchema.SqueezeOptions.dimensions, of: Int32.self, maximumCount: 8) ?? []
    let axes = Set(asked.map { $0 < 0 ? Int($0) + shape.rank : Int($0) })
    guard axes.allSatisfy({ 0..<shape.rank ~= $0 && shape[$0] == 1 }) else {
      throw node.corrupt("dimensions \(asked) of \(shape), expected those of size 1")
    }
    let kept = shape.dimensions.indices.filter {
      axes.isEmpty ? shape[$0] != 1 : !axes.contains($0)
    }
    return .alias(of: tensor, shape: try node.shape(kept.map { shape[$0] }))
  }
}

/// EXPAND_DIMS: the same elements with another dimension of size 1.
enum ExpandDims: Operator {
  static let name = "EXPAND_DIMS"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(2...2)
    let (tensor, shape) = try node.movable(0, "input")
    let asked = try node.constantIntegers(1, "axis")
    guard asked.count == 1, let axis = asked.first.map({ $0 < 0 ? $0 + shape.rank + 1 : $0 }),
      0...shape.rank ~= axis, shape.rank < 8
    else { throw node.corrupt("axis \(asked) of input \(shape)") }
    var dimensions = shape.dimensions
    dimensions.insert(1, at: axis)
    return .alias(of: tensor, shape: try node.shape(dimensions))
  }
}
