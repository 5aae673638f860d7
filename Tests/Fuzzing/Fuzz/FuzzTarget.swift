/// A parser of ours, fed with bytes that nobody vouches for.
struct FuzzTarget: Sendable {
  /// The word that chooses it; its seeds lie in a folder of that name.
  let name: String
  private let parse: @Sendable ([UInt8]) throws -> Void

  /// Names a parser that throws for what it refuses.
  init(_ name: String, _ parse: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.name = name
    self.parse = parse
  }

  /// Parses once; an error of more than one line is as bad as a crash.
  func run(_ bytes: [UInt8]) {
    do {
      try parse(bytes)
    } catch {
      precondition(!"\(error)".contains("\n"), "an error of several lines: \(error)")
    }
  }

  /// The target that the first word names; the other words are libFuzzer's.
  static let chosen = all.first { $0.name == CommandLine.arguments.dropFirst().first }
}
