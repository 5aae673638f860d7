/// The element type of a tensor in a TFLite file.
enum ElementType: Sendable, Hashable, CustomStringConvertible {
  case float32, float16, int32, other(Int)

  init(code: Int) {
    self =
      switch code {
      case 0: .float32
      case 1: .float16
      case 2: .int32
      default: .other(code)
      }
  }

  /// Bytes of one element; nil for a type that the engine does not read.
  var size: Int? {
    switch self {
    case .float32, .int32: 4
    case .float16: 2
    case .other: nil
    }
  }

  private static let otherNames = [
    3: "UINT8", 4: "INT64", 5: "STRING", 6: "BOOL", 7: "INT16", 8: "COMPLEX64", 9: "INT8",
    10: "FLOAT64", 11: "COMPLEX128", 12: "UINT64", 13: "RESOURCE", 14: "VARIANT", 15: "UINT32",
    16: "UINT16", 17: "INT4", 18: "BFLOAT16",
  ]

  /// The schema's name.
  var description: String {
    switch self {
    case .float32: "FLOAT32"
    case .float16: "FLOAT16"
    case .int32: "INT32"
    case .other(let code): ElementType.otherNames[code] ?? "type \(code)"
    }
  }
}
