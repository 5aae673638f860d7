/// The values of a command line, already checked against the declaration of its command.
///
/// A declared parameter always has a value of its type. Asking for one that the command does not
/// declare is a mistake in the program and stops it, as an index outside an array does.
package struct ParsedArguments: Sendable {
  /// The names that lead to the command, the program's own first.
  package let commandPath: [String]
  let usage: String
  let values: [String: any Sendable]
  /// What the command line has for the parameters that it names, in the order of their declaration.
  let words: [(parameter: ParameterSpecification, words: [String])]

  /// The option's value, or its default.
  package subscript<Value>(option: Option<Value>) -> Value {
    value(of: option.specification)
  }

  /// The argument's value.
  package subscript<Value>(argument: Argument<Value>) -> Value {
    value(of: argument.specification)
  }

  /// Whether the flag was given.
  package subscript(flag: Flag) -> Bool {
    value(of: flag.specification)
  }

  /// Whether the command line itself names the parameter, so that its value is not the default.
  package func isGiven(_ parameter: any Parameter) -> Bool {
    words.contains { $0.parameter.label == parameter.specification.label }
  }

  /// The names and values that the command line has, for another command line; a flag's value is empty.
  ///
  /// In the order of their declaration, with one spelling for equal values.
  package func given(
    where isMeant: (ParameterSpecification) -> Bool
  ) -> [(name: String, value: String)] {
    words.filter { isMeant($0.parameter) }.flatMap { parameter, words in
      let isFlag = !parameter.takesValue && parameter.form != .argument
      return words.map { (parameter.name, isFlag ? "" : parameter.spelling($0)) }
    }
  }

  /// An error for a combination of values that single declarations cannot exclude; exit status 64.
  package func usageError(_ message: String) -> UsageError {
    UsageError(message: message, usage: usage, command: commandPath.joined(separator: " "))
  }

  private func value<Value: Sendable>(of parameter: ParameterSpecification) -> Value {
    guard let box = values[parameter.label] as? Box<Value> else {
      preconditionFailure(
        "'\(commandPath.joined(separator: " "))' does not declare \(parameter.label)")
    }
    return box.value
  }
}
