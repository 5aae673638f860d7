import Tensor

/// ADD of two tensors that broadcast to one shape, with a fused activation.
enum Add: Operator {
  static let name = "ADD"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    node.isQuantized(0)
      ? try QuantizedBinaryStep.lower(node, .add, optionsType: .add)
      : .step(try BinaryStep(node, .add, optionsType: .add))
  }
}

/// SUB of two tensors that broadcast to one shape, with a fused activation.
enum Sub: Operator {
  static let name = "SUB"
  static let newestVersion = 3

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    node.isQuantized(0)
      ? try QuantizedBinaryStep.lower(node, .subtract, optionsType: .sub)
      : .step(try BinaryStep(node, .subtract, optionsType: .sub))
  }
}

/// MUL of two tensors that broadcast to one shape, with a fused activation.
enum Mul: Operator {
  static let name = "MUL"
  static let newestVersion = 3

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    node.isQuantized(0)
      ? try QuantizedBinaryStep.lower(node, .multiply, optionsType: .mul)
      : .step(try BinaryStep(node, .multiply, optionsType: .mul))
  }
}

/// DIV of two tensors that broadcast to one shape, with a fused activation.
enum Div: Operator {
  static let name = "DIV"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try BinaryStep(node, .divide, optionsType: .div))
  }
}

/// SQUARED_DIFFERENCE: (a − b)² of two tensors that broadcast to one shape.
enum SquaredDifference: Operator {
  static let name = "SQUARED_DIFFERENCE"
  static let newestVersion = 2

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try BinaryStep(node, .squaredDifference, optionsType: nil))
  }
}

/// MAXIMUM of two tensors that broadcast to one shape.
enum Maximum: Operator {
  static let name = "MAXIMUM"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try BinaryStep(node, .maximum, optionsType: nil))
  }
}

/// MINIMUM of two tensors that broadcast to one shape.
enum Minimum: Operator {
  static let name = "MINIMUM"

  static func lower(_ node: Node) throws(ModelError) -> Lowering {
    .step(try BinaryStep(node, .minimum, optionsType: nil))
  }
}
