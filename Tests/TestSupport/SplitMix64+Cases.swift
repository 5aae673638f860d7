package import Statistics

/// Cases that a seed alone makes, the same here and in Tests/Oracles/case_stream.py.
extension SplitMix64 {
  /// A whole number in 0..<count.
  package mutating func below(_ count: Int) -> Int {
    Int(next() % UInt64(count))
  }

  /// A multiple of 1/64, which a Float holds exactly.
  package mutating func between(_ low: Int, _ high: Int) -> Double {
    Double(low) + Double(below((high - low) * 64)) / 64
  }
}
