/// What a command is called, says of itself and accepts; parsing and every document are made from it.
package struct CommandDeclaration: Sendable {
  /// The word by which the command is called, in kebab-case.
  package let name: String
  /// One line without a full stop.
  package let abstract: String
  /// Paragraphs for help and the man page; lines that begin with two spaces are kept as they are.
  package let discussion: String
  /// In the order in which they stand on the command line.
  package let arguments: [ParameterSpecification]
  /// Options and flags, in the order in which help lists them.
  package let options: [ParameterSpecification]
  /// In the order in which help lists them; empty for a command that runs by itself.
  package let subcommands: [CommandDeclaration]
  /// The subcommand that is meant when none is named; nil if one must be.
  package let defaultSubcommand: String?

  init(
    name: String, abstract: String, discussion: String, arguments: [ParameterSpecification],
    options: [ParameterSpecification], subcommands: [CommandDeclaration],
    defaultSubcommand: String?
  ) {
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    self.arguments = arguments
    self.options = options
    self.subcommands = subcommands
    self.defaultSubcommand = defaultSubcommand
  }

  /// Declares a command that runs.
  package init(
    _ name: String, abstract: String, discussion: String = "",
    arguments: [any Parameter] = [], options: [any Parameter] = []
  ) {
    self.init(
      name: name, abstract: abstract, discussion: discussion,
      arguments: arguments.map(\.specification), options: options.map(\.specification),
      subcommands: [], defaultSubcommand: nil)
  }

  /// Declares a command that is made of subcommands.
  package init(
    _ name: String, abstract: String, discussion: String = "", options: [any Parameter] = [],
    subcommands: [CommandDeclaration], defaultSubcommand: String? = nil
  ) {
    self.init(
      name: name, abstract: abstract, discussion: discussion, arguments: [],
      options: options.map(\.specification), subcommands: subcommands,
      defaultSubcommand: defaultSubcommand)
  }

  /// The flags that every command has.
  package static let globalOptions: [ParameterSpecification] = [
    Flag("version", help: "Show the version.").specification,
    Flag("help", short: "h", help: "Show help information.").specification,
  ]

  /// The command's own options followed by the global ones.
  package var allOptions: [ParameterSpecification] { options + Self.globalOptions }

  func subcommand(_ name: String) -> CommandDeclaration? {
    subcommands.first { $0.name == name }
  }

  /// The commands from this one to the one that the names lead to; nil if there is none.
  func path(_ names: some Collection<String>) -> [CommandDeclaration]? {
    guard let name = names.first else { return [self] }
    guard let rest = subcommand(name)?.path(names.dropFirst()) else { return nil }
    return [self] + rest
  }

  /// This command and all below it, each with the names that lead to it, this one's included.
  func everyCommand(after prefix: [String] = []) -> [(path: [String], CommandDeclaration)] {
    let path = prefix + [name]
    return [(path, self)] + subcommands.flatMap { $0.everyCommand(after: path) }
  }
}
