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
    expect(arguments.allSatisfy { $0.form == .argument }, "an option is listed as an argument")
    expect(options.allSatisfy { $0.form != .argument }, "an argument is listed as an option")
    expect(
      arguments.filter(\.isRepeated).count <= 1, "more than one argument takes any number of words")
    for argument in arguments.dropLast() where argument.occurrence == .atMostOnce {
      if case .words = argument.completion { continue }
      mistakes.append(
        "the optional argument '\(argument.name)' has others behind it and is not a choice")
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
