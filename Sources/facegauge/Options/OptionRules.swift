import CommandSyntax

/// Combinations of parameters that single declarations cannot exclude.
extension ParsedArguments {
  /// Throws for the first parameter that is given without the one that it requires.
  func require(_ needed: any Parameter, for parameters: any Parameter...) throws(UsageError) {
    guard !isGiven(needed), let parameter = parameters.first(where: isGiven) else { return }
    throw usageError("\(parameter.quoted) requires \(needed.quoted)")
  }

  /// Throws for the first parameter that is given together with another one.
  func refuse(_ parameters: any Parameter..., with other: any Parameter) throws(UsageError) {
    guard isGiven(other), let parameter = parameters.first(where: isGiven) else { return }
    throw usageError("\(parameter.quoted) cannot be combined with \(other.quoted)")
  }
}

extension Parameter {
  /// The option as messages name it, such as `'--seed'`.
  var quoted: String { "'--\(specification.name)'" }
}
