internal import Platform

/// What a command line asks for.
package enum Invocation: Sendable {
  /// Run the command that the names (without the program's) lead to.
  case run(path: [String], ParsedArguments)
  /// Show the help of that command: all of it, or for `-h` what matters most.
  case help(path: [String], isShort: Bool = false)
  /// Show the version.
  case version
  /// The program or a group of commands was named and no subcommand of it.
  case missingSubcommand(path: [String])
}

extension CommandDeclaration {
  /// Reads the words after the program's name against this, the program's, declaration.
  package func parse(_ words: [String]) throws(UsageError) -> Invocation {
    let path = try commandPath(in: words[...])
    if path.asksForHelp { return .help(path: path.names) }
    let options = path.rest.prefix { $0 != "--" }
    if options.contains("--help") { return .help(path: path.names) }
    if options.contains("-h") { return .help(path: path.names, isShort: true) }
    if options.contains("--version") { return .version }
    guard let commands = self.path(path.names), let command = commands.last else {
      return .help(path: [])
    }
    if !command.subcommands.isEmpty && path.rest.isEmpty {
      return .missingSubcommand(path: path.names)
    }
    let scanner = ArgumentScanner(command: command, path: commands.map(\.name))
    return .run(path: path.names, try scanner.scan(path.rest))
  }

  /// The values of parameters that are given by name, without dashes, and not on a command line; a flag's value is ignored.
  ///
  /// Throws for names that the command does not declare, and for values that a command line could not have either.
  package func arguments(
    named values: [(name: String, value: String)]
  ) throws(UsageError) -> ParsedArguments {
    try ArgumentScanner(command: self, path: [name]).assemble(values)
  }

  private struct CommandPath {
    var names: [String] = []
    var rest: ArraySlice<String>
    var asksForHelp = false
  }

  private func commandPath(in words: ArraySlice<String>) throws(UsageError) -> CommandPath {
    var path = CommandPath(rest: words)
    var command = self
    if words.first == "help" && subcommand("help") == nil {
      path.asksForHelp = true
      path.rest = words.dropFirst().filter { $0 != "-h" && $0 != "--help" }[...]
    }
    while !command.subcommands.isEmpty {
      if let word = path.rest.first, !word.hasPrefix("-") {
        guard let next = command.subcommand(word) else {
          throw unknownSubcommand(word, of: command, at: path.names)
        }
        command = next
        path.names.append(word)
        path.rest = path.rest.dropFirst()
      } else if !path.asksForHelp, let word = command.defaultSubcommand,
        let next = command.subcommand(word), !asksForHelp(path.rest)
      {
        command = next
        path.names.append(word)
      } else {
        break
      }
    }
    if path.asksForHelp, let word = path.rest.first {
      throw UsageError(
        message: "unexpected argument '\(word)'", usage: "\(name) help [<subcommand> ...]",
        command: name)
    }
    return path
  }

  private func asksForHelp(_ words: ArraySlice<String>) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "-h" || $0 == "--help" }
  }

  private func unknownSubcommand(
    _ word: String, of command: CommandDeclaration, at names: [String]
  ) -> UsageError {
    let path = [name] + names
    let candidates = command.subcommands.map(\.name) + (names.isEmpty ? ["help"] : [])
    return UsageError(
      message: "unknown subcommand '\(word)'" + Suggestion.clause(for: word, among: candidates),
      usage: Synopsis(of: command, path: path).short,
      command: path.joined(separator: " "))
  }
}
