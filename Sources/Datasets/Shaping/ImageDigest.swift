internal import Platform

/// A short digest that tells images apart.
enum ImageDigest {
  /// The first half of the SHA-256 of some bytes.
  static func of(_ bytes: ArraySlice<UInt8>) throws(DigestError) -> SIMD2<UInt64> {
    var digest = try SHA256()
    try digest.update(bytes[...])
    let words = try digest.bytes()
    func word(_ start: Int) -> UInt64 {
      words[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    return SIMD2(word(0), word(8))
  }
}
