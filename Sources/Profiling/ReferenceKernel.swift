internal import Platform

/// A fixed piece of work whose time shows how fast a machine is at the moment.
///
/// Times of two runs on other days are compared after division by it. It is frozen: a change of the work makes
/// stored times incomparable, and so needs another `version`. Half of it are multiplications with additions over
/// 128 KiB, half a chain of dependent integer steps.
package enum ReferenceKernel {
  /// The version of the work.
  package static let version = 1

  /// Nanoseconds of each of some runs, one after the other; the first of all is not counted.
  package static func nanoseconds(runs: Int) -> [UInt64] {
    var values = (0..<2048).map { SIMD8<Float>(repeating: Float($0) / 2048) }
    let factors = (0..<2048).map { SIMD8<Float>(repeating: 1 - Float($0) / 1e6) }
    var word: UInt64 = 1
    return (0...max(runs, 0)).map { _ in
      let begin = MonotonicClock.nanoseconds()
      work(&values, factors, &word)
      return MonotonicClock.nanoseconds() &- begin
    }.dropFirst().map(\.self)
  }

  @inline(never)
  private static func work(
    _ values: inout [SIMD8<Float>], _ factors: [SIMD8<Float>], _ word: inout UInt64
  ) {
    let one = SIMD8<Float>(repeating: 1)
    for _ in 0..<64 {
      for index in values.indices { values[index] = values[index] * factors[index] + one }
    }
    for _ in 0..<100_000 {
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9 &+ UInt64(values.count)
    }
  }
}
