/// Positions by falling score, found by counting the digits of the scores' bits.
package enum ScoreOrder {
  private static let bitsOfDigit: UInt64 = 11
  private static let low: UInt64 = 0xFFFF_FFFF

  /// Positions of numbers that are not NaN, the highest first; equal ones keep their order.
  ///
  /// There are fewer than 2³² of them.
  package static func descending(_ scores: [Double]) -> [Int] {
    // The high half of a score's key stands over its position; what the low half decides comes last.
    var words = scores.indices.map { index -> UInt64 in key(scores[index]) & ~low | UInt64(index) }
    // Sorting few by comparisons takes less time than counting their digits.
    if words.count < 1 << Int(bitsOfDigit) { words.sort() } else { sortByDigits(&words) }
    var first = 0
    while first < words.count {
      var end = first + 1
      let score = scores[Int(words[first] & low)]
      var isMixed = false
      while end < words.count, words[end] >> 32 == words[first] >> 32 {
        if scores[Int(words[end] & low)] != score { isMixed = true }
        end += 1
      }
      if isMixed {
        words[first..<end].sort {
          let (one, other) = (scores[Int($0 & low)], scores[Int($1 & low)])
          return one > other || (one == other && $0 < $1)
        }
      }
      first = end
    }
    return words.map { Int($0 & low) }
  }

  /// Sorts by the high halves, which takes words of equal ones in their order.
  private static func sortByDigits(_ words: inout [UInt64]) {
    var sorted = words
    for shift in stride(from: 32, to: 64, by: Int(bitsOfDigit)) {
      var counts = [Int](repeating: 0, count: 1 << bitsOfDigit)
      let mask = UInt64(counts.count - 1)
      for word in words { counts[Int(word >> UInt64(shift) & mask)] += 1 }
      guard counts.allSatisfy({ $0 < words.count }) else { continue }
      var start = 0
      for index in counts.indices { (counts[index], start) = (start, start + counts[index]) }
      for word in words {
        let digit = Int(word >> UInt64(shift) & mask)
        sorted[counts[digit]] = word
        counts[digit] += 1
      }
      swap(&words, &sorted)
    }
  }

  /// Smaller for a higher score; both zeros are one.
  private static func key(_ score: Double) -> UInt64 {
    let bits = (score + 0).bitPattern
    return score < 0 ? bits : ~bits & (1 << 63 - 1)
  }
}
