/// The SplitMix64 of Steele, Lea and Flood 2014: the same numbers for the same seed, everywhere.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the stream of a seed.
  package init(seed: UInt64) {
    state = seed
  }

  /// Starts the stream of one of many draws that share a seed.
  package init(seed: UInt64, draw: Int) {
    var first = SplitMix64(seed: seed)
    var second = SplitMix64(seed: first.next() ^ UInt64(truncatingIfNeeded: draw))
    state = second.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
