/// A shell for which a completion script can be written.
package enum CompletionShell: String, Sendable, CaseIterable {
  case bash
  case zsh
  case fish

  /// A script that completes a program's subcommands, options and values.
  package func script(for program: CommandDeclaration) -> String {
    let program = program.withHelpCommand
    return switch self {
    case .bash: BashCompletion(program: program).rendered()
    case .zsh: ZshCompletion(program: program).rendered()
    case .fish: FishCompletion(program: program).rendered()
    }
  }
}

/// The text between single quotes, as one word of bash and zsh.
func shellQuoted(_ text: String) -> String {
  "'" + text.replacing("'", with: #"'\''"#) + "'"
}

extension CommandDeclaration {
  /// The declaration with a `help` that takes the names of the others.
  fileprivate var withHelpCommand: CommandDeclaration {
    guard !subcommands.isEmpty, subcommand("help") == nil else { return self }
    let topic = Argument(
      optional: "subcommand", .choice(of: subcommands.map(\.name)), help: "The subcommand.")
    let help = CommandDeclaration("help", abstract: "Show a subcommand's help", arguments: [topic])
    return CommandDeclaration(
      name: name, abstract: abstract, discussion: discussion, arguments: [], options: options,
      essentials: essentials, elsewhere: elsewhere, subcommands: subcommands + [help],
      defaultSubcommand: defaultSubcommand)
  }

  /// The positions, counted from 0 and nil for the open end, at which the argument's words may stand.
  func positions(of index: Int) -> ClosedRange<Int> {
    let before = arguments[..<index]
    let first = before.reduce(0) { $0 + $1.minimumCount }
    let isOpen = arguments[...index].contains(where: \.isRepeated)
    return first...(isOpen ? .max : index)
  }

  /// The shell function's name: the path with underscores.
  static func shellFunction(_ path: [String]) -> String {
    "_" + path.joined(separator: "_").replacing("-", with: "_")
  }
}
