/// Every operator that the engine runs.
package enum OperatorRegistry {
  /// One line an operator.
  package static let all: [any Operator.Type] = [
    Add.self,
    Concatenation.self,
    Conv2D.self,
    Densify.self,
    DepthToSpace.self,
    DepthwiseConv2D.self,
    Dequantize.self,
    MaxPool2D.self,
    Pad.self,
    Relu.self,
    Reshape.self,
    ResizeBilinear.self,
  ]

  static func find(code: Int) -> (any Operator.Type)? { all.first { $0.code == code } }
}
