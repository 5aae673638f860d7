import Foundation
import Platform
import TestSupport
import Testing

@Suite struct AtomicFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a file is written in place of a link, not into what it leads to`() throws {
    let other = try folder.write("other", to: "other.txt")
    try FileManager.default.createSymbolicLink(
      at: folder.file("a.txt"), withDestinationURL: other)
    try AtomicFile.write("new".utf8, to: folder.file("a.txt"))
    #expect(try folder.bytes("a.txt") == Array("new".utf8))
    #expect(try folder.bytes("other.txt") == Array("other".utf8))
    #expect(try folder.names == ["a.txt", "other.txt"])
  }

  @Test func `what a killed process left goes with the next one that writes the same name`() throws
  {
    try folder.write("half", to: ".a.txt.partial")
    try folder.write("half", to: ".a.txt.3.partial")
    try folder.write("inside", to: ".a.txt.2.partial/b")
    try folder.write("another's", to: ".b.txt.partial")
    try AtomicFile.write("whole".utf8, to: folder.file("a.txt"))
    #expect(try folder.names == [".b.txt.partial", "a.txt"])
  }

  @Test func `what another process is writing stays, and both get to their end`() throws {
    let first = try AtomicFile(folder.file("a.txt"), replacing: true)
    let second = try AtomicFile(folder.file("a.txt"), replacing: true)
    let files = try [first.begin(), second.begin()]
    #expect(files.map(\.lastPathComponent) == [".a.txt.partial", ".a.txt.2.partial"])
    for (file, text) in zip(files, ["first", "second"]) {
      try Data(text.utf8).write(to: file)
    }
    try AtomicFile.write("third".utf8, to: folder.file("a.txt"))
    #expect(try folder.names == [".a.txt.2.partial", ".a.txt.partial", "a.txt"])
    try second.commit()
    try first.commit(isDurable: true)
    #expect(try folder.bytes("a.txt") == Array("first".utf8))
    #expect(try folder.names == ["a.txt"])
  }

  @Test func `what is neither file nor folder is in nobody's way`() throws {
    let other = try folder.write("other", to: "other.txt")
    for name in [".a.txt.partial", ".a.txt.2.partial", ".a.txt.3.partial", ".a.txt.4.partial"] {
      try FileManager.default.createSymbolicLink(
        at: folder.file(name), withDestinationURL: other)
    }
    try AtomicFile.write("new".utf8, to: folder.file("a.txt"))
    #expect(try folder.bytes("a.txt") == Array("new".utf8))
    #expect(try folder.bytes("other.txt") == Array("other".utf8))
    #expect(try folder.names.count == 6, "the links stay")
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
