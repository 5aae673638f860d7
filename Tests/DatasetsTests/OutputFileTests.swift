import Datasets
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct OutputFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a pipe is not replaced even when files may be`() throws {
    let pipe = folder.file("pipe.h5")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let error = #expect(throws: FileError.self) { try AtomicFile(pipe, replacing: true) }
    #expect(error?.kind == .cannotWrite)
    #expect(error?.description.hasSuffix("expected a regular file, found a device or pipe") == true)
  }

  @Test func `a symbolic link stays and its target gets the bytes`() throws {
    let real = folder.file("real.h5")
    let link = folder.file("link.h5")
    try Data([1]).write(to: real)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
    let output = try AtomicFile(link, replacing: true)
    try Data([2, 3]).write(to: output.begin())
    try output.commit()
    #expect(try Data(contentsOf: real) == Data([2, 3]))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: link.path).hasSuffix("real.h5"))
  }
}
