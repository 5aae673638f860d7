/// Names in the order in which people count: img2 before img10.
struct NaturalOrder: Comparable {
  let name: String
  private let bytes: [UInt8]

  init(_ name: String) {
    self.name = name
    bytes = Array(name.utf8)
  }

  static func == (one: NaturalOrder, other: NaturalOrder) -> Bool { one.bytes == other.bytes }

  static func < (one: NaturalOrder, other: NaturalOrder) -> Bool {
    var (left, right) = (one.bytes[...], other.bytes[...])
    while let first = left.first, let second = right.first {
      guard isDigit(first), isDigit(second) else {
        guard first == second else { return first < second }
        left.removeFirst()
        right.removeFirst()
        continue
      }
      let (number, other) = (left.prefix(while: isDigit), right.prefix(while: isDigit))
      left = left.dropFirst(number.count)
      right = right.dropFirst(other.count)
      let (digits, others) = (number.drop { $0 == zero }, other.drop { $0 == zero })
      if digits.count != others.count { return digits.count < others.count }
      if !digits.elementsEqual(others) { return digits.lexicographicallyPrecedes(others) }
    }
    if left.isEmpty != right.isEmpty { return left.isEmpty }
    // Equal but for leading zeros.
    return one.bytes.lexicographicallyPrecedes(other.bytes)
  }

  private static let zero = UInt8(ascii: "0")
  private static func isDigit(_ byte: UInt8) -> Bool { (zero...zero + 9).contains(byte) }
}
