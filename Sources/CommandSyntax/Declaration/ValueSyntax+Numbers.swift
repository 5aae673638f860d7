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
      lower: range.lowerBound == -Double.greatestFiniteMagnitude ? nil : plain(range.lowerBound),
      upper: range.upperBound == Double.greatestFiniteMagnitude ? nil : plain(range.upperBound))
    return Self(summary: span.summary) { word throws(ValueMismatch) in
      let isDecimal = word.allSatisfy { $0.isASCIIDigit || "+-.eE".contains($0) }
      guard isDecimal, let value = Double(word), range.contains(value) else {
        throw ValueMismatch(expected: span.expectation(of: "a number"))
      }
      return value
    } write: {
      plain($0)
    }
  }

  private static func plain(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
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
