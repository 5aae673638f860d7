import Foundation
import Platform
import TestSupport
import Testing

@Suite struct AtomicFolderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a temporary folder goes unless it was committed`() throws {
    let unfinished = ".out.\(getpid()).partial"
    for commits in [false, true] {
      let output = try AtomicFolder(temporary: folder.file("out"))
      try output.make()
      try folder.write([1], to: "\(unfinished)/lock")
      #expect(try folder.names == [unfinished])
      if commits { try output.commit() }
      withExtendedLifetime(output) {}
    }
    #expect(try folder.names == ["out"])
    #expect(try folder.bytes("out/lock") == [1], "only resumable folders are locked")
  }

  @Test func `a temporary folder replaces nothing and needs a folder around it`() throws {
    try folder.write([1], to: "taken")
    let taken = #expect(throws: FileError.self) {
      try AtomicFolder(temporary: folder.file("taken"))
    }
    #expect(
      taken?.description.hasSuffix("taken: expected a new folder, found one or a file") == true)
    let alone = #expect(throws: FileError.self) {
      try AtomicFolder(temporary: folder.file("no/out"))
    }
    #expect(alone?.description.contains("no/out: no folder ") == true)
    #expect(try folder.names == ["taken"])
  }

  private func resumable() -> AtomicFolder {
    AtomicFolder(resumable: folder.file("out"), of: "import")
  }

  @Test func `a resumable folder is locked while it is written, and stays for another process`()
    throws
  {
    do {
      let first = resumable()
      try first.make()
      try first.lock()
      try folder.write([1], to: "out.partial/done")
      let busy = #expect(throws: FileError.self) { try resumable().lock() }
      #expect(busy?.description.hasSuffix("out: another process is writing it") == true)
      withExtendedLifetime(first) {}
    }
    let next = resumable()
    try next.check(isOwn: true, isInterrupted: true, resumes: true, replaces: false)
    try next.lock()
    try folder.write([2], to: "out.partial/half")
    try next.clear(keeping: ["done"])
    try next.commit()
    #expect(try folder.names == ["out"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: next.target.path) == ["done"])
  }

  @Test func `interrupted work is not dropped unasked, and files of others never`() throws {
    let output = resumable()
    try output.make()
    let unasked = #expect(throws: FileError.self) {
      try output.check(isOwn: true, isInterrupted: true, resumes: false, replaces: false)
    }
    #expect(unasked?.description.contains("out.partial holds an interrupted import (") == true)
    try output.check(isOwn: true, isInterrupted: true, resumes: false, replaces: true)
    let strange = #expect(throws: FileError.self) {
      try output.check(isOwn: false, isInterrupted: false, resumes: true, replaces: true)
    }
    #expect(
      strange?.description.hasSuffix("out.partial exists and is not an interrupted import") == true)
  }

  @Test func `a folder of the name is replaced as a whole, and only if asked for`() throws {
    func written() throws -> AtomicFolder {
      let output = resumable()
      try output.make()
      try folder.write("new", to: "out.partial/a")
      try folder.write("plan", to: "out.partial/plan")
      return output
    }
    try folder.write("old", to: "out/a")
    try folder.write("old", to: "out/b")
    let refused = #expect(throws: FileError.self) { try written().commit(without: ["plan"]) }
    #expect(refused?.kind == .cannotWrite)
    #expect(try folder.bytes("out/a") == Array("old".utf8))
    let output = try written()
    try output.commit(without: ["plan"], replacing: true)
    #expect(try folder.names == ["out"])
    #expect(try folder.bytes("out/a") == Array("new".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: output.target.path) == ["a"])
  }
}
