import Foundation
import Platform
import TestSupport
import Testing

@Suite struct SystemReasonTests {
  private func reason(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return error.systemReason
    }
  }

  @Test func `a failure contains the system's reason`() throws {
    let folder = try TemporaryFolder()
    let missing = folder.file("no/such/file")
    #expect(reason { try Data([1]).write(to: missing) } == "No such file or directory")
    #expect(reason { _ = try Data(contentsOf: missing) } == "No such file or directory")
    try folder.write("x", to: "file")
    let below = folder.file("file/below")
    #expect(
      reason {
        try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
      } == "Not a directory")
    #expect(
      reason { throw NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC)) }
        == "No space left on device")
    let known = NSError(
      domain: NSCocoaErrorDomain, code: 512,
      userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(EFBIG))])
    #expect(reason { throw known } == "File too large")
    let unknown = NSError(domain: NSCocoaErrorDomain, code: 512)
    #expect(reason { throw unknown } == "the system gives no reason")
  }
}
