internal import Platform

/// A command-line program: its commands, its documents and the way from words to an exit status.
package struct Program: Sendable {
  /// Shown by `--version` and on the manual page.
  package let version: String
  private let root: Command
  private let status: @Sendable (any Error) -> ExitStatus

  private static let completionShell = Option(
    "generate-completion-script", valueName: "shell", .choice(CompletionShell.self),
    help: "Print a completion script for a shell.")
  private static let manualPage = Flag(
    "generate-man-page", help: "Print the manual page in roff.")

  /// Makes a program.
  ///
  /// - Parameters:
  ///   - abstract: one line without a full stop.
  ///   - status: the exit status for an error that a command throws; errors of this module have
  ///     theirs already.
  package init(
    _ name: String, version: String, abstract: String, discussion: String = "",
    commands: [Command], status: @escaping @Sendable (any Error) -> ExitStatus = { _ in .failure }
  ) {
    self.version = version
    self.status = status
    root = Command(
      name, abstract: abstract, discussion: discussion,
      options: [Self.completionShell, Self.manualPage], subcommands: commands)
  }

  /// The whole program's declaration, from which every document is made.
  package var declaration: CommandDeclaration { root.declaration }

  /// The help of the command that the names (without the program's) lead to; nil if there is none.
  ///
  /// Short help is one screen: what, usage, an example, the options that matter most.
  package func help(
    for path: [String] = [], isShort: Bool = false, columns: Int = 80
  ) -> String? {
    declaration.path(path).flatMap { commands in
      commands.last.map { command in
        let text = HelpText(command: command, path: commands.map(\.name), columns: columns)
        return isShort ? text.renderedShort() : text.rendered()
      }
    }
  }

  /// The manual page in roff, of the program and all its subcommands.
  package var manPage: String { ManPage(program: declaration, version: version).rendered() }

  /// Runs the process's command line and ends the process with its status.
  package func main() -> Never {
    Interruption.install()
    do throws(Interrupted) {
      ProcessFacts.end(try run(ProgramArguments.words).rawValue)
    } catch {
      Interruption.endProcess(error)
    }
  }

  /// Runs a command line without the program's name; errors are reported, not thrown.
  ///
  /// - Throws: ``Interrupted`` if a command ended because it was asked to stop.
  package func run(
    _ words: [String], diagnostics: Diagnostics = .standardError,
    output: @Sendable (String) throws(StandardOutputError) -> Void = StandardOutput.write
  ) throws(Interrupted) -> ExitStatus {
    do {
      return try perform(words, diagnostics: diagnostics, output: output)
    } catch let error as Interrupted {
      diagnostics.note("interrupted")
      throw error
    } catch let error as UsageError {
      diagnostics.error(error.message)
      diagnostics.print(error.hint)
      return .usage
    } catch let error as CommandFailure {
      diagnostics.error(error.description)
      return error.status
    } catch let error as StandardOutputError {
      diagnostics.error(error.description)
      return .inputOutputError
    } catch {
      diagnostics.error("\(error)")
      return status(error)
    }
  }

  private func perform(
    _ words: [String], diagnostics: Diagnostics,
    output: (String) throws(StandardOutputError) -> Void
  ) throws -> ExitStatus {
    switch try declaration.parse(words) {
    case .version:
      try output("\(declaration.name) \(version)\n")
    case .help(let path, let isShort):
      let columns = Self.columns(of: .standardOutput)
      try output(help(for: path, isShort: isShort, columns: columns) ?? "")
    case .missingSubcommand(let path):
      diagnostics.error("missing subcommand")
      diagnostics.print(help(for: path, columns: Self.columns(of: diagnostics.terminal)) ?? "")
      return .usage
    case .run(let path, let arguments):
      if path.isEmpty, let shell = arguments[Self.completionShell] {
        try output(shell.script(for: declaration))
      } else if path.isEmpty, arguments[Self.manualPage] {
        try output(manPage)
      } else if let command = root.find(path) {
        return try command.body(arguments)
      }
    }
    return .success
  }

  private static func columns(of terminal: Terminal) -> Int {
    min(max(terminal.columns, 50), 100)
  }
}
