/// Untrusted FlexBuffer bytes; every read is checked and little-endian, at any alignment.
///
/// Offsets point backwards and are as wide as the vector that contains them.
struct FlexBuffer: Sendable {
  let bytes: ArraySlice<UInt8>
  /// Owner of the options, for error messages.
  let owner: String

  func corrupt(_ message: String, at position: Int) -> ModelError {
    ModelError(
      .corrupt, "\(owner): options: \(message) (at byte \(position) of their \(bytes.count))")
  }

  /// Fails unless `count` numbers of a width lie at a position.
  func check(_ position: Int, count: Int, width: Int, _ what: String) throws(ModelError) {
    guard position >= 0, position <= bytes.count, count >= 0,
      count <= (bytes.count - position) / width
    else {
      throw corrupt("\(what) of \(count) times \(width) bytes lies outside", at: position)
    }
  }

  func unsigned(at position: Int, width: Int) throws(ModelError) -> UInt64 {
    try check(position, count: 1, width: width, "a number")
    let first = bytes.startIndex + position
    return bytes[first..<first + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func signed(at position: Int, width: Int) throws(ModelError) -> Int {
    let unused = UInt64(64 - 8 * width)
    return Int(Int64(bitPattern: try unsigned(at: position, width: width) << unused) >> unused)
  }

  /// The size of a vector or a map, which precedes its first element.
  func size(of vector: Int, width: Int) throws(ModelError) -> Int {
    let size = try unsigned(at: vector - width, width: width)
    guard size <= UInt64(bytes.count) else {
      throw corrupt("a vector of \(size) elements", at: vector - width)
    }
    return Int(size)
  }

  /// The target of the offset at `position`.
  func target(at position: Int, width: Int) throws(ModelError) -> Int {
    let distance = try unsigned(at: position, width: width)
    guard distance <= UInt64(position) else {
      throw corrupt("an offset leads \(distance) bytes back, beyond the first", at: position)
    }
    return position - Int(distance)
  }

  /// The text from a position to the next zero byte, within 100 bytes.
  func key(at position: Int) throws(ModelError) -> String {
    let text = bytes.dropFirst(position).prefix(100).prefix { $0 != 0 }
    guard text.count < 100, text.endIndex < bytes.endIndex else {
      throw corrupt("a key without an end", at: position)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The map at the root of a FlexBuffer, for options that are numbers and lists of whole numbers.
package struct FlexMap: Sendable {
  private let buffer: FlexBuffer
  /// Bytes of a value that is stored inline.
  private let width: Int
  private let values: [String: Value]

  private struct Value {
    var position: Int
    /// The type, and in the two lowest bits the width of a reference's target.
    var packedType: UInt8
    var type: UInt8 { packedType >> FlexMap.widthBits }
    var width: Int { 1 << Int(packedType & FlexMap.widthMask) }
  }

  // Value types and their packing: FlatBuffers' `flexbuffers.h`, `Type` and `PackedType`.
  private static let (signed, unsigned, float) = (UInt8(1), UInt8(2), UInt8(3))
  private static let (map, signedVector, unsignedVector) = (UInt8(9), UInt8(11), UInt8(12))
  private static let (widthBits, widthMask) = (UInt8(2), UInt8(0x03))
  private static let widths = [1, 2, 4, 8]

  /// Maximum number of options of a map.
  static let maximumCount = 256

  /// Reads the keys; `owner` names the owner of the options in error messages.
  package init(_ bytes: ArraySlice<UInt8>, of owner: String) throws(ModelError) {
    buffer = FlexBuffer(bytes: bytes, owner: owner)
    let end = bytes.count
    let rootWidth = Int(try buffer.unsigned(at: end - 1, width: 1))
    guard FlexMap.widths.contains(rootWidth) else {
      throw buffer.corrupt("a root of \(rootWidth) bytes, expected 1, 2, 4 or 8", at: end - 1)
    }
    let root = Value(
      position: end - 2 - rootWidth,
      packedType: UInt8(truncatingIfNeeded: try buffer.unsigned(at: end - 2, width: 1)))
    guard root.type == FlexMap.map else {
      throw buffer.corrupt(
        "a root of type \(root.type), expected a map, \(FlexMap.map)", at: end - 2)
    }
    width = root.width
    let start = try buffer.target(at: root.position, width: rootWidth)
    let count = try buffer.size(of: start, width: width)
    guard count <= FlexMap.maximumCount else {
      throw ModelError(
        .unsupported, "\(owner): \(count) options, expected at most \(FlexMap.maximumCount)")
    }
    try buffer.check(start, count: count, width: width + 1, "a map")
    let keys = try buffer.target(at: start - 3 * width, width: width)
    let keyWidth = Int(clamping: try buffer.unsigned(at: start - 2 * width, width: width))
    guard FlexMap.widths.contains(keyWidth), try buffer.size(of: keys, width: keyWidth) == count
    else {
      throw buffer.corrupt("the map's keys do not fit its \(count) values", at: start)
    }
    var values: [String: Value] = [:]
    for index in 0..<count {
      let key = try buffer.key(at: buffer.target(at: keys + index * keyWidth, width: keyWidth))
      let type = try buffer.unsigned(at: start + count * width + index, width: 1)
      values[key] = Value(
        position: start + index * width, packedType: UInt8(truncatingIfNeeded: type))
    }
    self.values = values
  }

  private func value(_ key: String) throws(ModelError) -> Value {
    guard let value = values[key] else {
      throw ModelError(
        .corrupt, "\(buffer.owner): no option '\(key)' among \(values.count)")
    }
    return value
  }

  private func wrong(_ key: String, _ value: Value, _ expected: String) -> ModelError {
    ModelError(
      .unsupported, "\(buffer.owner): option '\(key)' of type \(value.type), expected \(expected)")
  }

  private func integer(
    _ key: String, at position: Int, width: Int, isSigned: Bool
  ) throws(ModelError) -> Int {
    if isSigned { return try buffer.signed(at: position, width: width) }
    let number = try buffer.unsigned(at: position, width: width)
    guard let number = Int(exactly: number) else {
      throw buffer.corrupt("option '\(key)' is \(number)", at: position)
    }
    return number
  }

  /// A whole number within a range; throws if it is absent, of another type or outside.
  package func integer(_ key: String, in range: ClosedRange<Int>) throws(ModelError) -> Int {
    let value = try value(key)
    guard value.type == FlexMap.signed || value.type == FlexMap.unsigned else {
      throw wrong(key, value, "a whole number")
    }
    let number = try integer(
      key, at: value.position, width: width, isSigned: value.type == FlexMap.signed)
    try check(number, key, range)
    return number
  }

  private func check(_ number: Int, _ key: String, _ range: ClosedRange<Int>) throws(ModelError) {
    guard range ~= number else {
      throw ModelError(
        .corrupt,
        "\(buffer.owner): option '\(key)' is \(number), expected \(range.lowerBound) to \(range.upperBound)"
      )
    }
  }

  /// A finite number; throws if it is absent or of another type.
  package func float(_ key: String) throws(ModelError) -> Float {
    let value = try value(key)
    let number: Float
    switch (value.type, width) {
    case (FlexMap.signed, _), (FlexMap.unsigned, _):
      number = Float(
        try integer(key, at: value.position, width: width, isSigned: value.type == FlexMap.signed))
    case (FlexMap.float, 4):
      number = Float(
        bitPattern: UInt32(truncatingIfNeeded: try buffer.unsigned(at: value.position, width: 4)))
    case (FlexMap.float, 8):
      number = Float(Double(bitPattern: try buffer.unsigned(at: value.position, width: 8)))
    default: throw wrong(key, value, "a number")
    }
    guard number.isFinite else {
      throw ModelError(
        .corrupt, "\(buffer.owner): option '\(key)' is \(number), expected a finite number")
    }
    return number
  }

  /// A list of whole numbers within a range; throws if it is absent, longer or of another type.
  package func integers(
    _ key: String, in range: ClosedRange<Int>, maximumCount: Int
  ) throws(ModelError) -> [Int] {
    let value = try value(key)
    guard value.type == FlexMap.signedVector || value.type == FlexMap.unsignedVector else {
      throw wrong(key, value, "a list of whole numbers")
    }
    let start = try buffer.target(at: value.position, width: width)
    let count = try buffer.size(of: start, width: value.width)
    guard count <= maximumCount else {
      throw ModelError(
        .unsupported,
        "\(buffer.owner): option '\(key)' has \(count) numbers, expected at most \(maximumCount)")
    }
    try buffer.check(start, count: count, width: value.width, "a vector")
    var numbers: [Int] = []
    for index in 0..<count {
      let number = try integer(
        key, at: start + index * value.width, width: value.width,
        isSigned: value.type == FlexMap.signedVector)
      try check(number, key, range)
      numbers.append(number)
    }
    return numbers
  }
}
