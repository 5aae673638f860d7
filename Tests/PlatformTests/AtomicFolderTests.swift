import Foundation
import Platform
import TestSupport
import Testing

@Suite struct AtomicFolderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a temporary folder goes unless it was committed`() throws {
    let unfinished = ".out.partial"
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
    AtomicFolder(resumable: folder.file("out"), of: "import", plan: "plan")
  }

  private func begin(
    _ output: AtomicFolder, resumes: Bool = false, replaces: Bool = false, isOwn: Bool = true
  ) throws(FileError) -> AtomicFolder.Beginning {
    try output.begin(resumes: resumes, replaces: replaces) { isOwn }
  }

  @Test func `a temporary folder that a killed process left goes with the next one`() throws {
    try folder.write([1], to: ".out.partial/half")
    let output = try AtomicFolder(temporary: folder.file("out"))
    try output.make()
    try folder.write([1], to: ".out.partial/whole")
    try output.commit()
    #expect(try folder.names == ["out"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: output.target.path) == ["whole"])
  }

  @Test func `a resumable folder is locked while it is written, and stays for another process`()
    throws
  {
    do {
      let first = resumable()
      #expect(try begin(first) == .new)
      try folder.write([1], to: "out.partial/done")
      try folder.write([1], to: "out.partial/plan")
      let busy = #expect(throws: FileError.self) { try begin(resumable(), replaces: true) }
      #expect(busy?.description.hasSuffix("out: another process is writing it") == true)
      withExtendedLifetime(first) {}
    }
    let next = resumable()
    #expect(try begin(next, resumes: true) == .resumed)
    try folder.write([2], to: "out.partial/half")
    try next.clear(keeping: ["done"])
    try next.commit()
    #expect(try folder.names == ["out"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: next.target.path) == ["done"])
  }

  @Test func `interrupted work is not dropped unasked, and files of others never`() throws {
    try folder.write([1], to: "out.partial/plan")
    let unasked = #expect(throws: FileError.self) { try begin(resumable()) }
    #expect(unasked?.description.contains("out.partial holds an interrupted import (") == true)
    let strange = #expect(throws: FileError.self) {
      try begin(resumable(), resumes: true, replaces: true, isOwn: false)
    }
    #expect(
      strange?.description.hasSuffix("out.partial exists and is not an interrupted import") == true)
    #expect(try folder.bytes("out.partial/plan") == [1])
    #expect(try begin(resumable(), replaces: true) == .new)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: resumable().partial.path) == ["lock"])
  }

  @Test func `without a plan there is nothing to lose, and --resume begins again`() throws {
    let missing = #expect(throws: FileError.self) { try begin(resumable(), resumes: true) }
    #expect(missing?.kind == .notFound)
    #expect(missing?.description.contains("out: no interrupted import in ") == true)
    for (resumes, replaces) in [(false, false), (true, false), (false, true)] {
      try folder.write([1], to: "out.partial/half")
      let output = resumable()
      #expect(
        try begin(output, resumes: resumes, replaces: replaces) == (resumes ? .again : .new))
      #expect(try FileManager.default.contentsOfDirectory(atPath: output.partial.path) == ["lock"])
    }
    #expect(
      resumable().notice
        == "out.partial has nothing finished, so the import starts from the beginning")
  }

  @Test func `a folder that was being replaced is there again`() throws {
    try folder.write("old", to: ".out.replaced/a")
    try resumable().restore { _ in false }
    #expect(try folder.names == [".out.replaced"], "somebody else's")
    try resumable().restore { _ in true }
    #expect(try folder.bytes("out/a") == Array("old".utf8))
    try folder.write("older", to: ".out.replaced/a")
    try resumable().restore { _ in true }
    #expect(try folder.names == ["out"])
    #expect(try folder.bytes("out/a") == Array("old".utf8))
  }

  @Test func `a folder of the name is replaced as a whole, and only if asked for`() throws {
    func written() throws -> AtomicFolder {
      let output = resumable()
      _ = try begin(output)
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
