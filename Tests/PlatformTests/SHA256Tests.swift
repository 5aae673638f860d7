import Foundation
import Platform
import Testing

@Suite struct SHA256Tests {
  /// Published by NIST (FIPS 180-4 examples); the last is a million letters.
  @Test(arguments: [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func `digests of published messages are the published ones`(
    message: String, count: Int, digest: String
  ) throws {
    let bytes = Array(String(repeating: message, count: count).utf8)
    #expect(try SHA256.hexadecimal(of: bytes) == digest)
  }

  @Test func `a file in several pieces has the digest of its bytes, and progress reaches its size`()
    throws
  {
    let bytes = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).bin")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    var steps: [Int] = []
    let digest = try SHA256.hexadecimal(ofFile: file.path) { read, total in
      #expect(total == 2_500_000)
      steps.append(read)
    }
    #expect(try digest == SHA256.hexadecimal(of: bytes))
    #expect(steps == [1_048_576, 2_097_152, 2_500_000])
  }

  @Test func `pieces of any length make the same digest`() throws {
    let bytes = Array("abcdbcdecdefdefgefghfghighijhijk".utf8)
    var digest = try SHA256()
    for byte in bytes { try digest.update([byte][...]) }
    #expect(try digest.hexadecimal() == SHA256.hexadecimal(of: bytes))
  }

  @Test func `a missing file and a folder are one-line errors that name the path`() {
    let folder = FileManager.default.temporaryDirectory.path
    let missing = folder + "/\(UUID())"
    #expect(
      throws: DigestError(
        object: missing, expected: "a readable file", found: "'no such file'",
        cause: SystemError(ENOENT))
    ) { try SHA256.hexadecimal(ofFile: missing) }
    #expect(throws: DigestError(object: folder, expected: "a readable file", found: "a folder")) {
      try SHA256.hexadecimal(ofFile: folder)
    }
  }
}
