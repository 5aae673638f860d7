/// A declaration and what it runs; a program is an array of these.
package struct Command: Sendable {
  /// What the command is called and accepts.
  package let declaration: CommandDeclaration
  let subcommands: [Command]
  let body: @Sendable (ParsedArguments) throws -> ExitStatus

  /// Joins a declaration with the work; errors thrown by it become a line and an exit status.
  package init(
    _ declaration: CommandDeclaration,
    run body: @escaping @Sendable (ParsedArguments) throws -> ExitStatus
  ) {
    self.declaration = declaration
    self.subcommands = []
    self.body = body
  }

  /// Makes a command of subcommands, as in `facegauge models pull`.
  package init(
    _ name: String, abstract: String, discussion: String = "", options: [any Parameter] = [],
    subcommands: [Command], defaultSubcommand: String? = nil
  ) {
    declaration = CommandDeclaration(
      name, abstract: abstract, discussion: discussion, options: options,
      subcommands: subcommands.map(\.declaration), defaultSubcommand: defaultSubcommand)
    self.subcommands = subcommands
    body = { arguments in throw arguments.usageError("missing subcommand") }
  }

  /// The command that the names lead to, this one for none.
  func find(_ path: some Collection<String>) -> Command? {
    guard let name = path.first else { return self }
    return subcommands.first { $0.declaration.name == name }?.find(path.dropFirst())
  }
}

/// The end of a command for a reason that has an exit status of its own.
package struct CommandFailure: Error, Equatable, CustomStringConvertible {
  /// What the shell sees.
  package let status: ExitStatus
  /// Operation, object, expected, found and position, in one line.
  package let description: String

  /// Makes a failure that is reported as `error:` and the description.
  package init(_ status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }
}
