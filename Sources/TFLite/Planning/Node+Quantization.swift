import Tensor

extension Node {
  /// The scale and zero point that the file gives an INT8 output.
  func outputScale() throws(ModelError) -> TensorScale {
    guard declaredType == .int8 else {
      throw unsupported("output of \(declaredType) from inputs of INT8, expected INT8")
    }
    let quantization = try Quantization(
      declaredQuantization, shape: declaredShape, "\(position): output")
    guard let scale = quantization.whole else {
      throw unsupported("output with \(quantization.scales.count) scales, expected 1")
    }
    return scale
  }

  /// Whether an input is of INT8, computed or constant.
  func isQuantized(_ input: Int) -> Bool {
    values.indices.contains(input) && values[input]?.type == .int8
  }

  /// An input of INT8 with one scale.
  func quantized(
    _ input: Int, _ what: String
  ) throws(ModelError) -> (tensor: Int, shape: Shape, scale: TensorScale) {
    let (tensor, value) = try value(input, what)
    guard let scale = value.scale else {
      throw unsupported("\(what) of \(value.type), expected INT8 with one scale")
    }
    return (tensor, value.shape, scale)
  }

  /// An input whose elements are only moved: floats, or INT8 with the output's scale and zero point.
  func movable(_ input: Int, _ what: String) throws(ModelError) -> (tensor: Int, shape: Shape) {
    guard declaredType == .int8 else { return try floats(input, what) }
    let (tensor, shape, scale) = try quantized(input, what)
    let result = try outputScale()
    guard scale == result else {
      throw unsupported("\(what) with \(scale), expected those of the output, \(result)")
    }
    return (tensor, shape)
  }

  /// A step that only moves elements of `movable` inputs.
  func moving(_ step: any Step) throws(ModelError) -> Lowering {
    declaredType == .int8 ? .quantized(step, try outputScale()) : .step(step)
  }

  /// A fixed-point factor for a real one.
  func factor(_ real: Double) throws(ModelError) -> FixedPointFactor {
    guard let factor = FixedPointFactor(real) else {
      throw unsupported("scales that give a factor of \(real), expected 0 to 2^30")
    }
    return factor
  }

  /// A function of each INT8 element of the first input.
  func lookup(_ value: (_ centered: Int, TensorScale, TensorScale) -> Int) throws(ModelError)
    -> Lowering
  {
    let (tensor, shape, scale) = try quantized(0, "input")
    let result = try outputScale()
    let table = (scale.low...scale.high).map { centered in
      Float(min(max(value(centered, scale, result), result.low), result.high))
    }
    return .quantized(
      LookupStep(
        name: name, inputs: [tensor], outputShape: shape, low: scale.low,
        table: FloatStorage(table)), result)
  }

  /// A function of each INT8 element of the first input by the real number that it stands for.
  func lookup(real function: (Float) -> Float) throws(ModelError) -> Lowering {
    try lookup { Int($2.centered(function($1.scale * Float($0)))) }
  }
}
