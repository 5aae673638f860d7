import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct UniqueFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `the first has the name, and what a later one has written is gone`() throws {
    let file = folder.file("plan.json")
    try UniqueFile.write(Array("first".utf8), unlessThere: file)
    try UniqueFile.write(Array("second".utf8), unlessThere: file)
    #expect(try folder.bytes("plan.json") == Array("first".utf8))
    #expect(try folder.names == ["plan.json"])
  }

  @Test func `one that has its name leaves the hidden name to the next`() throws {
    let file = folder.file("plan.json")
    let first = try UnfinishedItem(of: file)
    try first.rename(to: file)
    let second = try UnfinishedItem(of: file)
    #expect(second.url == first.url)
    first.remove()
    #expect(try folder.names == [".plan.json.partial", "plan.json"])
    try second.write(Array("second".utf8))
    try second.rename(to: file)
    #expect(try folder.bytes("plan.json") == Array("second".utf8))
  }

  @Test func `one that another machine has removed takes nobody's work for its own`() throws {
    let file = folder.file("plan.json")
    let first = try UnfinishedItem(of: file)
    try FileManager.default.removeItem(at: first.url)
    try folder.write("another's", to: ".plan.json.partial")
    let error = #expect(throws: (any Error).self) { try first.rename(to: file) }
    #expect(error?.systemReason == "No such file or directory")
    first.remove()
    #expect(try folder.names == [".plan.json.partial"])
  }

  @Test func `a folder that is not there is an error with the system's reason`() {
    let error = #expect(throws: FileError.self) {
      try UniqueFile.write([1], unlessThere: folder.file("none/plan.json"))
    }
    #expect(error?.kind == .cannotWrite)
    #expect(error?.description.hasSuffix("plan.json: No such file or directory") == true)
  }

  /// Locks are of descriptors, so threads meet as processes do.
  @Test func `many that write one file at once all find one whole file`() throws {
    let rounds = 400
    let writers = 6
    let refusals = Mutex<[String]>([])
    for round in 0..<rounds {
      let file = folder.file("\(round).json")
      DispatchQueue.concurrentPerform(iterations: writers) { writer in
        let own = [UInt8](repeating: UInt8(writer), count: 64)
        do {
          try UniqueFile.write(own, unlessThere: file)
          let found = try InputFile.bytes(of: file)
          if found.count != 64 || Set(found).count != 1 {
            refusals.withLock { $0.append("round \(round): \(found)") }
          }
        } catch {
          refusals.withLock { $0.append("round \(round): \(error)") }
        }
      }
    }
    #expect(refusals.withLock(\.self) == [])
    #expect(try folder.names.count == rounds, "nothing unfinished is left")
  }
}
