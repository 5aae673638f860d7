/// The element type of a tensor in a TFLite file.
enum ElementType: Sendable, Hashable, CustomStringConvertible {
  case float32, float16, int32, int8, other(Int)

  init(code: Int) {
    self =
      switch TFLiteSchema.TensorType(rawValue: code) {
      case .float32?: .float32
      case .float16?: .float16
      case .int32?: .int32
      case .int8?: .int8
      default: .other(code)
      }
  }

  /// Bytes of one element; nil for a type that the engine does not read.
  var size: Int? {
    switch self {
    case .float32, .int32: 4
    case .float16: 2
    case .int8: 1
    case .other: nil
    }
  }

  /// The schema's name.
  var description: String {
    switch self {
    case .float32: TFLiteSchema.TensorType.float32.name
    case .float16: TFLiteSchema.TensorType.float16.name
    case .int32: TFLiteSchema.TensorType.int32.name
    case .int8: TFLiteSchema.TensorType.int8.name
    case .other(let code): TFLiteSchema.TensorType(rawValue: code)?.name ?? "type \(code)"
    }
  }
}
