internal import CDeflate

/// Compression in zlib's format (RFC 1950), which browsers read as `deflate`.
package enum Deflate {
  /// zlib's default: libdeflate's levels take less time for as few bytes.
  private static let level: Int32 = 6

  /// Compresses bytes; throws where there is no memory.
  package static func compressed(_ bytes: [UInt8]) throws(DeflateError) -> [UInt8] {
    guard let compressor = libdeflate_alloc_compressor(level) else {
      throw DeflateError("no memory to compress \(bytes.count) bytes")
    }
    defer { libdeflate_free_compressor(compressor) }
    let bound = libdeflate_zlib_compress_bound(compressor, bytes.count)
    return Array(unsafeUninitializedCapacity: bound) { output, size in
      // Safety: libdeflate reads `bytes.count` bytes and writes at most `bound`, which always suffice.
      size = libdeflate_zlib_compress(
        compressor, bytes, bytes.count, output.baseAddress, output.count)
    }
  }

  /// Decompresses at most `limit` bytes; throws where the stream has more, is cut, or is none.
  package static func decompressed(
    _ bytes: [UInt8], atMost limit: Int
  ) throws(DeflateError) -> [UInt8] {
    guard let decompressor = libdeflate_alloc_decompressor() else {
      throw DeflateError("no memory")
    }
    defer { libdeflate_free_decompressor(decompressor) }
    var status = LIBDEFLATE_SUCCESS
    let output = [UInt8](unsafeUninitializedCapacity: max(limit, 1)) { output, size in
      // Safety: libdeflate reads `bytes.count` bytes and writes at most `limit`; it says how many.
      status = libdeflate_zlib_decompress(
        decompressor, bytes, bytes.count, output.baseAddress, limit, &size)
      if status != LIBDEFLATE_SUCCESS { size = 0 }
    }
    guard status == LIBDEFLATE_SUCCESS else {
      throw DeflateError(
        status == LIBDEFLATE_INSUFFICIENT_SPACE ? "more" : "a broken or cut stream")
    }
    return output
  }
}

/// What was found where a stream was expected, or memory for one.
package struct DeflateError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
