/// A named parameter such as `--num-faces 2`; `arguments[option]` is a `Value`.
///
/// Names are kebab-case without dashes. Help states the unit; the accepted values and the default
/// are added to it. `valueName` stands between angle brackets and is the option's name if left out.
package struct Option<Value: Sendable>: Parameter {
  /// The option without its value type.
  package let specification: ParameterSpecification

  /// Declares an option that has a value when it is not given.
  package init(
    _ name: String, short: Character? = nil, valueName: String? = nil,
    _ syntax: ValueSyntax<Value>, default value: Value, help: String
  ) {
    specification = ParameterSpecification(
      name, form: .option(short: short), occurrence: .atMostOnce, valueName: valueName,
      syntax: syntax, defaultText: syntax.write(value), help: help
    ) { $0.first ?? value }
  }

  /// Declares an option without which the command line is refused.
  package init(
    required name: String, short: Character? = nil, valueName: String? = nil,
    _ syntax: ValueSyntax<Value>, help: String
  ) {
    specification = ParameterSpecification(
      name, form: .option(short: short), occurrence: .once, valueName: valueName,
      syntax: syntax, help: help
    ) { $0.first }
  }

  /// Declares an option that is nil when it is not given; help shows `otherwise` as its default.
  package init<Wrapped>(
    _ name: String, short: Character? = nil, valueName: String? = nil,
    _ syntax: ValueSyntax<Wrapped>, otherwise: String? = nil, help: String
  ) where Value == Wrapped? {
    specification = ParameterSpecification(
      name, form: .option(short: short), occurrence: .atMostOnce, valueName: valueName,
      syntax: syntax, defaultText: otherwise, help: help
    ) { .some($0.first) }
  }

  /// Declares an option that may be given several times, each time with one value.
  package init<Element>(
    repeating name: String, short: Character? = nil, valueName: String? = nil,
    _ syntax: ValueSyntax<Element>, minimum: Int = 0, otherwise: String? = nil, help: String
  ) where Value == [Element] {
    specification = ParameterSpecification(
      name, form: .option(short: short), occurrence: .repeated(minimum: minimum),
      valueName: valueName, syntax: syntax, defaultText: otherwise, help: help
    ) { $0.count < minimum ? nil : $0 }
  }
}

/// A named parameter without a value, such as `--json`; `arguments[flag]` is true if it was given.
package struct Flag: Parameter {
  /// What parsing and the documents read.
  package let specification: ParameterSpecification

  /// Declares a flag by its kebab-case name without dashes.
  package init(_ name: String, short: Character? = nil, help: String) {
    specification = ParameterSpecification(
      name, form: .flag(short: short), occurrence: .atMostOnce, valueName: nil,
      syntax: .string, help: help
    ) { !$0.isEmpty }
  }
}
