internal import Records

extension Objective {
  /// Reads `max FIGURE` or `min FIGURE`, then perhaps `where FIGURE <= NUMBER and …`.
  ///
  /// A number may be followed by `with 95 %`, the confidence with which the limit must hold. A name starts with a letter and has letters, digits and `. _ @ : -`. Throws one line that says what
  /// should be where, also for over 1,000 characters.
  package init(parsing text: String) throws(CalibrationError) {
    let characters = Array(text.prefix(ObjectiveReader.lengthLimit + 1))
    var reader = ObjectiveReader(text: characters)
    guard characters.count <= ObjectiveReader.lengthLimit else {
      throw reader.wrong(
        "\(ObjectiveReader.lengthLimit) characters at most", found: "more",
        at: ObjectiveReader.lengthLimit)
    }
    self = try reader.objective()
  }
}

private struct ObjectiveReader {
  static let lengthLimit = 1000

  let text: [Character]
  var position = 0

  init(text: [Character]) {
    self.text = text
  }

  mutating func objective() throws(CalibrationError) -> Objective {
    let start = place()
    let goal = word()
    guard goal == "max" || goal == "min" else {
      throw wrong("'max' or 'min'", found: shown(goal), at: start)
    }
    var objective = Objective(
      better: goal == "max" ? .higher : .lower, figure: try figure(), limits: [])
    guard place() < text.count else { return objective }
    try keyword("where", or: "the end")
    objective.limits.append(try limit())
    while place() < text.count {
      let start = place()
      let found = word()
      if found == "with", let last = objective.limits.indices.last,
        objective.limits[last].confidence == nil
      {
        objective.limits[last].confidence = try confidence()
      } else if found == "and" {
        objective.limits.append(try limit())
      } else {
        throw wrong("'and', 'with 95 %' or the end", found: shown(found), at: start)
      }
    }
    return objective
  }

  private mutating func limit() throws(CalibrationError) -> Objective.Limit {
    let name = try figure()
    let start = place()
    let sign = String(text[start...].prefix { "<>=".contains($0) })
    guard let relation = Objective.Relation(rawValue: sign) else {
      throw wrong("<=, >=, < or >", found: sign.isEmpty ? nextShown : "'\(sign)'", at: start)
    }
    position += sign.count
    return Objective.Limit(figure: name, relation: relation, bound: try number())
  }

  /// Takes a percentage between 50 and 100, as a share.
  private mutating func confidence() throws(CalibrationError) -> Double {
    let start = place()
    let digits = String(text[start...].prefix { "0123456789.".contains($0) })
    position += digits.count
    guard let percent = Double(digits), percent > 50, percent < 100, place() < text.count,
      text[place()] == "%"
    else {
      throw wrong(
        "a confidence between 50 % and 100 %, such as 95 %",
        found: digits.isEmpty ? nextShown : quoted(digits), at: start)
    }
    position += 1
    return percent / 100
  }

  private mutating func figure() throws(CalibrationError) -> String {
    let start = place()
    let name = word()
    guard !name.isEmpty, !["max", "min", "where", "and", "with"].contains(name) else {
      throw wrong("the name of a figure", found: shown(name), at: start)
    }
    return name
  }

  private mutating func keyword(_ keyword: String, or other: String) throws(CalibrationError) {
    let start = place()
    let found = word()
    guard found == keyword else {
      throw wrong("'\(keyword)' or \(other)", found: shown(found), at: start)
    }
  }

  private mutating func number() throws(CalibrationError) -> Double {
    let start = place()
    let digits = String(text[start...].prefix { !$0.isWhitespace && !"<>=".contains($0) })
    guard digits.allSatisfy({ "0123456789.eE+-".contains($0) }), let number = Double(digits),
      number.isFinite
    else {
      throw wrong("a finite number", found: digits.isEmpty ? nextShown : quoted(digits), at: start)
    }
    position += digits.count
    return number
  }

  /// Takes a name or keyword; empty where there is none.
  private mutating func word() -> String {
    let start = place()
    guard start < text.count, Self.isLetter(text[start]) else { return "" }
    let word = text[start...].prefix {
      Self.isLetter($0) || $0.isASCII && $0.isNumber || "._@:-".contains($0)
    }
    position += word.count
    return String(word)
  }

  private static func isLetter(_ character: Character) -> Bool {
    character.isASCII && character.isLetter
  }

  /// Where the next character is that is no space.
  private mutating func place() -> Int {
    while position < text.count, text[position].isWhitespace { position += 1 }
    return position
  }

  private var nextShown: String { position < text.count ? "'\(text[position])'" : "the end" }

  private func shown(_ word: String) -> String { word.isEmpty ? nextShown : quoted(word) }

  private func quoted(_ word: String) -> String { "'\(word.prefix(60))'" }

  func wrong(_ expected: String, found: String, at place: Int) -> CalibrationError {
    .malformedObjective(expected: expected, found: found, character: place + 1)
  }
}
