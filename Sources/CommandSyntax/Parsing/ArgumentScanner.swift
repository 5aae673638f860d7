internal import Platform

/// Reads the words after a command's name into the values of its parameters.
struct ArgumentScanner {
  let command: CommandDeclaration
  /// The names that lead to the command, the program's own first.
  let path: [String]

  func scan(_ words: ArraySlice<String>) throws(UsageError) -> ParsedArguments {
    var given: [String: [String]] = [:]
    var positional: [String] = []
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        positional += rest
        break
      }
      guard Self.looksLikeOption(word) else {
        positional.append(word)
        continue
      }
      let (option, value) = try scanOption(word, rest: &rest)
      if given[option.label] != nil && !option.isRepeated {
        throw error("option '\(option.names.last ?? word)' is given more than once")
      }
      given[option.label, default: []].append(value)
    }
    for (argument, words) in try assign(positional) { given[argument.label] = words }
    return try resolve(given)
  }

  /// The values of parameters that are named without dashes.
  func assemble(_ values: [(name: String, value: String)]) throws(UsageError) -> ParsedArguments {
    var given: [String: [String]] = [:]
    for (name, value) in values {
      guard
        let parameter = (command.arguments + command.options).first(where: { $0.name == name })
      else { throw error("unknown option '\(name.withControlCharactersEscaped)'") }
      if given[parameter.label] != nil && !parameter.isRepeated {
        throw error("'\(name)' is given more than once")
      }
      let isFlag = !parameter.takesValue && parameter.form != .argument
      given[parameter.label, default: []].append(isFlag ? parameter.label : value)
    }
    return try resolve(given)
  }

  /// Whether a word is meant as an option: it begins with a dash and is neither `-` nor a number, which may have a unit
  /// (`-5f`, `-0.12s`).
  static func looksLikeOption(_ word: String) -> Bool {
    guard word.hasPrefix("-"), let next = word.dropFirst().first(where: { $0 != "." }) else {
      return false
    }
    return !next.isNumber && Double(word) == nil
  }

  private func scanOption(
    _ word: String, rest: inout ArraySlice<String>
  ) throws(UsageError) -> (ParameterSpecification, value: String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? word
    guard let option = command.allOptions.first(where: { $0.names.contains(name) }) else {
      throw unknownOption(name)
    }
    let attached = parts.count > 1 ? String(parts[1]) : nil
    guard option.takesValue else {
      if attached != nil { throw error("option '\(name)' takes no value") }
      return (option, name)
    }
    if let attached { return (option, attached) }
    guard let value = rest.first else {
      throw error("missing value for '\(name)': expected <\(option.valueName)>")
    }
    if Self.looksLikeOption(value) {
      throw error(
        "missing value for '\(name)': expected <\(option.valueName)>, found '\(value)'"
          + " (a value that begins with a dash is written '\(name)=\(value)')")
    }
    rest = rest.dropFirst()
    return (option, value)
  }

  private func assign(
    _ positional: [String]
  ) throws(UsageError) -> [(ParameterSpecification, [String])] {
    var words = positional[...]
    var assigned: [(ParameterSpecification, [String])] = []
    for (index, argument) in command.arguments.enumerated() {
      let following = command.arguments[(index + 1)...]
      let spare = max(0, words.count - following.reduce(0) { $0 + $1.minimumCount })
      let count =
        switch argument.occurrence {
        case .once: 1
        case .atMostOnce where following.isEmpty: 1
        case .atMostOnce:
          // A word that the following arguments need is for them where a file has this name.
          words.prefix(1).count { argument.accepts($0) && (spare > 0 || !FileStatus.isThere($0)) }
        case .repeated(let minimum): max(minimum, spare)
        }
      assigned.append((argument, Array(words.prefix(count))))
      words = words.dropFirst(count)
    }
    if let extra = words.first { throw error("unexpected argument '\(extra)'") }
    return assigned
  }

  private func resolve(_ given: [String: [String]]) throws(UsageError) -> ParsedArguments {
    var values: [String: any Sendable] = [:]
    for parameter in command.arguments + command.options {
      let words = given[parameter.label] ?? []
      let value: (any Sendable)?
      do throws(RejectedWord) {
        value = try parameter.resolve(words)
      } catch {
        throw rejected(error, for: parameter)
      }
      guard let value else { throw missing(parameter, found: words.count) }
      values[parameter.label] = value
    }
    return ParsedArguments(
      commandPath: path, usage: usage, values: values,
      words: (command.arguments + command.options).compactMap { parameter in
        given[parameter.label].flatMap { $0.isEmpty ? nil : (parameter, $0) }
      })
  }
}

extension ArgumentScanner {
  private var usage: String { Synopsis(of: command, path: path).short }

  private func error(_ message: String) -> UsageError {
    UsageError(message: message, usage: usage, command: path.joined(separator: " "))
  }

  private func unknownOption(_ name: String) -> UsageError {
    if let hint = command.elsewhere[name] { return error("unknown option '\(name)': \(hint)") }
    let names = command.allOptions.flatMap(\.names).filter { $0.hasPrefix("--") }
    let typed = name.hasPrefix("--") ? name : "-" + name
    let suggestion = typed.count > 3 ? Suggestion.clause(for: typed, among: names) : ""
    return error("unknown option '\(name)'\(suggestion)")
  }

  private func missing(_ parameter: ParameterSpecification, found: Int) -> UsageError {
    let kind = parameter.form == .argument ? "argument" : "option"
    let count = parameter.minimumCount
    return error(
      "missing \(kind) '\(parameter.label)'"
        + (count > 1 ? ": expected at least \(count), found \(found)" : ""))
  }

  private func rejected(
    _ rejected: RejectedWord, for parameter: ParameterSpecification
  ) -> UsageError {
    let name = parameter.names.last ?? parameter.label
    return error(
      "invalid value '\(rejected.word)' for '\(name)': expected \(rejected.mismatch.expected)")
  }
}
