import Tensor

/// State of a tensor while the graph is read in order.
enum Value: Sendable {
  /// Floats computed when the model runs.
  case activation(Shape)
  /// Quantised numbers computed when the model runs, as q − zero point.
  case quantized(Shape, TensorScale)
  /// Known at load.
  case constant(Constant)

  var shape: Shape {
    switch self {
    case .activation(let shape), .quantized(let shape, _): shape
    case .constant(let constant): constant.shape
    }
  }

  /// FLOAT32, INT8 or the type of a constant.
  var type: ElementType {
    switch self {
    case .activation: .float32
    case .quantized: .int8
    case .constant(let constant): constant.type
    }
  }

  /// The scale of an INT8 tensor that has one; nil for others.
  var scale: TensorScale? {
    switch self {
    case .activation: nil
    case .quantized(_, let scale): scale
    case .constant(let constant): constant.quantization?.whole
    }
  }
}

/// One operator of the file with its inputs' shapes and constants, for an `Operator` to validate.
package struct Node {
  let index: Int
  let name: String
  /// Tensor numbers; nil if an optional input is left out.
  let inputs: [Int?]
  let output: Int
  /// The shape that the file gives the output.
  let declaredShape: Shape
  let declaredType: ElementType
  /// The output's parameters in the file, unread.
  let declaredQuantization: FlatTable?
  let options: FlatTable?
  let optionsType: Int
  /// The options of a custom operator, in a format of its own; empty if the node has none.
  let customOptions: ArraySlice<UInt8>
  /// State of each input, in the order of `inputs`.
  let values: [Value?]
  let kernels: KernelChoice

  var position: String { "node \(index) \(name)" }

  func corrupt(_ message: String) -> ModelError {
    ModelError(.corrupt, "\(position): \(message)", byteOffset: options?.position)
  }

  func unsupported(_ message: String) -> ModelError {
    ModelError(.unsupported, "\(position): \(message)", byteOffset: options?.position)
  }

  func expectInputs(_ range: ClosedRange<Int>) throws(ModelError) {
    guard range.contains(inputs.count) else {
      throw corrupt("\(inputs.count) inputs, expected \(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// The options table of the given union type; nil if the node has none.
  func options(_ type: TFLiteSchema.BuiltinOptions) throws(ModelError) -> FlatTable? {
    guard let options else { return nil }
    guard optionsType == type.rawValue else {
      throw corrupt("options of type \(optionsType), expected \(type.rawValue)")
    }
    return options
  }

  /// The options table of the given union type.
  func requiredOptions(_ type: TFLiteSchema.BuiltinOptions) throws(ModelError) -> FlatTable {
    guard let table = try options(type) else { throw corrupt("no options") }
    return table
  }

  /// The options of a custom operator, a map in the FlexBuffer format.
  func customMap() throws(ModelError) -> FlexMap {
    try FlexMap(customOptions, of: position)
  }

  /// Whether an optional input is given.
  func hasInput(_ input: Int) -> Bool { inputs.indices.contains(input) && inputs[input] != nil }

  func value(_ input: Int, _ what: String) throws(ModelError) -> (tensor: Int, Value) {
    guard input < inputs.count, let tensor = inputs[input], let value = values[input] else {
      throw corrupt("no \(what), input \(input)")
    }
    return (tensor, value)
  }

  /// An input of floats, computed or constant.
  func floats(_ input: Int, _ what: String) throws(ModelError) -> (tensor: Int, shape: Shape) {
    let (tensor, value) = try value(input, what)
    if case .activation = value { return (tensor, value.shape) }
    guard case .constant(let constant) = value, constant.floats != nil else {
      throw unsupported("\(what) of \(value.type), expected dense FLOAT32")
    }
    return (tensor, value.shape)
  }

  /// An input known at load.
  func constant(_ input: Int, _ what: String) throws(ModelError) -> Constant {
    guard case .constant(let constant) = try value(input, what).1 else {
      throw unsupported("\(what) is computed when the model runs, expected a constant")
    }
    return constant
  }

  /// Dense floats known at load.
  func constantFloats(
    _ input: Int, _ what: String
  ) throws(ModelError) -> (tensor: Int, shape: Shape, values: FloatStorage) {
    let constant = try constant(input, what)
    guard let floats = constant.floats else {
      throw unsupported("\(what) of \(constant.type), expected dense FLOAT32")
    }
    return (try value(input, what).tensor, constant.shape, floats)
  }

  /// INT32 numbers known at load.
  func constantIntegers(_ input: Int, _ what: String) throws(ModelError) -> [Int] {
    let constant = try constant(input, what)
    guard let integers = constant.integers else {
      throw unsupported("\(what) of \(constant.type), expected INT32")
    }
    return integers
  }

  /// The height and width of a resized image, known at load.
  func sideLengths(_ input: Int) throws(ModelError) -> [Int] {
    let size = try constantIntegers(input, "size")
    guard size.count == 2, size.allSatisfy({ 1...16_384 ~= $0 }) else {
      throw corrupt("size \(size), expected 2 numbers from 1 to 16384")
    }
    return size
  }

  /// A fused activation, by the schema's number.
  func clamp(_ table: FlatTable?, field: Int) throws(ModelError) -> Clamp {
    let code = try table?.integer(field, default: Int8(0)) ?? 0
    switch TFLiteSchema.ActivationFunctionType(rawValue: code) {
    case .identity?: return .none
    case .relu?: return .relu
    case .reluN1To1?: return .reluN1To1
    case .relu6?: return .relu6
    case .tanh?, .signBit?, nil:
      throw unsupported(
        "fused activation \(code), expected NONE, RELU, RELU_N1_TO_1 or RELU6")
    }
  }

  /// An image's sizes from a [batch, height, width, channels] shape.
  func image(
    _ shape: Shape, _ what: String
  ) throws(ModelError) -> (batch: Int, height: Int, width: Int, channels: Int) {
    guard shape.rank == 4 else {
      throw unsupported("\(what) \(shape), expected 4 dimensions")
    }
    return (shape[0], shape[1], shape[2], shape[3])
  }

  func shape(_ dimensions: [Int]) throws(ModelError) -> Shape {
    guard let shape = Shape(dimensions) else {
      throw unsupported("output \(dimensions), expected sizes of 1 or more and at most 256 MiB")
    }
    return shape
  }

  /// The window of a convolution or pooling.
  func window(
    _ table: FlatTable, input: (height: Int, width: Int), kernel: (height: Int, width: Int)
  ) throws(ModelError) -> Window {
    typealias Field = TFLiteSchema.WindowOptions
    let padding = try table.integer(Field.padding, default: Int8(0))
    let width = Int(try table.integer(Field.strideWidth, default: Int32(0)))
    let height = Int(try table.integer(Field.strideHeight, default: Int32(0)))
    let limit = 1...65_536
    guard limit ~= width, limit ~= height, limit ~= kernel.height, limit ~= kernel.width else {
      throw unsupported(
        "kernel \(kernel.height)x\(kernel.width) with stride \(height)x\(width), expected 1 to 65536"
      )
    }
    var around = Window.Padding.none
    switch TFLiteSchema.Padding(rawValue: padding) {
    case .same?:
      (around.top, around.bottom) = Window.samePadding(
        size: input.height, kernel: kernel.height, stride: height)
      (around.left, around.right) = Window.samePadding(
        size: input.width, kernel: kernel.width, stride: width)
    case .valid?: break
    case nil: throw unsupported("padding \(padding), expected SAME or VALID")
    }
    guard
      let window = Window(
        input: input, kernel: kernel, stride: (height, width), padding: around)
    else {
      throw corrupt(
        "kernel \(kernel.height)x\(kernel.width) does not fit input \(input.height)x\(input.width)")
    }
    return window
  }

  /// The only input of a pool, the pool's window, and the shape of its output.
  func pool() throws(ModelError) -> (
    tensor: Int, window: Window, output: Shape, options: FlatTable
  ) {
    try expectInputs(1...1)
    let (tensor, shape) = try movable(0, "input")
    let input = try image(shape, "input")
    let options = try requiredOptions(.pool2D)
    typealias Field = TFLiteSchema.Pool2DOptions
    let width = Int(try options.integer(Field.filterWidth, default: Int32(0)))
    let height = Int(try options.integer(Field.filterHeight, default: Int32(0)))
    let window = try window(
      options, input: (input.height, input.width), kernel: (height, width))
    let output = try self.shape([
      input.batch, window.outputHeight, window.outputWidth, input.channels,
    ])
    return (tensor, window, output, options)
  }

  /// The weights of a window with the zeros of its dilation between them.
  func dilated(
    _ weights: ProductWeights, _ table: FlatTable, fields: (Int, Int)
  ) throws(ModelError) -> ProductWeights {
    let width = Int(try table.integer(fields.0, default: Int32(1)))
    let height = Int(try table.integer(fields.1, default: Int32(1)))
    _ = try image(weights.shape, "filter")
    guard 1...32 ~= width, 1...32 ~= height, weights.shape.count <= 1 << 20 || width * height == 1
    else {
      throw unsupported(
        "dilation \(height)x\(width) of filter \(weights.shape), expected 1 to 32 and at most 2^20 weights"
      )
    }
    return weights.dilated(height: height, width: width)
  }
}

extension Node {
  /// Kernels for work on a tensor's innermost elements.
  func kernels(for shape: Shape) throws(ModelError) -> Kernels {
    try kernels(forCount: shape.dimensions.last ?? 1)
  }

  /// Kernels for work on `count` elements in a row.
  func kernels(forCount count: Int) throws(ModelError) -> Kernels {
    try available(kernels.kernels(channels: count))
  }

  /// Kernels for a convolution or a pool over `channels`.
  func kernels(covering channels: Int) throws(ModelError) -> Kernels {
    try available(kernels.kernels(covering: channels))
  }

  private func available(_ kernels: Kernels?) throws(ModelError) -> Kernels {
    guard let kernels else { throw unsupported("kernels of a level that this CPU cannot run") }
    return kernels
  }

  /// The bias of a product; zeros where it is left out.
  func bias(_ input: Int, channels: Int) throws(ModelError) -> FloatStorage {
    guard hasInput(input) else { return FloatStorage(count: channels) { _ in } }
    let bias = try constantFloats(input, "bias")
    guard bias.values.count == channels else {
      throw corrupt("bias \(bias.shape), expected [\(channels)]")
    }
    return bias.values
  }
}
