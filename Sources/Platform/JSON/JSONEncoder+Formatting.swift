package import Foundation

extension JSONEncoder {
  /// Writes documents: indented, keys sorted, slashes unescaped, the same bytes for equal values.
  package static var document: JSONEncoder {
    formatting([.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  }

  /// Writes single lines: keys sorted, slashes unescaped, the same bytes for equal values.
  package static var line: JSONEncoder { formatting([.sortedKeys, .withoutEscapingSlashes]) }

  private static func formatting(_ options: OutputFormatting) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = options
    return encoder
  }

  /// The bytes of a value, with a newline at their end.
  package func bytes(of value: some Encodable) throws -> [UInt8] {
    try Array(encode(value)) + [UInt8(ascii: "\n")]
  }

  /// The text of a value, with a newline at its end.
  package func text(of value: some Encodable) throws -> String {
    String(decoding: try encode(value), as: UTF8.self) + "\n"
  }
}
