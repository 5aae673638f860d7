/// Every operator that the engine runs.
package enum OperatorRegistry {
  /// One line per operator.
  package static let all: [any Operator.Type] = [
    Add.self,
    AveragePool2D.self,
    BatchToSpace.self,
    Concatenation.self,
    Conv2D.self,
    Densify.self,
    DepthToSpace.self,
    DepthwiseConv2D.self,
    Dequantize.self,
    Div.self,
    Exp.self,
    ExpandDims.self,
    FullyConnected.self,
    HardSwish.self,
    Landmarks2TransformMatrix.self,
    LeakyRelu.self,
    Logistic.self,
    MaxPool2D.self,
    Maximum.self,
    Mean.self,
    Minimum.self,
    Mul.self,
    Neg.self,
    Pack.self,
    Pad.self,
    Prelu.self,
    Quantize.self,
    ReduceMax.self,
    Relu.self,
    Relu6.self,
    Reshape.self,
    ResizeBilinear.self,
    ResizeNearestNeighbor.self,
    Rsqrt.self,
    ShapeOf.self,
    Softmax.self,
    SpaceToBatch.self,
    Sqrt.self,
    SquaredDifference.self,
    Squeeze.self,
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
