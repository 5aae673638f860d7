import Foundation
import Platform
import Statistics
import TestSupport
import Testing

@Suite struct PathBytesTests {
  @Test(
    arguments: [
      ("caf\u{E9}.jpg", Array("caf\u{E9}.jpg".utf8)),
      ("caf\u{EFE9}.jpg", [0x63, 0x61, 0x66, 0xE9, 0x2E, 0x6A, 0x70, 0x67]),
      ("\u{EFFF}", [0xFF]), ("\u{EFE2}\u{EF82}", [0xE2, 0x82]),
      // A name that has one of the private characters itself.
      ("\u{EFEE}\u{EFBF}\u{EFA9}", [0xEE, 0xBF, 0xA9]),
    ] as [(String, [UInt8])])
  func `each byte that is not UTF-8 is a private character`(text: String, bytes: [UInt8]) {
    #expect(String(pathBytes: bytes) == text)
    #expect(text.pathBytes == bytes.map { CChar(bitPattern: $0) } + [0])
  }

  @Test func `every path comes back as its own bytes`() {
    var random = SplitMix64(seed: 1)
    let pieces: [[UInt8]] = [
      [0xE9], [0xEE, 0xBF, 0xA9], [0xF0, 0x9F, 0x98, 0x80], [0xC3, 0xA9], [0xED, 0xA0, 0x80],
      [0x61],
      [0xF8], [0x80], [0xEF, 0xBE], [0x65, 0xCC, 0x81],
    ]
    for _ in 0..<2000 {
      let bytes = (0..<8).flatMap { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
      #expect(String(pathBytes: bytes).pathBytes == bytes.map { CChar(bitPattern: $0) } + [0])
    }
  }

  @Test func `files of every name are written, listed, renamed and removed`() throws {
    let folder = try TemporaryFolder()
    let odd = folder.url.appendingPathComponent("set\u{EFE9}")
    try odd.makeFolders()
    #expect(odd.isFolder)
    let file = odd.appendingPathComponent("caf\u{EFE9}.h5")
    try file.write(Array("text".utf8))
    #expect(file.isThere && !file.isFolder)
    #expect(try InputFile.bytes(of: file) == Array("text".utf8))
    #expect(try odd.names() == ["caf\u{EFE9}.h5"])
    try file.rename(to: odd.appendingPathComponent("\u{EFFF}"))
    #expect(try odd.names() == ["\u{EFFF}"])
    #expect(odd.appendingPathComponent("none").withoutLinks.path.hasSuffix("set\u{EFE9}/none"))
    #expect("caf\u{EFE9}".withControlCharactersEscaped == "caf\\xe9")
    try odd.remove()
    #expect(!odd.isThere)
  }
}
