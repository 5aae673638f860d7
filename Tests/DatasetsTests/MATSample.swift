import CZlib

/// MAT-files of version 5, byte by byte.
struct MATSample {
  var isBigEndian = false

  func word(_ value: Int) -> [UInt8] {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? bytes.reversed() : bytes
  }

  func number(_ value: Double) -> [UInt8] {
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt64($0))) }
    return isBigEndian ? bytes.reversed() : bytes
  }

  func element(_ type: Int, _ bytes: [UInt8]) -> [UInt8] {
    word(type) + word(bytes.count) + bytes + Array(repeating: 0, count: -bytes.count & 7)
  }

  /// An array of class 6 (double), 4 (text), 9 (uint8), 1 (cells) …; `values` are whole elements.
  func array(_ name: String, class kind: Int = 6, _ extents: [Int], _ values: [UInt8]) -> [UInt8] {
    let body =
      element(6, word(kind) + word(0)) + element(5, extents.flatMap(word))
      + element(1, Array(name.utf8)) + values
    return word(14) + word(body.count) + body
  }

  func doubles(_ name: String, _ rows: Int, _ columns: Int, _ values: [Double]) -> [UInt8] {
    array(name, [rows, columns], element(9, values.flatMap(number)))
  }

  func bytes(_ name: String, _ rows: Int, _ columns: Int, _ values: [UInt8]) -> [UInt8] {
    array(name, class: 9, [rows, columns], element(2, values))
  }

  func compressed(_ element: [UInt8]) -> [UInt8] {
    var length = compressBound(uLong(element.count))
    var packed = [UInt8](repeating: 0, count: Int(length))
    compress(&packed, &length, element, uLong(element.count))
    return word(15) + word(Int(length)) + packed.prefix(Int(length))
  }

  func file(_ elements: [UInt8]...) -> [UInt8] {
    let text = Array("MATLAB 5.0 MAT-file".utf8)
    let mark: [UInt8] = isBigEndian ? [1, 0, 0x4D, 0x49] : [0, 1, 0x49, 0x4D]
    return text + Array(repeating: 0x20, count: 124 - text.count) + mark + elements.flatMap { $0 }
  }

  /// 68 points and their occlusion, as COFW68 has them.
  func face() -> [UInt8] { file(points, hidden) }
  /// x is 1 to 68, y is 101 to 168.
  var points: [UInt8] {
    let values: [Double] = (1...68).map { Double($0) } + (101...168).map { Double($0) }
    return doubles("Points", 68, 2, values)
  }
  /// The first point is hidden.
  var hidden: [UInt8] { bytes("Occ", 1, 68, [1] + Array(repeating: 0, count: 67)) }
}
