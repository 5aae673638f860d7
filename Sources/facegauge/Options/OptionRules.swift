import CommandSyntax

/// Combinations of parameters that single declarations cannot exclude.
extension ParsedArguments {
  /// Throws for the first parameter that is given without the one that it requires.
  func require(_ needed: any Parameter, for parameters: any Parameter...) throws(UsageError) {
    if !isGiven(needed) { try refuse(parameters, "requires \(needed.quoted)") }
  }

  /// Throws for the first parameter that is given together with another one.
  func refuse(_ parameters: any Parameter..., with other: any Parameter) throws(UsageError) {
    if isGiven(other) { try refuse(parameters, "cannot be combined with \(other.quoted)") }
  }

  /// Throws for the first of some parameters that is given; `reason` goes on after its name.
  func refuse(_ parameters: [any Parameter], _ reason: String) throws(UsageError) {
    guard let parameter = parameters.first(where: isGiven) else { return }
    throw usageError("\(parameter.quoted) \(reason)")
  }
}

extension Parameter {
  /// The option as messages name it, such as `'--seed'`.
  var quoted: String { "'--\(specification.name)'" }
}
