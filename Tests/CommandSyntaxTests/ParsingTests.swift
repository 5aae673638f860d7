import CommandSyntax
import Testing
import greenhouse

@Suite("Parsing")
struct ParsingTests {
  @Test func `a command line with everything gives every value its type`() throws {
    let arguments = try parsed(
      "water drip a.plant b.tree -o log.json --litres=2.5 --rounds 3 --min-soil-temperature -4.5"
        + " --additive salt --additive=--sugar --json")
    let method: Method? = arguments[Water.method]
    let litres: Double = arguments[Water.litres]
    let rounds: Int = arguments[Water.rounds]
    let minimum: Double? = arguments[Water.minimumTemperature]
    #expect(method == .drip)
    #expect(arguments[Water.plants] == ["a.plant", "b.tree"])
    #expect(arguments[Water.output] == "log.json")
    #expect(litres == 2.5)
    #expect(rounds == 3)
    #expect(minimum == -4.5)
    #expect(arguments[Water.additives] == ["salt", "--sugar"])
    #expect(arguments[Water.json])
    #expect(arguments.commandPath == ["greenhouse", "water"])
  }

  @Test func `what is left out has its default, and is known not to have been given`() throws {
    let arguments = try parsed("water a.plant -o=log.json")
    #expect(arguments[Water.method] == nil)
    #expect(arguments[Water.litres] == 1)
    #expect(arguments[Water.minimumTemperature] == nil)
    #expect(arguments[Water.additives] == [])
    #expect(!arguments[Water.json])
    #expect(arguments.isGiven(Water.output))
    #expect(!arguments.isGiven(Water.litres))
    #expect(!arguments.isGiven(Water.additives))
  }

  @Test func `what is given can be given again, with one spelling for equal values`() throws {
    let line = "water drip a.plant b.tree -o log.json --litres=2.50 --rounds +3 --additive salt"
    let arguments = try parsed(line + " --additive=--sugar --json")
    let given = arguments.given { $0.name != "output" }
    #expect(
      given.map { "\($0.name)=\($0.value)" } == [
        "method=drip", "plant=a.plant", "plant=b.tree", "litres=2.5", "rounds=3",
        "additive=salt", "additive=--sugar", "json=",
      ])
    let again = try Water.declaration.arguments(named: given + [("output", "other.json")])
    #expect(again[Water.litres] == 2.5 && again[Water.json])
    #expect(again[Water.additives] == ["salt", "--sugar"])
    #expect(
      try parsed("water a.plant -o x").given { _ in true }.map(\.name) == ["plant", "output"])
  }

  @Test(
    arguments: [
      ("water can a -o x", .can, ["a"]), ("water a can -o x", nil, ["a", "can"]),
      ("water -o x -- can -a --json", .can, ["-a", "--json"]),
      ("water ./can -o x", nil, ["./can"]), ("water - -5 -o x", nil, ["-", "-5"]),
    ] as [(String, Method?, [String])])
  func `a leading optional argument takes the first word only if that is one of its values`(
    line: String, method: Method?, plants: [String]
  ) throws {
    let arguments = try parsed(line)
    #expect(arguments[Water.method] == method)
    #expect(arguments[Water.plants] == plants)
  }

  @Test(arguments: ["-5f", "-0.12s", "-.5x", "-"])
  func `a value that begins as a negative number does needs no equals sign`(word: String) throws {
    #expect(try parsed("water a -o x --additive \(word)")[Water.additives] == [word])
  }

  @Test(
    arguments: [("0", 0), ("20", 20), (".5", 0.5), ("1e1", 10), ("+2", 2), ("2.50E-1", 0.25)])
  func `Numbers in every decimal spelling are read`(word: String, value: Double) throws {
    #expect(try parsed("water a -o x -l \(word)")[Water.litres] == value)
  }

  @Test(
    arguments: [
      ("--help", "help "), ("-h", "short "), ("help", "help "), ("help water", "help water"),
      ("water --help", "help water"), ("water --litres 99 --bogus -h", "short water"),
      ("water -h --help", "help water"),
      ("help seeds sow", "help seeds sow"), ("seeds --help", "help seeds"),
      ("help seeds", "help seeds"), ("--version", "version"), ("grow --version", "version"),
      ("", "missing "), ("seeds", "run seeds list"), ("seeds list", "run seeds list"),
      ("grow 3 --diary", "run grow"), ("--generate-man-page", "run "),
    ])
  func `help, the version and bare groups are told apart from runs`(line: String, expected: String)
    throws
  {
    let invocation =
      switch try program.declaration.parse(words(line)) {
      case .help(let path, let isShort):
        (isShort ? "short " : "help ") + path.joined(separator: " ")
      case .version: "version"
      case .missingSubcommand(let path): "missing " + path.joined(separator: " ")
      case .run(let path, _): "run " + path.joined(separator: " ")
      }
    #expect(invocation == expected)
  }

  @Test func `after two dashes, help is a word like any other`() throws {
    #expect(try parsed("water -o x -- --help")[Water.plants] == ["--help"])
  }

  @Test func `a repeated argument leaves words for those after it`() throws {
    let sources = Argument(repeating: "source", .path, help: "From.")
    let target = Argument("target", .path, help: "To.")
    let move = CommandDeclaration("move", abstract: "Move", arguments: [sources, target])
    guard case .run(_, let arguments) = try move.parse(["a", "b", "c"]) else {
      Issue.record("expected a run")
      return
    }
    #expect(arguments[sources] == ["a", "b"])
    #expect(arguments[target] == "c")
    #expect(throws: UsageError.self) { try move.parse(["a"]) }
  }
}

private func words(_ line: String) -> [String] {
  line.split(separator: " ").map(String.init)
}

private func parsed(_ line: String) throws -> ParsedArguments {
  guard case .run(_, let arguments) = try program.declaration.parse(words(line)) else {
    throw CommandFailure(.failure, "'\(line)' does not run a command")
  }
  return arguments
}
