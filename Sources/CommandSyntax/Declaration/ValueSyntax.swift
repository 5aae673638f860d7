/// How one word of a command line becomes a value, and how help and completions speak of it.
package struct ValueSyntax<Value: Sendable>: Sendable {
  /// What help says of the accepted values, such as `0 to 1`; nil says nothing.
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

/// What a shell may offer in place of a value.
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
