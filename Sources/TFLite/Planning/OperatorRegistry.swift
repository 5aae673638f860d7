/// Every operator that the engine runs.
package enum OperatorRegistry {
  /// One line per operator.
  package static let all: [any Operator.Type] = [
    Add.self,
    Concatenation.self,
    Conv2D.self,
    Densify.self,
    DepthToSpace.self,
    DepthwiseConv2D.self,
    Dequantize.self,
    Div.self,
    Landmarks2TransformMatrix.self,
    Logistic.self,
    MaxPool2D.self,
    Mean.self,
    Mul.self,
    Neg.self,
    Pad.self,
    Prelu.self,
    Relu.self,
    Reshape.self,
    ResizeBilinear.self,
    Rsqrt.self,
    Sqrt.self,
    SquaredDifference.self,
    StridedSlice.self,
    Sub.self,
    Sum.self,
    TransformLandmarks.self,
    TransformTensorBilinear.self,
    Transpose.self,
  ]

  static func find(_ code: ModelFile.OperatorCode) -> (any Operator.Type)? {
    let builtin = TFLiteSchema.BuiltinOperator.name(code.builtin)
    let isCustom = builtin == TFLiteSchema.BuiltinOperator.custom
    let name = isCustom ? code.custom : builtin
    return all.first { $0.name == name && ($0 is any CustomOperator.Type) == isCustom }
  }
}
