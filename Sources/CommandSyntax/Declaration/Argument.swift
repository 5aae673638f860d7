/// A parameter known by its position, such as `<dataset>`; `arguments[argument]` is a `Value`.
package struct Argument<Value: Sendable>: Parameter {
  /// The argument without its value type.
  package let specification: ParameterSpecification

  /// Declares an argument that must be given.
  package init(_ name: String, _ syntax: ValueSyntax<Value>, help: String) {
    specification = ParameterSpecification(
      name, form: .argument, occurrence: .once, valueName: nil, syntax: syntax, help: help
    ) { $0.first }
  }

  /// Declares an argument that is nil when it is not given.
  ///
  /// With other arguments after it, it takes a word only if that is one of its values.
  package init<Wrapped>(
    optional name: String, _ syntax: ValueSyntax<Wrapped>, otherwise: String? = nil, help: String
  ) where Value == Wrapped? {
    specification = ParameterSpecification(
      name, form: .argument, occurrence: .atMostOnce, valueName: nil, syntax: syntax,
      defaultText: otherwise, help: help
    ) { .some($0.first) }
  }

  /// Declares an argument that takes as many words as there are, and at least `minimum`.
  package init<Element>(
    repeating name: String, _ syntax: ValueSyntax<Element>, minimum: Int = 1, help: String
  ) where Value == [Element] {
    specification = ParameterSpecification(
      name, form: .argument, occurrence: .repeated(minimum: minimum), valueName: nil,
      syntax: syntax, help: help
    ) { $0.count < minimum ? nil : $0 }
  }
}
