/// Writes a completion script for bash 4 or later.
struct BashCompletion {
  let program: CommandDeclaration

  func rendered() -> String {
    let commands = program.everyCommand()
    return """
      # Completes \(program.name) in bash: source this file, or keep it as
      # ~/.local/share/bash-completion/completions/\(program.name)

      \(function)() {
        local current=${COMP_WORDS[COMP_CWORD]} path=\(program.name) pending= ended= position=0
        local word index extension candidates=() files=
        COMPREPLY=()
        for ((index = 1; index < COMP_CWORD; index++)); do
          word=${COMP_WORDS[index]}
          if [[ $word == '=' && -n $pending ]]; then
            continue
          elif [[ -n $pending ]]; then
            pending=
          elif [[ -n $ended ]]; then
            position=$((position + 1))
          elif [[ $word == -- ]]; then
            ended=1
          elif [[ $word == -?* ]]; then
            case "$path $word" in
      \(commands.flatMap(pendingCases).joined(separator: "\n"))
            esac
          else
            case "$path/$word" in
      \(commands.dropFirst().map { "        \(shellQuoted($0.path.joined(separator: "/")))) path=$path/$word ;;" }.joined(separator: "\n"))
              *) position=$((position + 1)) ;;
            esac
          fi
        done
        [[ $current == '=' && -n $pending ]] && current=
        if [[ -n $pending ]]; then
          case "$path $pending" in
      \(commands.flatMap(valueCases).joined(separator: "\n"))
          esac
        elif [[ $current == -* && -z $ended ]]; then
          case $path in
      \(commands.map(optionCase).joined(separator: "\n"))
          esac
        else
          case $path in
      \(commands.compactMap(argumentCase).joined(separator: "\n"))
          esac
        fi
        for word in "${candidates[@]}"; do
          [[ $word == "$current"* ]] && COMPREPLY+=("$word")
        done
        if [[ -n $files ]]; then
          compopt -o filenames 2>/dev/null
          while IFS= read -r word; do
            COMPREPLY+=("$word")
          done < <(
            if [[ $files == any ]]; then
              compgen -f -- "$current"
            else
              compgen -d -- "$current"
              for extension in ${files#directories}; do
                compgen -f -X "!*.$extension" -- "$current"
              done
            fi | sort -u
          )
        fi
      }

      complete -F \(function) \(program.name)

      """
  }

  private typealias Command = (path: [String], declaration: CommandDeclaration)

  private var function: String { CommandDeclaration.shellFunction([program.name]) }

  private func pendingCases(_ command: Command) -> [String] {
    let path = command.path.joined(separator: "/")
    let names = command.declaration.options.filter(\.takesValue).flatMap(\.names)
    if names.isEmpty { return [] }
    let patterns = names.map { shellQuoted("\(path) \($0)") }
    return ["        \(patterns.joined(separator: " | "))) pending=$word ;;"]
  }

  private func valueCases(_ command: Command) -> [String] {
    let path = command.path.joined(separator: "/")
    return command.declaration.options.filter { $0.takesValue && $0.completion != .nothing }.map {
      option in
      let patterns = option.names.map { shellQuoted("\(path) \($0)") }
      return "      \(patterns.joined(separator: " | "))) \(assignment(option.completion)) ;;"
    }
  }

  private func optionCase(_ command: Command) -> String {
    let names = command.declaration.allOptions.flatMap(\.names).map(shellQuoted)
    return "      \(shellQuoted(command.path.joined(separator: "/"))))"
      + " candidates=(\(names.joined(separator: " "))) ;;"
  }

  private func argumentCase(_ command: Command) -> String? {
    let (path, declaration) = command
    let subcommands = declaration.subcommands.map { shellQuoted($0.name) }
    var lines =
      subcommands.isEmpty
      ? [] : ["((position == 0)) && candidates=(\(subcommands.joined(separator: " ")))"]
    for (index, argument) in declaration.arguments.enumerated()
    where argument.completion != .nothing {
      let positions = declaration.positions(of: index)
      let end = positions.upperBound == .max ? "" : " && position <= \(positions.upperBound)"
      lines.append(
        "((position >= \(positions.lowerBound)\(end))) && \(assignment(argument.completion))")
    }
    if lines.isEmpty { return nil }
    let body = lines.map { "        \($0)" }.joined(separator: "\n")
    return "      \(shellQuoted(path.joined(separator: "/"))))\n\(body)\n        ;;"
  }

  private func assignment(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ":"
    case .words(let words): "candidates+=(\(words.map(shellQuoted).joined(separator: " ")))"
    case .files(let extensions) where extensions.isEmpty: "files=any"
    case .files(let extensions):
      "files=\(shellQuoted("directories " + extensions.joined(separator: " ")))"
    case .directories: "files=directories"
    }
  }
}
