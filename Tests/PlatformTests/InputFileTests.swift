import Foundation
import Platform
import TestSupport
import Testing

@Suite struct InputFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func refusal(_ url: URL, limit: Int = .max) -> FileError? {
    do {
      _ = try InputFile(url, limit: limit)
      return nil
    } catch {
      return error
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `what is no regular file is refused at once, and named`() throws {
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let socket = folder.file("socket")
    let end = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(end) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: socket.path.utf8.prefix(107))
    }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(end, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try folder.write("text", to: "file")
    try FileManager.default.createSymbolicLink(
      at: folder.file("link"), withDestinationURL: folder.file("pipe"))
    let cases: [(URL, FileError.Kind, String)] = [
      (pipe, .wrongData, "expected a regular file, found a pipe"),
      (folder.file("link"), .wrongData, "expected a regular file, found a pipe"),
      (URL(filePath: "/dev/null"), .wrongData, "expected a regular file, found a device"),
      (folder.url, .wrongData, "expected a file, found a folder"),
      (folder.file("none"), .notFound, "no such file"),
      (folder.file("file/none"), .notFound, "no such file"),
      (folder.file(String(repeating: "n", count: 300)), .notFound, "no such file"),
    ]
    for (url, kind, words) in cases {
      let error = refusal(url)
      #expect(error?.kind == kind)
      #expect(error?.description == "cannot read \(url.relativePath): \(words)")
    }
    if bound == 0 {
      #expect(
        refusal(socket)?.description.hasSuffix("expected a regular file, found a socket") == true)
    }
  }

  @Test func `the size that counts is that of the file behind a link`() throws {
    try folder.write([UInt8](repeating: 1, count: 2000), to: "file")
    try FileManager.default.createSymbolicLink(
      at: folder.file("link"), withDestinationURL: folder.file("file"))
    #expect(refusal(folder.file("link"), limit: 1999)?.kind == .wrongData)
    #expect(
      refusal(folder.file("link"), limit: 1999)?.description.hasSuffix(
        "expected at most 1999 bytes, found 2000 bytes") == true)
    #expect(try InputFile(folder.file("link"), limit: 2000).bytes().count == 2000)
    #expect(InputFile.head(of: folder.file("link"), 3) == [1, 1, 1])
    #expect(InputFile.head(of: folder.file("none"), 3) == nil)
  }

  @Test func `a file that is kept open has its path under the system's own links`() throws {
    try folder.write("text", to: "file")
    let open = try InputFile(folder.file("file"))
    let link = URL(filePath: "/proc/self/fd/\(open.descriptor.number)")
    #expect(try InputFile(link).bytes() == Array("text".utf8))
  }

  @Test func `a refused file leaves no descriptor open`() throws {
    func count() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
    let before = try count()
    for _ in 0..<200 { _ = refusal(folder.url) }
    #expect(try count() < before + 100)
  }
}
