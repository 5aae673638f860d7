/// U+FEFF in UTF-8, which some programs write before text.
package enum ByteOrderMark {
  private static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The text of bytes without the mark.
  package static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes[byteCount(in: bytes)...], as: UTF8.self)
  }

  /// Bytes of the mark at the start of text; 0 without one.
  package static func byteCount(in text: [UInt8]) -> Int {
    text.starts(with: utf8) ? utf8.count : 0
  }
}
