/// A value that files state as `null` where there is none, and that readers refuse to find left out.
///
/// Public, because the compiler specialises no `package` code for other modules, and measurements are made by the million.
@propertyWrapper
public struct Nullable<Value: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
  /// The value, or nil.
  public var wrappedValue: Value?

  /// Wraps a value or its absence.
  @inlinable public init(wrappedValue: Value?) {
    self.wrappedValue = wrappedValue
  }

  /// Reads the value or an explicit null.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
  }

  /// Writes the value, or an explicit null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue {
      try container.encode(wrappedValue)
    } else {
      try container.encodeNil()
    }
  }
}
