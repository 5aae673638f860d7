import Tensor

/// RESHAPE: the same elements under another shape, without a copy.
enum Reshape: Operator {
  static let name = "RESHAPE"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    try node.expectInputs(1...2)
    let (tensor, shape) = try node.movable(0, "input")
    var dimensions = node.declaredShape.dimensions
    if node.inputs.count == 2 {
      dimensions = try node.constantIntegers(1, "shape")
    } else if let asked = try node.options(.reshape)?.integers(
      TFLiteSchema.ReshapeOptions.newShape, of: Int32.self, maximumCount: 8)
    {
      dimensions = asked.map(Int.init)
    }
    let free = dimensions.indices.filter { dimensions[$0] == -1 }
    if let axis = free.first, free.count == 1,
      let rest = Shape(dimensions.filter { $0 != -1 }), shape.count.isMultiple(of: rest.count)
    {
      dimensions[axis] = shape.count / rest.count
    }
    guard let result = Shape(dimensions), result.count == shape.count else {
      throw node.corrupt("\(shape) cannot become \(dimensions)")
    }
    return .alias(of: tensor, shape: result)
  }
}
