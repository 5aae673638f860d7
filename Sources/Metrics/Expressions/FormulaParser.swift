internal import FaceCore
internal import Platform
internal import Records

/// Why a text is no formula: what should be where.
package struct FormulaError: Error, Hashable, CustomStringConvertible {
  /// What should be there.
  package let expected: String
  /// What is there.
  package let found: String
  /// Where, counted in characters from 1.
  package let character: Int

  /// One line without a full stop.
  package var description: String {
    "expected \(expected), found \(found) at character \(character)"
  }
}

extension ExpressionFormula {
  /// Reads sums, products, brackets, `max`, `min`, `mean`, `abs`, coefficients and `strongest`.
  ///
  /// Throws for anything else, for over 1,000 characters and for over 50 brackets in one another.
  package init(parsing text: String) throws(FormulaError) {
    let characters = Array(text.prefix(FormulaParser.lengthLimit + 1))
    guard characters.count <= FormulaParser.lengthLimit else {
      throw FormulaError(
        expected: "\(FormulaParser.lengthLimit) characters at most", found: "more",
        character: FormulaParser.lengthLimit + 1)
    }
    var parser = FormulaParser(text: characters)
    self = try parser.whole()
  }
}

private struct FormulaParser {
  static let lengthLimit = 1000
  static let depthLimit = 50

  let text: [Character]
  var position = 0
  var depth = 0

  mutating func whole() throws(FormulaError) -> ExpressionFormula {
    let formula = try sum()
    guard next() == nil else { throw wrong("an operator or the end") }
    return formula
  }

  private mutating func sum() throws(FormulaError) -> ExpressionFormula {
    var formula = try product()
    while let sign = take([.plus, .minus]) { formula = .joined(sign, formula, try product()) }
    return formula
  }

  private mutating func product() throws(FormulaError) -> ExpressionFormula {
    var formula = try factor()
    while let sign = take([.times, .over]) { formula = .joined(sign, formula, try factor()) }
    return formula
  }

  private mutating func factor() throws(FormulaError) -> ExpressionFormula {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw wrong("\(Self.depthLimit) brackets and signs in one another at most", found: "more")
    }
    switch next() {
    case "-":
      position += 1
      return .negated(try factor())
    case "(":
      position += 1
      let formula = try sum()
      try close()
      return formula
    case let first? where first.isASCII && (first.isNumber || first == "."): return try number()
    case let first? where first.isASCII && first.isLetter || first == "_": return try named()
    default: throw wrong("a number, a blendshape or a bracket")
    }
  }

  private mutating func number() throws(FormulaError) -> ExpressionFormula {
    let start = position
    while position < text.count, text[position].isASCII {
      let isSign = "+-".contains(text[position]) && "eE".contains(text[position - 1])
      guard text[position].isNumber || text[position].isLetter || text[position] == "." || isSign
      else { break }
      position += 1
    }
    let word = String(text[start..<position])
    guard let value = Double(word), value.isFinite,
      word.allSatisfy({ "0123456789.eE+-".contains($0) })
    else { throw wrong("a finite number", found: "'\(word.prefix(60))'", at: start) }
    return .number(value)
  }

  private mutating func named() throws(FormulaError) -> ExpressionFormula {
    let start = position
    while position < text.count, text[position].isASCII,
      text[position].isLetter || text[position].isNumber || text[position] == "_"
    {
      position += 1
    }
    let word = String(text[start..<position])
    if let function = ExpressionFormula.Function(rawValue: word) {
      guard next() == "(" else { throw wrong("'(' after \(word)") }
      return try call(function, at: start)
    }
    if word == "strongest" { return .strongest }
    if let blendshape = Blendshape(rawValue: word) { return .coefficient(blendshape) }
    let known =
      Blendshape.names + ["strongest"] + ExpressionFormula.Function.allCases.map(\.rawValue)
    throw wrong(
      "a blendshape" + Suggestion.perhaps(word, among: known), found: "'\(word.prefix(60))'",
      at: start)
  }

  private mutating func call(
    _ function: ExpressionFormula.Function, at start: Int
  ) throws(FormulaError) -> ExpressionFormula {
    position += 1
    var arguments = [try sum()]
    while next() == "," {
      position += 1
      arguments.append(try sum())
    }
    try close()
    guard function != .abs || arguments.count == 1 else {
      throw wrong("one value in abs", found: "\(arguments.count)", at: start)
    }
    return .call(function, arguments)
  }

  private mutating func close() throws(FormulaError) {
    guard next() == ")" else { throw wrong("an operator or ')'") }
    position += 1
  }

  /// The next character that is not a space, which is not taken.
  private mutating func next() -> Character? {
    while position < text.count, text[position].isWhitespace { position += 1 }
    return position < text.count ? text[position] : nil
  }

  private mutating func take(
    _ signs: [ExpressionFormula.Operator]
  ) -> ExpressionFormula.Operator? {
    guard let sign = next().flatMap({ ExpressionFormula.Operator(rawValue: $0) }),
      signs.contains(sign)
    else { return nil }
    position += 1
    return sign
  }

  private func wrong(_ expected: String) -> FormulaError {
    let found = position < text.count ? "'\(text[position])'" : "the end"
    return wrong(expected, found: found)
  }

  private func wrong(_ expected: String, found: String, at index: Int? = nil) -> FormulaError {
    FormulaError(expected: expected, found: found, character: (index ?? position) + 1)
  }
}
