import CommandSyntax
import Testing
import greenhouse

@Suite("Declarations")
struct DeclarationTests {
  @Test func `the greenhouse's declarations have no mistakes`() {
    #expect(program.declaration.mistakes == [])
  }

  @Test func `every kind of mistake is found`() {
    let declaration = CommandDeclaration(
      "badCommand", abstract: "Ends with a stop.",
      arguments: [
        Argument(optional: "first", .path, help: "A path."),
        Argument(repeating: "second", .path, help: "Paths."),
        Argument(repeating: "third", .path, help: "Paths."), Flag("flag", help: "A flag."),
      ],
      options: [
        Flag("help", help: "Shadows."), Option("no_kebab", .string, help: "Text."),
        Option("stopless", .string, help: "Text"),
        Argument("misplaced", .string, help: "Text."),
      ])
    #expect(
      declaration.mistakes == [
        "badCommand: the name 'badCommand' is not kebab-case",
        "badCommand: the abstract ends with a full stop",
        "badCommand: '--help' is declared twice",
        "badCommand: 'no_kebab' is not kebab-case",
        "badCommand: the help of 'stopless' has no full stop",
        "badCommand: an option is listed as an argument",
        "badCommand: an argument is listed as an option",
        "badCommand: more than one argument takes any number of words",
        "badCommand: the optional argument 'first' has others after it and is not a choice",
      ])
    let group = CommandDeclaration(
      "group", abstract: "",
      subcommands: [.init("a", abstract: "A"), .init("a", abstract: "A")], defaultSubcommand: "b")
    #expect(
      group.mistakes == [
        "group: the abstract is empty", "group: the subcommand 'a' is declared twice",
        "group: the default subcommand 'b' is not declared",
      ])
  }

  @Test func `exit statuses are those of the plan`() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 64, 65, 66, 69, 73, 74, 75])
    #expect(Set(ExitStatus.allCases.map(\.meaning)).count == 11)
  }
}
