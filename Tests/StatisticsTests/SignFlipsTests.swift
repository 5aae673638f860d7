import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  var p: [Double]
  var holm: [[[Double]]]
}

private func pairs(_ number: Int) -> (first: [Double], second: [Double]) {
  var stream = SplitMix64(seed: UInt64(30_000 + number))
  let count = 2 + stream.below(11)
  let kind = stream.below(5)
  let first = (0..<count).map { _ in Double(stream.below(65)) / 64 }
  var second = (0..<count).map { _ in Double(stream.below(65)) / 64 }
  switch kind {
  case 0: second = first
  case 1: second = first.map { $0 + 0.25 }
  case 2: second = second.indices.map { $0 % 2 == 1 ? first[$0] : second[$0] }
  default: break
  }
  return (first, second)
}

private func difference(_ first: [Double], _ second: [Double], swaps: [Bool]) -> Double {
  let signed = zip(zip(first, second), swaps).map { pair, swap in
    swap ? pair.0 - pair.1 : pair.1 - pair.0
  }
  return signed.reduce(0, +) / Double(signed.count)
}

@Suite struct SignFlipsTests {
  /// SciPy's two-sided p is twice the smaller side; the exact distribution is symmetric, so both agree.
  @Test(.tags(.oracle)) func `p of all permutations is SciPy's permutation_test of paired samples`()
    throws
  {
    let expected = try Oracles.read("paired_permutations", as: Expected.self)
    try #require(expected.p.count == 150)
    for (number, p) in expected.p.enumerated() {
      let (first, second) = pairs(number)
      let flips = SignFlips(clusters: first.count, atMost: 1 << 12, seed: 1)
      #expect(flips.areAll && flips.count == 1 << first.count)
      let permuted = (0..<flips.count).map {
        difference(first, second, swaps: flips.swaps(ofPermutation: $0))
      }
      let own = try #require(flips.p(of: permuted[0], permuted: permuted))
      #expect(abs(own - p) < 1e-12, "case \(number)")
    }
  }

  @Test func `the least p is that of the fewest extreme permutations`() {
    let all = SignFlips(clusters: 10, atMost: 2000, seed: 1)
    #expect(all.count == 1024 && all.leastP == 2.0 / 1024)
    let some = SignFlips(clusters: 40, atMost: 99, seed: 1)
    #expect(some.count == 99 && some.leastP == 0.01)
  }

  @Test func `random permutations come near the p of all, and are never 0`() throws {
    for number in 0..<40 {
      let (first, second) = pairs(number)
      guard first.count >= 8 else { continue }
      let all = SignFlips(clusters: first.count, atMost: 1 << 12, seed: 3)
      let some = SignFlips(clusters: first.count, atMost: 200, seed: 3)
      #expect(!some.areAll && some.count == 200)
      func p(_ flips: SignFlips) throws -> Double {
        let whole = difference(first, second, swaps: first.map { _ in false })
        return try #require(
          flips.p(
            of: whole,
            permuted: (0..<flips.count).map {
              difference(first, second, swaps: flips.swaps(ofPermutation: $0))
            }))
      }
      let (exact, sampled) = (try p(all), try p(some))
      #expect(sampled > 0)
      #expect(abs(exact - sampled) < 5 * (exact * (1 - exact) / 200).squareRoot() + 0.01)
    }
  }

  @Test func `the same seed swaps the same clusters, another seed others`() {
    let flips = SignFlips(clusters: 40, atMost: 100, seed: 7)
    let again = SignFlips(clusters: 40, atMost: 100, seed: 7)
    let other = SignFlips(clusters: 40, atMost: 100, seed: 8)
    let swaps = (0..<100).map { flips.swaps(ofPermutation: $0) }
    #expect(swaps == (0..<100).map { again.swaps(ofPermutation: $0) })
    #expect(swaps != (0..<100).map { other.swaps(ofPermutation: $0) })
    let share = Double(swaps.joined().count { $0 }) / 4000
    #expect(abs(share - 0.5) < 0.04)
  }

  @Test func `an undefined permuted difference counts as no less extreme`() {
    let flips = SignFlips(clusters: 2, atMost: 4, seed: 1)
    #expect(flips.p(of: 1, permuted: [1, nil, 0, -0.5]) == 0.5)
    #expect(flips.p(of: 1, permuted: []) == nil)
  }

  @Test func `sums of another order do not make the observed difference the only one of its size`()
  {
    let flips = SignFlips(clusters: 2, atMost: 4, seed: 1)
    // .9 + 1e-6 − .9 is off by 5e-17, 5e-11 of the difference.
    let (exact, summed) = (1e-6, (0.9 + 1e-6) - 0.9)
    #expect(exact != summed)
    let (high, low) = (max(exact, summed), min(exact, summed))
    #expect(flips.p(of: high, permuted: [low, 0, 0, -low]) == 0)
    #expect(flips.p(of: high, permuted: [low, 0, 0, -low], rounding: 1e-12) == 0.5)
  }

  @Test(.tags(.oracle)) func `Holm's adjustment follows its definition`() throws {
    let expected = try Oracles.read("paired_permutations", as: Expected.self)
    try #require(expected.holm.count == 120)
    for (number, family) in expected.holm.enumerated() {
      for (own, wanted) in zip(MultipleTesting.holm(family[0]), family[1]) {
        #expect(abs(own - wanted) < 1e-12, "family \(number)")
      }
    }
  }
}
