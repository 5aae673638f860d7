internal import CCrypto
internal import Foundation

/// A SHA-256 digest in the making, by libcrypto.
///
/// By its functions for this digest alone: those for any digest bring 4 MB of others with them into a static program.
package struct SHA256: ~Copyable {
  private var context = SHA256_CTX()
  private let object: String

  /// Starts a digest; `object` names it in errors. Throws where libcrypto does not offer SHA-256.
  package init(of object: String = "bytes") throws(DigestError) {
    guard SHA256_Init(&context) == 1 else { throw Self.unavailable(object) }
    self.object = object
  }

  /// Adds the bytes of values as they lie in memory.
  package mutating func update(_ values: ArraySlice<some BitwiseCopyable>) throws(DigestError) {
    // Safety: libcrypto reads `count` bytes from the first.
    let status = values.withUnsafeBytes { SHA256_Update(&context, $0.baseAddress, $0.count) }
    guard status == 1 else { throw Self.unavailable(object) }
  }

  /// Ends the digest and returns it as 64 lower-case hexadecimal digits.
  package consuming func hexadecimal() throws(DigestError) -> String {
    return try bytes().map { $0.padded(to: 2, radix: 16) }.joined()
  }

  /// Ends the digest and returns its 32 bytes.
  package consuming func bytes() throws(DigestError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    guard SHA256_Final(&digest, &context) == 1 else { throw Self.unavailable(object) }
    return digest
  }

  /// The digest of bytes as 64 lower-case hexadecimal digits.
  package static func hexadecimal(of bytes: [UInt8]) throws(DigestError) -> String {
    var digest = try SHA256()
    try digest.update(bytes[...])
    return try digest.hexadecimal()
  }

  /// The digest of a file, read in pieces of 1 MiB, as 64 lower-case hexadecimal digits.
  ///
  /// With `limit` only its first bytes count. `progress` hears the bytes read so far and the file's size after each piece.
  /// Throws where the file is missing, is a folder, or cannot be read to its end.
  package static func hexadecimal(
    ofFile path: String, limit: Int = .max,
    progress: (_ bytesRead: Int, _ byteCount: Int) -> Void = { _, _ in }
  ) throws(DigestError) -> String {
    let file: InputFile
    do throws(InputFile.Refusal) {
      file = try InputFile(path: path, name: path)
    } catch {
      throw DigestError(
        object: path, expected: "a readable file",
        found: error.expected == nil ? "'\(error.found)'" : error.found, cause: error.cause)
    }
    var digest = try SHA256(of: path)
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    var bytesRead = 0
    while true {
      let count: Int
      do throws(SystemError) {
        count = try file.descriptor.fill(
          &piece, upTo: min(piece.count, limit - bytesRead), from: bytesRead)
      } catch {
        throw DigestError(
          object: path, expected: "a readable file", found: "'\(error)'", cause: error)
      }
      guard count > 0 else { break }
      try digest.update(piece[..<count])
      bytesRead += count
      progress(bytesRead, file.byteCount)
    }
    return try digest.hexadecimal()
  }

  private static func unavailable(_ object: String) -> DigestError {
    DigestError(object: object, expected: "SHA-256 from libcrypto", found: "a refusal")
  }
}
