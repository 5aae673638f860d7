internal import Platform

/// Decimal text of numbers that reads back as the same number.
package enum ExactText {
  /// The shortest decimal that reads back as the same 32-bit number, or as the same 64-bit one if it needs more.
  package static func of(_ number: Double) -> String {
    let single = Float(number)
    var text = "\(number)"
    if Double(single) == number, Double("\(single)").map({ Float($0) == single }) ?? false {
      text = "\(single)"
    }
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A sum from which a reader that subtracts `other` gets the number that `of` writes.
  static func of(_ number: Double, plus other: Double) -> String {
    ((Double(of(number)) ?? number) + other).plainText
  }
}
