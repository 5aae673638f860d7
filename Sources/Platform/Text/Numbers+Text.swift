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
    let fraction = String(units % Int64(scale))
    return sign + whole + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }

  /// About that many significant digits; whole digits are never rounded away.
  ///
  /// Less than 10⁻¹² is what rounding leaves of 0.
  package func text(significantDigits: Int = 3) -> String {
    guard isFinite else { return "–" }
    guard magnitude >= 1e-12 else { return "0" }
    guard magnitude >= 1e-6 else { return description }
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

  /// At most that many significant digits, without zeros at the end of the decimals.
  package func shortText(significantDigits: Int = 3) -> String {
    var text = text(significantDigits: significantDigits)
    guard text.contains("."), !text.contains("e") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// The shortest text that reads back as this number, without a trailing `.0`.
  package var plainText: String {
    description.hasSuffix(".0") ? String(description.dropLast(2)) : description
  }
}

extension BinaryInteger {
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
