import Foundation
import Platform
import TestSupport
import Testing

@Suite struct AtomicFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var unfinished: String { ".a.txt.\(getpid()).partial" }

  @Test func `a file is written in place of a link, not into what it leads to`() throws {
    let other = try folder.write("other", to: "other.txt")
    try FileManager.default.createSymbolicLink(
      at: folder.file("a.txt"), withDestinationURL: other)
    try AtomicFile.write("new".utf8, to: folder.file("a.txt"))
    #expect(try folder.bytes("a.txt") == Array("new".utf8))
    #expect(try folder.bytes("other.txt") == Array("other".utf8))
    #expect(try folder.names == ["a.txt", "other.txt"])
  }

  @Test func `what a killed process of the same number left is in nobody's way`() throws {
    try folder.write("half", to: unfinished)
    try AtomicFile.write("whole".utf8, to: folder.file("a.txt"))
    #expect(try folder.names == ["a.txt"])
  }

  @Test func `what cannot be written leaves nothing and says why`() throws {
    try folder.write("inside", to: "a.txt/b")
    let error = #expect(throws: (any Error).self) {
      try AtomicFile.write("new".utf8, to: folder.file("a.txt"))
    }
    #expect(error?.systemReason == "Is a directory")
    #expect(try folder.names == ["a.txt"])
    let missing = #expect(throws: (any Error).self) {
      try AtomicFile.write("new".utf8, to: folder.file("none/a.txt"))
    }
    #expect(missing?.systemReason == "No such file or directory")
  }

  @Test func `bytes that are written as a whole have their name at once`() throws {
    let file = try AtomicFile(folder.file("a.txt"), replacing: false)
    try file.write([1, 2, 3])
    #expect(try folder.bytes("a.txt") == [1, 2, 3])
    #expect(try folder.names == ["a.txt"])
  }
}
