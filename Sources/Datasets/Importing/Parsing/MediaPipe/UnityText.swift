internal import Foundation

/// The text of Unity's plugin, which is JSON but for its matrices.
enum UnityText {
  /// The bytes with matrices of numbers between white space written as JSON lists by rows.
  static func json(_ bytes: [UInt8]) -> [UInt8] {
    let key = Array("\"facialTransformationMatrixes\": [".utf8)
    guard bytes.contains(0x09), let first = bytes.firstRange(of: key) else { return bytes }
    var (text, rest) = (Array(bytes[..<first.lowerBound]), bytes[first.lowerBound...])
    while let found = rest.firstRange(of: key) {
      text += rest[..<found.upperBound]
      rest = rest[found.upperBound...]
      guard let end = rest.firstIndex(of: 0x5D) else { break }
      let inside = rest[..<end]
      let words = inside.split { $0 <= 0x20 || $0 == 0x2C }
      let numbers = words.compactMap { Double(String(decoding: $0, as: UTF8.self)) }
      if !inside.contains(0x5B), numbers.count == words.count, numbers.count % 16 == 0 {
        let lists = stride(from: 0, to: numbers.count, by: 16).map { start in
          "[" + numbers[start..<start + 16].map { "\($0)" }.joined(separator: ", ") + "]"
        }
        text += Array(lists.joined(separator: ", ").utf8)
      } else {
        text += inside
      }
      rest = rest[end...]
    }
    return text + rest
  }
}
