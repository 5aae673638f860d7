import Foundation
import TestSupport
import Testing

/// A command over something broken, and the one line that it must end with.
struct BrokenInput: Sendable, CustomTestStringConvertible {
  /// What is wrong, for people.
  let what: String
  /// The words after `facegauge`.
  let command: String
  let status: Int32
  /// The whole line after `error: `, with paths as the command has them; `…` at its end stands for the
  /// text of libraries.
  let message: String
  /// Makes the files.
  let make: @Sendable (TemporaryFolder) throws -> Void

  var testDescription: String { "\(what): \(command)" }

  init(
    _ what: String, _ command: String, status: Int32 = 65, _ message: String,
    _ make: @escaping @Sendable (TemporaryFolder) throws -> Void = { _ in }
  ) {
    (self.what, self.command, self.status) = (what, command, status)
    (self.message, self.make) = (message, make)
  }

  /// One whose material is a text file.
  init(
    _ what: String, _ command: String, status: Int32 = 65, _ file: String, _ text: String,
    _ message: String
  ) {
    self.init(what, command, status: status, message) { try $0.write(text, to: file) }
  }

  /// One whose material is a file of bytes.
  init(
    _ what: String, _ command: String, status: Int32 = 65, _ file: String, bytes: [UInt8],
    _ message: String
  ) {
    self.init(what, command, status: status, message) { try $0.write(bytes, to: file) }
  }

  /// One whose material is a spoilt dataset.
  init(
    _ what: String, _ command: String,
    dataset spoil: @escaping @Sendable (inout PlainDataset) -> Void,
    _ message: String
  ) {
    self.init(what, command, message) { folder in
      var dataset = PlainDataset()
      spoil(&dataset)
      try dataset.write(to: folder.file("a.h5"))
    }
  }

  /// One whose material is a spoilt predictions file.
  init(
    _ what: String, _ command: String,
    predictions spoil: @escaping @Sendable (inout PlainPredictions) -> Void, _ message: String
  ) {
    self.init(what, command, message) { folder in
      var predictions = PlainPredictions()
      spoil(&predictions)
      try predictions.write(to: folder.file("p.h5"))
    }
  }
}

/// How a command over a broken input ended.
struct BrokenOutcome {
  let status: Int32
  let isSignal: Bool
  let output: String
  /// Standard error's lines that begin with `error: `, without it.
  let errors: [String]
  /// The other lines of standard error but notes.
  let others: [String]
  /// Names that were there before and after.
  let before, after: [String: Data]

  init(of input: BrokenInput) throws {
    let folder = try TemporaryFolder()
    if input.command.contains("good.h5") { try PlainDataset().write(to: folder.file("good.h5")) }
    try input.make(folder)
    before = try Self.contents(of: folder)
    let result = try ProcessResult(
      running: ProcessResult.path(ofBuilt: "facegauge"),
      input.command.split(separator: " ").map(String.init), in: folder.url,
      environment: ["FACEGAUGE_MODELS": "none"])
    after = try Self.contents(of: folder)
    (status, isSignal, output) = (result.status, result.isSignal, result.output)
    let lines = result.errors.split(separator: "\n").map(String.init)
    errors = lines.filter { $0.hasPrefix("error: ") }.map { String($0.dropFirst(7)) }
    others = lines.filter { !$0.hasPrefix("error: ") && !$0.hasPrefix("note: ") }
  }

  private static func contents(of folder: TemporaryFolder) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
      found[name] = (try? Data(contentsOf: folder.file(name))) ?? Data()
    }
    return found
  }
}
