/// Lays out a command's help as the Swift toolchain does.
struct HelpText {
  let command: CommandDeclaration
  /// The names that lead to the command, the program's own first.
  let path: [String]
  let columns: Int

  private static let helpColumn = 26

  /// The whole text; its last line ends with a newline.
  func rendered() -> String {
    let sections = [
      overview, discussion, usage,
      table("ARGUMENTS", command.arguments.map { ($0.label, $0.fullHelp) }),
      table("OPTIONS", command.allOptions.map { ($0.helpLabel, $0.fullHelp) }),
      table("SUBCOMMANDS", command.subcommands.map { (subcommandLabel($0), $0.abstract) }),
      pointer,
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }

  /// What matters most; the last line names what has the rest.
  func renderedShort() -> String {
    guard command.subcommands.isEmpty else { return rendered() }
    let options =
      command.essentials.isEmpty
      ? command.options : command.options.filter { command.essentials.contains($0.name) }
    let sections = [
      overview, usage(Synopsis(of: command, path: path).short), example,
      table("ARGUMENTS", command.arguments.map { ($0.label, shortened($0)) }),
      table("OPTIONS", options.map { ($0.helpLabel, shortened($0)) }),
      TextWrapping.lines(
        of: options.count < command.options.count
          ? "'\(path.joined(separator: " ")) --help' explains more and lists all "
            + "\(command.options.count) options."
          : "'\(path.joined(separator: " ")) --help' explains more.", columns: columns),
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }

  /// A parameter's help without its pointer to the discussion, which short help does not show.
  private func shortened(_ parameter: ParameterSpecification) -> String {
    parameter.fullHelp.replacing(", see above", with: "")
  }

  private func usage(_ text: String) -> [String] {
    TextWrapping.lines(of: "USAGE: \(text)", columns: columns)
  }

  /// The first example of the discussion.
  private var example: [String] {
    command.discussion.split(separator: "\n").first { $0.hasPrefix("  \(path[0]) ") }
      .map { [String($0)] } ?? []
  }

  private var overview: [String] {
    TextWrapping.lines(of: "OVERVIEW: \(command.abstract)", columns: columns)
  }

  private var discussion: [String] {
    command.discussion.isEmpty
      ? [] : TextWrapping.paragraphs(of: command.discussion, columns: columns)
  }

  private var usage: [String] {
    let synopsis = Synopsis(of: command, path: path)
    let indent = 8
    var lines = TextWrapping.lines(
      of: ["USAGE: \(synopsis.name)"] + synopsis.parts, columns: columns - indent)
    let first = lines.removeFirst()
    return [first] + indented(lines, by: indent)
  }

  private func subcommandLabel(_ subcommand: CommandDeclaration) -> String {
    subcommand.name + (subcommand.name == command.defaultSubcommand ? " (default)" : "")
  }

  private var pointer: [String] {
    guard !command.subcommands.isEmpty, let program = path.first else { return [] }
    let names = [program, "help"] + path.dropFirst() + ["<subcommand>"]
    let text = "See '\(names.joined(separator: " "))' for detailed help."
    return indented(TextWrapping.lines(of: text, columns: columns - 2), by: 2)
  }

  private func table(_ title: String, _ rows: [(label: String, text: String)]) -> [String] {
    rows.isEmpty ? [] : ["\(title):"] + rows.flatMap { row(label: "  " + $0.label, text: $0.text) }
  }

  private func row(label: String, text: String) -> [String] {
    let lines = indented(
      TextWrapping.lines(of: text, columns: columns - Self.helpColumn), by: Self.helpColumn)
    guard label.displayWidth < Self.helpColumn, let first = lines.first else {
      return [label] + lines
    }
    return ["\(label)\(first.dropFirst(label.displayWidth))"] + lines.dropFirst()
  }

  private func indented(_ lines: [String], by columns: Int) -> [String] {
    lines.map { String(repeating: " ", count: columns) + $0 }
  }
}

extension ParameterSpecification {
  /// The names and the value as help lists them: `-o, --output <run>`.
  var helpLabel: String {
    names.joined(separator: ", ") + (takesValue ? " <\(valueName)>" : "")
  }
}
