/// An option, flag or argument of any value type, as a declaration lists it.
package protocol Parameter: Sendable {
  /// Everything that parsing, help, completions and the man page read.
  var specification: ParameterSpecification { get }
}

/// One parameter without its value type: the single source of parsing, help, completions and man page.
package struct ParameterSpecification: Sendable {
  /// How the parameter is recognised on a command line; short names are without their dash.
  package enum Form: Sendable, Equatable {
    case argument
    case option(short: Character?)
    case flag(short: Character?)
  }

  /// How often the parameter is given.
  package enum Occurrence: Sendable, Equatable {
    case once
    case atMostOnce
    case repeated(minimum: Int)
  }

  /// In kebab-case, without dashes or brackets.
  package let name: String
  /// Argument, option or flag.
  package let form: Form
  /// How often it may and must be given.
  package let occurrence: Occurrence
  /// What stands between angle brackets after an option.
  package let valueName: String
  /// Sentences that state its purpose and its unit.
  package let help: String
  /// The accepted values, such as `0 to 1`.
  package let summary: String?
  /// The default as the user would type it, or what happens without it.
  package let defaultText: String?
  /// What a shell offers instead of the value.
  package let completion: Completion

  /// Turns the words given for the parameter into its value in a `Box`; nil if they are too few.
  let resolve: @Sendable ([String]) throws(RejectedWord) -> (any Sendable)?
  /// Whether a word could be a value of the parameter.
  let accepts: @Sendable (String) -> Bool
  /// A word as its value is written, the same for all words of one value; the word itself where it has none.
  let spelling: @Sendable (String) -> String
}

/// A word that is no value of its parameter.
struct RejectedWord: Error {
  let word: String
  let mismatch: ValueMismatch
}

/// A value of exactly this type, so that reading it back needs no optional casts.
struct Box<Value: Sendable>: Sendable {
  let value: Value
}

extension ParameterSpecification {
  init<Element: Sendable, Value: Sendable>(
    _ name: String, form: Form, occurrence: Occurrence, valueName: String?,
    syntax: ValueSyntax<Element>, defaultText: String? = nil, help: String,
    value: @escaping @Sendable ([Element]) -> Value?
  ) {
    self.name = name
    self.form = form
    self.occurrence = occurrence
    self.valueName = valueName ?? name
    self.help = help
    self.summary = syntax.summary
    self.defaultText = defaultText
    self.completion = syntax.completion
    self.resolve = { words throws(RejectedWord) in
      var elements: [Element] = []
      for word in words {
        do throws(ValueMismatch) {
          elements.append(try syntax.parse(word))
        } catch {
          throw RejectedWord(word: word, mismatch: error)
        }
      }
      return value(elements).map { Box(value: $0) }
    }
    self.accepts = { word in (try? syntax.parse(word)) != nil }
    self.spelling = { word in (try? syntax.parse(word)).map(syntax.write) ?? word }
  }

  /// The short name of an option or flag.
  package var short: Character? {
    switch form {
    case .argument: nil
    case .option(let short), .flag(let short): short
    }
  }

  /// Whether the parameter is named on the command line and followed by a value.
  package var takesValue: Bool {
    if case .option = form { true } else { false }
  }

  /// Whether a command line without it is refused.
  package var isRequired: Bool { minimumCount > 0 }

  /// The fewest words that it takes.
  package var minimumCount: Int {
    switch occurrence {
    case .once: 1
    case .atMostOnce: 0
    case .repeated(let minimum): minimum
    }
  }

  /// Whether it may be given more than once.
  package var isRepeated: Bool {
    if case .repeated = occurrence { true } else { false }
  }

  /// The names as typed, the short one first: `["-o", "--output"]`; empty for an argument.
  package var names: [String] {
    form == .argument ? [] : (short.map { ["-\($0)"] } ?? []) + ["--\(name)"]
  }

  /// The parameter as a message or a synopsis names it: `<dataset>`, `--output <run>` or `--json`.
  package var label: String {
    switch form {
    case .argument: "<\(name)>"
    case .option: "--\(name) <\(valueName)>"
    case .flag: "--\(name)"
    }
  }

  /// The label with brackets where it may be left out and dots where it repeats.
  package var synopsis: String {
    let dots = isRepeated ? " ..." : ""
    return isRequired ? label + dots : "[\(label)\(dots)]"
  }

  /// The help text with the accepted values and the default in parentheses at its end.
  package var fullHelp: String {
    let remarks = [summary, defaultText.map { "default: \($0)" }].compactMap { $0 }
    return remarks.isEmpty ? help : "\(help) (\(remarks.joined(separator: "; ")))"
  }
}
