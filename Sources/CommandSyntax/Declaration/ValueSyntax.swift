internal import Platform

/// How one word of a command line becomes a value, and how help and completions speak of it.
package struct ValueSyntax<Value: Sendable>: Sendable {
  /// The accepted values as help shows them, such as `0 to 1`; nil shows none.
  package let summary: String?
  /// What a shell offers after the option.
  package let completion: Completion
  /// Reads a word; throws what was expected instead.
  package let parse: @Sendable (String) throws(ValueMismatch) -> Value
  /// Writes a value as the user would type it.
  package let write: @Sendable (Value) -> String

  /// Describes a syntax of the caller's own.
  package init(
    summary: String? = nil,
    completion: Completion = .nothing,
    parse: @escaping @Sendable (String) throws(ValueMismatch) -> Value,
    write: @escaping @Sendable (Value) -> String = { "\($0)" }
  ) {
    self.summary = summary
    self.completion = completion
    self.parse = parse
    self.write = write
  }
}

/// Why a word is not a value: what the syntax expected, as in `a number from 0 to 1`.
package struct ValueMismatch: Error, Equatable {
  /// Completes the sentence "expected …".
  package let expected: String

  /// Makes a mismatch from the end of the sentence "expected …".
  package init(expected: String) {
    self.expected = expected
  }
}

/// What a shell may offer instead of a value.
package enum Completion: Sendable, Equatable {
  case nothing
  case words([String])
  /// Files whose names end in one of the extensions (without the dot), or any file if there are none.
  case files(extensions: [String])
  case directories
}

extension ValueSyntax<String> {
  /// Any text but the empty one.
  package static var string: Self {
    nonEmpty(expected: "text that is not empty", completion: .nothing)
  }

  /// A file or folder; whether it exists is for the command to find out.
  package static var path: Self {
    path(extensions: [])
  }

  /// A file that shells complete by its extensions, which are otherwise not enforced.
  package static func path(extensions: [String]) -> Self {
    nonEmpty(expected: "a path", completion: .files(extensions: extensions))
  }

  /// A folder; whether it exists is for the command to find out.
  package static var directory: Self {
    nonEmpty(expected: "a path", completion: .directories)
  }

  /// One of the names, exactly as written.
  package static func choice(of names: [String]) -> Self {
    .choice(names.map { ($0, $0) })
  }

  private static func nonEmpty(expected: String, completion: Completion) -> Self {
    Self(completion: completion) { word throws(ValueMismatch) in
      guard !word.isEmpty else { throw ValueMismatch(expected: expected) }
      return word
    } write: {
      $0
    }
  }
}

extension ValueSyntax
where Value: RawRepresentable & CaseIterable & Equatable, Value.RawValue == String {
  /// One of the type's cases, by raw value.
  package static func choice(_: Value.Type = Value.self) -> Self {
    .choice(Value.allCases.map { ($0.rawValue, $0) })
  }
}

extension ValueSyntax where Value: Equatable {
  /// One of the named values, exactly as the names are written.
  package static func choice(_ values: [(name: String, value: Value)]) -> Self {
    let names = values.map(\.name)
    return Self(
      summary: "values: " + names.joined(separator: ", "), completion: .words(names)
    ) { word throws(ValueMismatch) in
      if let match = values.first(where: { $0.name == word }) { return match.value }
      let quoted = names.map { "'\($0)'" }.joined(separator: ", ")
      throw ValueMismatch(
        expected: (names.count == 1 ? quoted : "one of \(quoted)")
          + Suggestion.clause(for: word, among: names))
    } write: { value in
      values.first { $0.value == value }?.name ?? "\(value)"
    }
  }
}

extension ValueSyntax<Int> {
  /// A whole number in decimal digits.
  package static func integer(in range: ClosedRange<Int> = .min ... .max) -> Self {
    let span = Span(
      lower: range.lowerBound == .min ? nil : "\(range.lowerBound)",
      upper: range.upperBound == .max ? nil : "\(range.upperBound)")
    return Self(summary: span.summary) { word throws(ValueMismatch) in
      if let value = Int(word), range.contains(value) { return value }
      let digits = word.drop { $0 == "-" || $0 == "+" }
      let overflows = Int(word) == nil && !digits.isEmpty && digits.allSatisfy(\.isASCIIDigit)
      throw ValueMismatch(
        expected: overflows
          ? "an integer from \(range.lowerBound) to \(range.upperBound)"
          : span.expectation(of: "an integer"))
    }
  }
}

extension ValueSyntax<Double> {
  /// A finite decimal number; `nan`, `inf` and hexadecimal are refused.
  package static func number(
    in range: ClosedRange<Double> = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
  ) -> Self {
    let span = Span(
      lower: range.lowerBound == -Double.greatestFiniteMagnitude ? nil : range.lowerBound.plainText,
      upper: range.upperBound == Double.greatestFiniteMagnitude ? nil : range.upperBound.plainText)
    return Self(summary: span.summary) { word throws(ValueMismatch) in
      let isDecimal = word.allSatisfy { $0.isASCIIDigit || "+-.eE".contains($0) }
      guard isDecimal, let value = Double(word), range.contains(value) else {
        throw ValueMismatch(expected: span.expectation(of: "a number"))
      }
      return value
    } write: {
      $0.plainText
    }
  }

  /// A whole number in decimal digits.
  package static func whole(in range: ClosedRange<Double>) -> Self {
    let whole = ValueSyntax<Int>.integer(in: Int(range.lowerBound)...Int(range.upperBound))
    return Self(summary: whole.summary) { word throws(ValueMismatch) in
      Double(try whole.parse(word))
    } write: {
      $0.plainText
    }
  }
}

/// The written ends of a range of numbers; nil where it is open.
private struct Span: Sendable {
  let lower: String?
  let upper: String?

  var summary: String? {
    switch (lower, upper) {
    case (nil, nil): nil
    case (let lower?, nil): "\(lower) or more"
    case (nil, let upper?): "\(upper) or less"
    case (let lower?, let upper?): "\(lower) to \(upper)"
    }
  }

  func expectation(of noun: String) -> String {
    switch (lower, upper) {
    case (nil, nil): noun
    case (let lower?, nil): "\(noun) of at least \(lower)"
    case (nil, let upper?): "\(noun) of at most \(upper)"
    case (let lower?, let upper?): "\(noun) from \(lower) to \(upper)"
    }
  }
}

extension Character {
  var isASCIIDigit: Bool { isASCII && isNumber }
}

extension ValueSyntax<[String]> {
  /// Some of the names, with commas between them.
  package static func list(of names: [String]) -> Self {
    Self(
      summary: "values, separated by commas: " + names.joined(separator: ", "),
      completion: .words(names)
    ) { word throws(ValueMismatch) in
      let chosen = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      for name in chosen where !names.contains(name) {
        let quoted = names.map { "'\($0)'" }.joined(separator: ", ")
        throw ValueMismatch(
          expected: "some of \(quoted), separated by commas"
            + Suggestion.clause(for: name, among: names))
      }
      return chosen
    } write: {
      $0.joined(separator: ",")
    }
  }
}
