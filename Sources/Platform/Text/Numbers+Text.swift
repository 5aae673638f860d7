extension Double {
  /// Digits with that many decimals and commas between thousands; `–` where it is not finite.
  package func text(decimals: Int) -> String {
    guard isFinite else { return "–" }
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let scaled = (magnitude * scale).rounded()
    guard scaled < 9e15 else { return description }
    let units = Int64(scaled)
    let whole = (units / Int64(scale)).groupedText
    let sign = self < 0 && units > 0 ? "−" : ""
    guard decimals > 0 else { return sign + whole }
    return sign + whole + "." + (units % Int64(scale)).padded(to: decimals)
  }

  /// About that many significant digits; whole digits are never rounded away.
  ///
  /// Less than 10⁻¹² is what rounding leaves of 0.
  package func text(significantDigits: Int = 3) -> String {
    guard isFinite else { return "–" }
    guard magnitude >= 1e-12 else { return "0" }
    guard magnitude >= 1e-6 else { return powerText(significantDigits: significantDigits) }
    var decimals = significantDigits - 1
    var bound = magnitude
    while bound >= 9.9999999, decimals > 0 {
      bound /= 10
      decimals -= 1
    }
    while bound < 0.99999999 {
      bound *= 10
      decimals += 1
    }
    return text(decimals: decimals)
  }

  /// A number below 1 with a power of ten, such as `2.16e-9`.
  private func powerText(significantDigits: Int) -> String {
    var (mantissa, exponent) = (self, 0)
    // What would be rounded to 10 is 1 of the next power.
    let highest = 10 - 0.5 / (1..<significantDigits).reduce(1.0) { product, _ in product * 10 }
    while mantissa.magnitude * 10 < highest {
      mantissa *= 10
      exponent -= 1
    }
    return mantissa.text(decimals: significantDigits - 1) + "e\(exponent)"
  }

  /// At most that many significant digits, without zeros at the end of the decimals.
  package func shortText(significantDigits: Int = 3) -> String {
    let parts = text(significantDigits: significantDigits)
      .split(separator: "e", maxSplits: 1).map(String.init)
    var digits = parts[0]
    if digits.contains(".") {
      while digits.last == "0" { digits.removeLast() }
      if digits.last == "." { digits.removeLast() }
    }
    return ([digits] + parts.dropFirst()).joined(separator: "e")
  }

  /// The shortest text that reads back as this number, without a trailing `.0`.
  package var plainText: String {
    description.hasSuffix(".0") ? String(description.dropLast(2)) : description
  }
}

extension BinaryInteger {
  /// At least so many digits, with zeros before them.
  package func padded(to count: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }

  /// Digits with commas between thousands, such as `12,345`.
  package var groupedText: String {
    let digits = String(magnitude)
    let head = digits.count % 3
    var groups = head > 0 ? [String(digits.prefix(head))] : []
    var rest = digits.dropFirst(head)
    while !rest.isEmpty {
      groups.append(String(rest.prefix(3)))
      rest = rest.dropFirst(3)
    }
    return (self < 0 ? "−" : "") + groups.joined(separator: ",")
  }
}
