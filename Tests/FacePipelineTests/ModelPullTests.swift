import FacePipeline
import Foundation
import Platform
import TestSupport
import Testing

struct ModelPullTests {
  private func pull(
    _ sources: [ModelFile.Source], userFile: URL? = nil, mirror: String? = nil,
    into folder: TemporaryFolder
  ) throws -> ModelPull.Outcome {
    let file = try SmallModel.file(sources: sources)
    let outcomes = try ModelPull(userFile: userFile, mirror: mirror).run(
      files: [file], into: ModelStore(folder: folder.url)
    ) { _ in }
    return try #require(outcomes.count == 1 ? outcomes.first : nil)
  }

  @Test func `a file comes from its address and then is there already`() throws {
    let server = try LocalServer(["/m/small": .whole(200, SmallModel.bytes)])
    let folder = try TemporaryFolder()
    let address = "\(server.address)/m/small"
    let first = try pull([.url(address)], into: folder)
    #expect(first.isPresent && first.source == address && first.failures.isEmpty)
    #expect(try Data(contentsOf: folder.file("small.tflite")) == Data(SmallModel.bytes))
    let second = try pull([.url(address)], into: folder)
    #expect(second.isPresent && second.source == nil)
    #expect(server.askedPaths == ["/m/small"])
  }

  @Test func `wrong bytes in the folder are fetched again`() throws {
    let server = try LocalServer(["/small": .whole(200, SmallModel.bytes)])
    let folder = try TemporaryFolder()
    _ = try folder.write([1, 2, 3], to: "small.tflite")
    #expect(try pull([.url("\(server.address)/small")], into: folder).isPresent)
    #expect(try Data(contentsOf: folder.file("small.tflite")) == Data(SmallModel.bytes))
  }

  @Test(arguments: ["", "/"])
  func `a mirror is asked by the file's name before the published sources`(slash: String) throws {
    let server = try LocalServer(["/models/small.tflite": .whole(200, SmallModel.bytes)])
    let folder = try TemporaryFolder()
    let outcome = try pull(
      [.url("\(server.address)/published")], mirror: "\(server.address)/models\(slash)",
      into: folder)
    #expect(outcome.source == "\(server.address)/models/small.tflite")
    #expect(server.askedPaths == ["/models/small.tflite"])
  }

  @Test func `a source that fails is followed by the next`() throws {
    let server = try LocalServer(["/good": .whole(200, SmallModel.bytes)])
    let folder = try TemporaryFolder()
    let outcome = try pull(
      [.url("\(server.address)/bad"), .url("\(server.address)/good")], into: folder)
    #expect(outcome.source == "\(server.address)/good")
    #expect(server.askedPaths == ["/bad", "/good"])
  }

  @Test func `bytes of another digest are refused with both digests`() throws {
    var wrong = SmallModel.bytes
    wrong[7] ^= 1
    let server = try LocalServer(["/small": .whole(200, wrong)])
    let folder = try TemporaryFolder()
    let outcome = try pull([.url("\(server.address)/small")], into: folder)
    #expect(!outcome.isPresent && outcome.source == nil)
    let expected = try SHA256.hexadecimal(of: SmallModel.bytes)
    let found = try SHA256.hexadecimal(of: wrong)
    #expect(
      outcome.failures == [
        "\(server.address)/small: expected SHA-256 \(expected), found \(found)"
      ])
    #expect(try folder.names.isEmpty)
  }

  /// How a server may go wrong.
  enum WrongAnswer: String, CaseIterable {
    case notFound = "expected status 200, found 404"
    case broken = "expected status 200, found 500"
    case oneByteMore = "expected at most 3000 bytes, found more"
    case endless = "expected at most 3000 bytes, found more than that"
    case empty = "found e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    var answer: LocalServer.Answer {
      switch self {
      case .notFound: .whole(404, Array("no".utf8))
      case .broken: .whole(500, SmallModel.bytes)
      case .oneByteMore: .whole(200, SmallModel.bytes + [0])
      case .endless: .whole(200, Array(repeating: 1, count: 30_000_000))
      case .empty: .whole(200, [])
      }
    }

    var message: String { self == .endless ? Self.oneByteMore.rawValue : rawValue }
  }

  @Test(arguments: WrongAnswer.allCases)
  func `an answer that is not the file stores nothing`(wrong: WrongAnswer) throws {
    let server = try LocalServer(["/small": wrong.answer])
    let folder = try TemporaryFolder()
    let outcome = try pull([.url("\(server.address)/small")], into: folder)
    #expect(!outcome.isPresent)
    #expect(outcome.failures.count == 1)
    #expect(outcome.failures[0].hasPrefix("\(server.address)/small: "))
    #expect(outcome.failures[0].hasSuffix(wrong.message), "\(outcome.failures[0])")
    #expect(try folder.names.isEmpty)
  }

  @Test func `a body that ends too early stores nothing`() throws {
    let server = try LocalServer([
      "/small": .cutShort(Array(SmallModel.bytes[..<1000]), announced: 3000)
    ])
    let folder = try TemporaryFolder()
    #expect(try !pull([.url("\(server.address)/small")], into: folder).isPresent)
    #expect(try folder.names.isEmpty)
  }

  @Test func `a port that nobody listens on is a failure in one line`() throws {
    let port = try LocalServer([:]).port
    let folder = try TemporaryFolder()
    let outcome = try pull([.url("http://127.0.0.1:\(port)/small")], into: folder)
    #expect(!outcome.isPresent)
    #expect(outcome.failures.count == 1)
    #expect(!outcome.failures[0].contains("\n"))
  }

  @Test(arguments: ["", "small", "file:///etc/passwd", "ftp://127.0.0.1/small", "http://", "http:"])
  func `an address that is not of the web is refused`(address: String) throws {
    let folder = try TemporaryFolder()
    let outcome = try pull([.url(address)], into: folder)
    #expect(
      outcome.failures == ["\(address): expected an http or https address, found '\(address)'"])
  }

  @Test func `a file without any source is not present`() throws {
    let folder = try TemporaryFolder()
    let outcome = try pull([], into: folder)
    #expect(!outcome.isPresent && outcome.source == nil)
  }

  @Test func `the user's own copy is taken without asking anyone`() throws {
    let server = try LocalServer(["/small": .whole(200, SmallModel.bytes)])
    let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
    let copy = try own.write(SmallModel.bytes, to: "downloaded.bin")
    let outcome = try pull([.url("\(server.address)/small")], userFile: copy, into: folder)
    #expect(outcome.source == copy.relativePath)
    #expect(try folder.names == ["small.tflite"])
    #expect(server.askedPaths.isEmpty)
  }

  @Test func `a user's file that is no pinned model is refused before anything is fetched`() throws
  {
    let server = try LocalServer(["/small": .whole(200, SmallModel.bytes)])
    let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
    let wrong = try own.write([1, 2, 3], to: "mine.task")
    let error = #expect(throws: FileError.self) {
      try pull([.url("\(server.address)/small")], userFile: wrong, into: folder)
    }
    #expect(error?.kind == .wrongData)
    let digest = try SHA256.hexadecimal(of: [1, 2, 3])
    #expect(
      error?.description
        == "cannot use \(wrong.relativePath): expected one of the pinned model files, found SHA-256 "
        + digest)
    #expect(server.askedPaths.isEmpty)
    #expect(try folder.names.isEmpty)
  }

  @Test func `a user's file that is not there is not found`() throws {
    let folder = try TemporaryFolder()
    let missing = folder.file("missing.task")
    let error = #expect(throws: FileError.self) {
      try pull([], userFile: missing, into: folder)
    }
    #expect(error?.kind == .notFound)
    #expect(error?.description == "cannot read \(missing.relativePath): no such file")
  }

  @Test func `a folder below a file cannot be made`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write([1], to: "file")
    let error = #expect(throws: FileError.self) {
      try ModelPull().run(
        files: [SmallModel.file(sources: [])],
        into: ModelStore(folder: file.appending(path: "models"))
      ) { _ in }
    }
    #expect(error?.kind == .cannotWrite)
    #expect(error?.description.hasPrefix("cannot make ") == true)
  }

  @Test func `a file that cannot be put in its position is an error and leaves nothing`() throws {
    let server = try LocalServer(["/small": .whole(200, SmallModel.bytes)])
    let folder = try TemporaryFolder()
    let position = folder.file("small.tflite")
    try FileManager.default.createDirectory(
      at: position.appending(path: "inside"), withIntermediateDirectories: true)
    let error = #expect(throws: FileError.self) {
      try pull([.url("\(server.address)/small")], into: folder)
    }
    #expect(error?.kind == .cannotWrite)
    #expect(error?.description.hasPrefix("cannot write \(position.path)") == true)
    #expect(try folder.names == ["small.tflite"])
  }
}
