internal import Platform

/// Writes one manual page, in roff with the man macros, for a program and all its subcommands.
package struct ManPage {
  /// The program with all its subcommands.
  package let program: CommandDeclaration
  /// The program's version, for the page's foot.
  package let version: String

  /// Makes the page of a program.
  package init(program: CommandDeclaration, version: String) {
    self.program = program
    self.version = version
  }

  /// The page in roff.
  package func rendered() -> String {
    var lines = [
      ".TH \(quoted(program.name.uppercased())) 1 \"\" \(quoted("\(program.name) \(version)"))",
      ".nh", ".ad l", ".SH NAME", "\(escaped(program.name)) \\- \(escaped(program.abstract))",
      ".SH SYNOPSIS",
    ]
    lines += synopsis(of: program, path: [program.name])
    if !program.discussion.isEmpty { lines += [".SH DESCRIPTION"] + prose(program.discussion) }
    lines += [".SH OPTIONS"] + parameters(program.allOptions)
    let commands = program.everyCommand().dropFirst()
    if !commands.isEmpty { lines.append(".SH SUBCOMMANDS") }
    for (path, command) in commands {
      lines.append(".SS \(quoted(path.joined(separator: " ")))")
      lines += [escaped(command.abstract) + "."] + synopsis(of: command, path: path)
      if !command.discussion.isEmpty { lines += [".PP"] + prose(command.discussion) }
      lines += parameters(command.arguments + command.options)
    }
    lines.append(".SH EXIT STATUS")
    for status in ExitStatus.allCases {
      lines += [".TP", ".B \(status.rawValue)", escaped(status.meaning)]
    }
    lines += [
      ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "If set and not empty, nothing is coloured.",
      ".TP", ".B COLUMNS", "The width of help and of the progress bar, in columns.",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private func synopsis(of command: CommandDeclaration, path: [String]) -> [String] {
    let synopsis = Synopsis(of: command, path: path)
    return [".PP", ".B \(escaped(synopsis.name))"] + synopsis.parts.map(escaped)
  }

  private func parameters(_ parameters: [ParameterSpecification]) -> [String] {
    parameters.flatMap { parameter in
      let label = parameter.form == .argument ? parameter.label : parameter.helpLabel
      return [".TP", ".B \(escaped(label))", escaped(parameter.fullHelp)]
    }
  }

  private func prose(_ text: String) -> [String] {
    var lines: [String] = []
    var isExample = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("  ") != isExample && !line.isEmpty {
        isExample.toggle()
        lines.append(isExample ? ".nf" : ".fi")
      }
      lines.append(line.isEmpty ? ".PP" : escaped(String(line)))
    }
    return lines + (isExample ? [".fi"] : [])
  }

  private func quoted(_ text: String) -> String {
    "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\""
  }

  private func escaped(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
