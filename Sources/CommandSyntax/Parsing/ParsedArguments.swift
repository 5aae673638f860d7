/// The values of a command line, already checked against the declaration of its command.
///
/// A declared parameter always has a value of its type. Asking for one that the command does not
/// declare is a mistake in the program and stops it, as an index outside an array does.
package struct ParsedArguments: Sendable {
  /// The names that lead to the command, the program's own first.
  package let commandPath: [String]
  let usage: String
  private let values: [String: any Sendable]
  private let given: Set<String>

  init(
    commandPath: [String], usage: String, values: [String: any Sendable], given: Set<String>
  ) {
    self.commandPath = commandPath
    self.usage = usage
    self.values = values
    self.given = given
  }

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
    given.contains(parameter.specification.label)
  }

  /// An error for a combination of values that single declarations cannot exclude; exit status 64.
  package func usageError(_ message: String) -> UsageError {
    UsageError(message, usage: usage, command: commandPath.joined(separator: " "))
  }

  private func value<Value: Sendable>(of parameter: ParameterSpecification) -> Value {
    guard let box = values[parameter.label] as? Box<Value> else {
      preconditionFailure(
        "'\(commandPath.joined(separator: " "))' does not declare \(parameter.label)")
    }
    return box.value
  }
}
