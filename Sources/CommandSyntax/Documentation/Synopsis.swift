/// How a command is typed: its name, its arguments and its options, required ones without brackets.
struct Synopsis {
  let name: String
  /// Arguments, required options and the others, each of which should stay on one line.
  let parts: [String]
  /// One line in which `[<options>]` stands for the options that may be left out.
  let short: String

  init(of command: CommandDeclaration, path: [String]) {
    name = path.joined(separator: " ")
    guard command.subcommands.isEmpty else {
      parts = [command.defaultSubcommand == nil ? "<subcommand>" : "[<subcommand>]"]
      short = ([name] + parts).joined(separator: " ")
      return
    }
    let required = command.options.filter(\.isRequired).map(\.synopsis)
    let others = command.options.filter { !$0.isRequired }.map(\.synopsis)
    let arguments = command.arguments.map(\.synopsis)
    parts = arguments + required + others
    let rest = others.isEmpty ? [] : ["[<options>]"]
    short = ([name] + arguments + required + rest).joined(separator: " ")
  }
}
