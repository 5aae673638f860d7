import CommandSyntax
import Testing
import greenhouse

@Suite("Usage errors")
struct UsageErrorTests {
  @Test(
    arguments: [
      (
        ["water", "a", "-o", "x", "--litres", "21"],
        "invalid value '21' for '--litres': expected a number from 0 to 20"
      ),
      (
        ["water", "a", "-o", "x", "-l", "-1"],
        "invalid value '-1' for '--litres': expected a number from 0 to 20"
      ),
      (
        ["water", "a", "-o", "x", "-l", "nan"],
        "invalid value 'nan' for '--litres': expected a number from 0 to 20"
      ),
      (
        ["water", "a", "-o", "x", "-l", "-inf"],
        "invalid value '-inf' for '--litres': expected a number from 0 to 20"
      ),
      (
        ["water", "a", "-o", "x", "-l", "0x1p3"],
        "invalid value '0x1p3' for '--litres': expected a number from 0 to 20"
      ),
      (
        ["water", "a", "-o", "x", "--min-soil-temperature", "1e999"],
        "invalid value '1e999' for '--min-soil-temperature': expected a number"
      ),
      (
        ["water", "a", "-o", "x", "--litres="],
        "invalid value '' for '--litres': expected a number from 0 to 20"
      ),
      (
        ["water", "a", "-o", "x", "-l", " 1"],
        "invalid value ' 1' for '--litres': expected a number from 0 to 20"
      ),
      (
        ["water", "a", "-o", "x", "--rounds", "2.5"],
        "invalid value '2.5' for '--rounds': expected an integer from 1 to 100"
      ),
      (
        ["water", "a", "-o", "x", "--rounds", "99999999999999999999"],
        "invalid value '99999999999999999999' for '--rounds': expected an integer from 1 to 100"
      ),
      (["water", "a", "-o", ""], "invalid value '' for '--output': expected a path"),
      (["water", "", "-o", "x"], "invalid value '' for '<plant>': expected a path"),
      (
        ["water", "a", "-o", "x", "--additive", ""],
        "invalid value '' for '--additive': expected text that is not empty"
      ),
      (
        ["water", "a", "-o", "x", "--litre", "2"],
        "unknown option '--litre'; did you mean '--litres'?"
      ),
      (
        ["water", "a", "-o", "x", "--minSoilTemperature", "2"],
        "unknown option '--minSoilTemperature'; did you mean '--min-soil-temperature'?"
      ),
      (["water", "a", "-output", "x"], "unknown option '-output'; did you mean '--output'?"),
      (["water", "a", "-x"], "unknown option '-x'"),
      (["water", "a", "--telepathy=1"], "unknown option '--telepathy'"),
      (["water", "a", "-o", "x", "-o", "y"], "option '--output' is given more than once"),
      (["water", "a", "-o", "x", "--json", "--json"], "option '--json' is given more than once"),
      (["water", "a", "-o", "x", "--json=yes"], "option '--json' takes no value"),
      (["water", "a", "-o"], "missing value for '-o': expected <log>"),
      (
        ["water", "a", "-o", "--json"],
        "missing value for '-o': expected <log>, found '--json' "
          + "(a value that begins with a dash is written '-o=--json')"
      ),
      (["water", "a"], "missing option '--output <log>'"),
      (["water", "-o", "x"], "missing argument '<plant>'"),
      (["water", "can", "-o", "x"], "missing argument '<plant>'"),
      (["grow"], "missing argument '<days>'"),
      (["grow", "3", "4"], "unexpected argument '4'"),
      (["grow", "0"], "invalid value '0' for '<days>': expected an integer from 1 to 10000000"),
      (
        ["seeds", "sow", "baisl"],
        "invalid value 'baisl' for '<kind>': expected one of 'basil', 'bean'; did you mean 'basil'?"
      ),
      (["wtaer"], "unknown subcommand 'wtaer'; did you mean 'water'?"),
      (["hlep"], "unknown subcommand 'hlep'; did you mean 'help'?"),
      (["dance"], "unknown subcommand 'dance'"), ([""], "unknown subcommand ''"),
      (["help", "wate"], "unknown subcommand 'wate'; did you mean 'water'?"),
      (["help", "water", "can"], "unexpected argument 'can'"),
      (["seeds", "sew"], "unknown subcommand 'sew'; did you mean 'sow'?"),
      (["--litres", "2", "water"], "unknown option '--litres'"),
    ] as [([String], String)])
  func `each mistake has its one line`(words: [String], expected: String) {
    let error = #expect(throws: UsageError.self) { try program.declaration.parse(words) }
    #expect(error?.message == expected)
  }

  @Test(
    arguments: [
      (.integer(), "x", "an integer"), (.integer(in: 1 ... .max), "0", "an integer of at least 1"),
      (.integer(in: .min ... -1), "0", "an integer of at most -1"),
      (
        .integer(), "9223372036854775808",
        "an integer from -9223372036854775808 to 9223372036854775807"
      ),
    ] as [(ValueSyntax<Int>, String, String)])
  func `open ranges and plain numbers name what they expect`(
    syntax: ValueSyntax<Int>, word: String, expected: String
  ) {
    #expect(throws: ValueMismatch(expected: expected)) { try syntax.parse(word) }
  }

  @Test func `a choice is written in help by its name, not by its value`() {
    let syntax = ValueSyntax.choice([("none", 0), ("half", 50), ("all", 100)])
    #expect(syntax.write(50) == "half")
    #expect(syntax.summary == "values: none, half, all")
    #expect(
      throws: ValueMismatch(
        expected: "one of 'none', 'half', 'all'; did you mean 'half'?")
    ) { try syntax.parse("hlaf") }
  }

  @Test func `the hint shows the short usage and where to read more`() {
    let error = #expect(throws: UsageError.self) { try program.declaration.parse(["water"]) }
    #expect(
      error?.hint == """
        USAGE: greenhouse water [<method>] <plant> ... --output <log> [<options>]
          See 'greenhouse water --help' for more information.
        """)
  }

  @Test func `a custom syntax names what it expected`() {
    let area = ValueSyntax<(Int, Int)> { word throws(ValueMismatch) in
      let sides = word.split(separator: "x").compactMap { Int($0) }
      guard sides.count == 2 else { throw ValueMismatch(expected: "<width>x<height>") }
      return (sides[0], sides[1])
    }
    let option = Option("area", area, help: "The bed's sides, in metres.")
    let dig = CommandDeclaration("dig", abstract: "Dig", options: [option])
    let error = #expect(throws: UsageError.self) { try dig.parse(["--area", "4"]) }
    #expect(error?.message == "invalid value '4' for '--area': expected <width>x<height>")
  }
}
