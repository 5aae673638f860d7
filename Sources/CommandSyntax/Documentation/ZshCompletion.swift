internal import Platform

/// Writes a completion script for zsh: one function for each command, over `_arguments`.
struct ZshCompletion {
  let program: CommandDeclaration

  func rendered() -> String {
    let functions = program.everyCommand().map(function).joined(separator: "\n")
    let main = CommandDeclaration.shellFunction([program.name])
    return """
      #compdef \(program.name)
      # Completes \(program.name) in zsh: keep this file as \(main) in a folder of $fpath.

      \(functions)
      if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
        \(main) "$@"
      else
        compdef \(main) \(program.name)
      fi

      """
  }

  private func function(path: [String], command: CommandDeclaration) -> String {
    let name = CommandDeclaration.shellFunction(path)
    let options = command.allOptions.map(specification)
    if command.subcommands.isEmpty {
      let arguments = command.arguments.enumerated().map(argument)
      return """
        \(name)() {
          _arguments -S \\
            \((options + arguments).joined(separator: " \\\n    "))
        }

        """
    }
    let subcommands = command.subcommands.map { subcommand in
      shellQuoted("\(subcommand.name):\(subcommand.abstract)")
    }
    let calls = command.subcommands.map { subcommand in
      "\(subcommand.name)) \(CommandDeclaration.shellFunction(path + [subcommand.name])) ;;"
    }
    return """
      \(name)() {
        local context curcontext=$curcontext state line
        typeset -A opt_args
        local -a subcommands=(
          \(subcommands.joined(separator: "\n    "))
        )
        _arguments -C -S \\
          \((options + ["'1: :->subcommand'", "'*:: :->rest'"]).joined(separator: " \\\n    "))
        case $state in
          subcommand) _describe subcommand subcommands ;;
          rest)
            case $words[1] in
              \(calls.joined(separator: "\n        "))
            esac
            ;;
        esac
      }

      """
  }

  private func specification(_ option: ParameterSpecification) -> String {
    let help = shellQuoted("[\(escaped(option.help))]\(value(of: option))")
    let names = option.names.map { $0 + (option.takesValue && $0.hasPrefix("--") ? "=" : "") }
    let exclusion =
      option.isRepeated ? "'*'" : shellQuoted("(\(option.names.joined(separator: " ")))")
    let alternatives = names.count > 1 ? "{\(names.joined(separator: ","))}" : names.joined()
    return exclusion + alternatives + help
  }

  private func value(of option: ParameterSpecification) -> String {
    option.takesValue ? ":\(option.valueName):\(action(option.completion))" : ""
  }

  private func argument(index: Int, argument: ParameterSpecification) -> String {
    let action = "\(argument.name):\(action(argument.completion))"
    return switch argument.occurrence {
    case .repeated: shellQuoted("*:\(action)")
    case .once: shellQuoted("\(index + 1):\(action)")
    case .atMostOnce: shellQuoted("\(index + 1)::\(action)")
    }
  }

  private func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " "
    case .words(let words): "(\(words.map(escaped).joined(separator: " ")))"
    case .files(let extensions) where extensions.isEmpty: "_files"
    case .files(let extensions) where extensions.count == 1: "_files -g \"*.\(extensions[0])\""
    case .files(let extensions): "_files -g \"*.(\(extensions.joined(separator: "|")))\""
    case .directories: "_files -/"
    }
  }

  private func escaped(_ text: String) -> String {
    text.reduce("") { $0 + ("[]:\\()".contains($1) ? "\\\($1)" : "\($1)") }
  }
}
