internal import CZlib

/// Compression in zlib's format (RFC 1950), which browsers read as `deflate`.
package enum Deflate {
  /// Compresses bytes at zlib's default level; throws where zlib runs out of memory.
  package static func compressed(_ bytes: [UInt8]) throws(DeflateError) -> [UInt8] {
    let (output, size) = try output(of: bytes)
    return Array(output.prefix(size))
  }

  /// How many bytes that would be.
  package static func size(_ bytes: [UInt8]) throws(DeflateError) -> Int {
    try output(of: bytes).size
  }

  private static func output(
    of bytes: [UInt8]
  ) throws(DeflateError) -> (bytes: [UInt8], size: Int) {
    var size = compressBound(uLong(bytes.count))
    var output = [UInt8](repeating: 0, count: Int(size))
    // Safety: zlib reads `bytes.count` bytes and writes at most `size`, which `compressBound` gave.
    let status = compress2(&output, &size, bytes, uLong(bytes.count), Z_DEFAULT_COMPRESSION)
    guard status == Z_OK else { throw DeflateError(byteCount: bytes.count, status: status) }
    return (output, Int(size))
  }
}

/// A refusal of zlib.
package struct DeflateError: Error, CustomStringConvertible {
  /// How many bytes were to be compressed.
  let byteCount: Int
  /// What zlib returned.
  let status: Int32

  package var description: String {
    "cannot compress \(byteCount) bytes: expected Z_OK from zlib, found \(status)"
  }
}
