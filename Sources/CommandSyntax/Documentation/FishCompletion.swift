/// Writes a completion script for fish 3 or later.
struct FishCompletion {
  let program: CommandDeclaration

  func rendered() -> String {
    let commands = program.everyCommand()
    let paths = commands.dropFirst().map { quoted($0.path.joined(separator: "/")) }
    return """
      # Completes \(program.name) in fish: keep this file as
      # ~/.config/fish/completions/\(program.name).fish

      function \(test)
        set -l path \(program.name)
        for word in (commandline -opc)[2..-1]
          switch "$path/$word"
            case \(paths.joined(separator: " "))
              set path "$path/$word"
          end
        end
        test $path = $argv[1]
      end

      complete -c \(program.name) -f
      \(commands.flatMap(completions).joined(separator: "\n"))

      """
  }

  private var test: String {
    "_" + CommandDeclaration.shellFunction([program.name]) + "_at"
  }

  private func completions(path: [String], command: CommandDeclaration) -> [String] {
    let condition = "-n \(quoted("\(test) \(path.joined(separator: "/"))"))"
    let prefix = "complete -c \(program.name) \(condition)"
    let subcommands = command.subcommands.map { subcommand in
      "\(prefix) -a \(quoted(subcommand.name)) -d \(quoted(subcommand.abstract))"
    }
    let options = command.allOptions.map { option in
      let names = (option.short.map { "-s \($0) " } ?? "") + "-l \(option.name)"
      let value = option.takesValue ? " -r" + action(option.completion) : ""
      return "\(prefix) \(names)\(value) -d \(quoted(option.help))"
    }
    let arguments = command.arguments.filter { $0.completion != .nothing }
    return subcommands + arguments.map { prefix + action($0.completion) } + options
  }

  private func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: return " -f"
    case .words(let words): return " -f -a \(quoted(words.joined(separator: " ")))"
    case .files(let extensions) where extensions.isEmpty: return " -F"
    case .files(let extensions):
      let suffixes = extensions.map { "(__fish_complete_suffix .\($0))" }
      return " -f -a \(quoted(suffixes.joined(separator: " ")))"
    case .directories: return " -f -a '(__fish_complete_directories)'"
    }
  }

  private func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
