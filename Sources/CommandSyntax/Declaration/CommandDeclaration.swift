/// A command's name, description and parameters; the parser and every document are made from it.
package struct CommandDeclaration: Sendable {
  /// The command's name in kebab-case.
  package let name: String
  /// One line without a full stop.
  package let abstract: String
  /// Paragraphs for help and the man page; lines that begin with two spaces are kept unchanged.
  package let discussion: String
  /// In the order of the command line.
  package let arguments: [ParameterSpecification]
  /// Options and flags, in the order in which help lists them.
  package let options: [ParameterSpecification]
  /// Names of the options that short help lists; none where it lists all.
  package let essentials: [String]
  /// What to give in place of an option that other commands have, by its name with dashes.
  package let elsewhere: [String: String]
  /// In the order in which help lists them; empty for a command without subcommands.
  package let subcommands: [CommandDeclaration]
  /// The subcommand to run when none is named; nil if one is required.
  package let defaultSubcommand: String?
}

extension CommandDeclaration {
  /// Declares a command that runs, or one that is made of subcommands.
  package init(
    _ name: String, abstract: String, discussion: String = "",
    arguments: [any Parameter] = [], options: [any Parameter] = [], essentials: [String] = [],
    elsewhere: [String: String] = [:], subcommands: [CommandDeclaration] = [],
    defaultSubcommand: String? = nil
  ) {
    self.init(
      name: name, abstract: abstract, discussion: discussion,
      arguments: arguments.map(\.specification), options: options.map(\.specification),
      essentials: essentials, elsewhere: elsewhere, subcommands: subcommands,
      defaultSubcommand: defaultSubcommand)
  }

  /// The flags that every command has.
  package static let globalOptions: [ParameterSpecification] = [
    Flag("version", help: "Show the version.").specification,
    Flag("help", short: "h", help: "Show help: -h one screen, --help all.").specification,
  ]

  /// The command's own options followed by the global ones.
  package var allOptions: [ParameterSpecification] { options + Self.globalOptions }

  func subcommand(_ name: String) -> CommandDeclaration? {
    subcommands.first { $0.name == name }
  }

  /// The commands on the path of names from this one; nil if there is none.
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

extension CommandDeclaration {
  /// What is wrong with the declaration and those below it, one sentence each; a test expects none.
  package var mistakes: [String] {
    everyCommand().flatMap { path, command in
      command.ownMistakes.map { "\(path.joined(separator: " ")): \($0)" }
    }
  }

  private var ownMistakes: [String] {
    var mistakes: [String] = []
    func expect(_ isRight: Bool, _ mistake: @autoclosure () -> String) {
      if !isRight { mistakes.append(mistake()) }
    }
    expect(Self.isKebabCase(name), "the name '\(name)' is not kebab-case")
    expect(!abstract.isEmpty, "the abstract is empty")
    expect(!abstract.hasSuffix("."), "the abstract ends with a full stop")
    for repeated in Self.repeated(in: subcommands.map(\.name)) {
      mistakes.append("the subcommand '\(repeated)' is declared twice")
    }
    for repeated in Self.repeated(in: arguments.map(\.name) + allOptions.flatMap(\.names)) {
      mistakes.append("'\(repeated)' is declared twice")
    }
    if let defaultSubcommand {
      expect(
        subcommand(defaultSubcommand) != nil,
        "the default subcommand '\(defaultSubcommand)' is not declared")
    }
    for parameter in arguments + options {
      let word =
        parameter.form == .argument
        ? String(parameter.name.prefix { $0 != "." }) : parameter.name
      expect(Self.isKebabCase(word), "'\(parameter.name)' is not kebab-case")
      expect(parameter.help.hasSuffix("."), "the help of '\(parameter.name)' has no full stop")
    }
    for name in essentials {
      expect(options.contains { $0.name == name }, "no option is named '\(name)'")
    }
    expect(
      !essentials.isEmpty || options.count <= 12,
      "\(options.count) options, and none is named for short help")
    expect(arguments.allSatisfy { $0.form == .argument }, "an option is listed as an argument")
    expect(options.allSatisfy { $0.form != .argument }, "an argument is listed as an option")
    expect(
      arguments.filter(\.isRepeated).count <= 1, "more than one argument takes any number of words")
    for argument in arguments.dropLast() where argument.occurrence == .atMostOnce {
      if case .words = argument.completion { continue }
      mistakes.append(
        "the optional argument '\(argument.name)' has others after it and is not a choice")
    }
    return mistakes
  }

  private static func isKebabCase(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return (name.first?.isLetter ?? false)
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
      }
  }

  private static func repeated(in names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { !seen.insert($0).inserted }
  }
}
