import Records
import Statistics
import TestSupport
import Testing

private struct BinomialCases: Decodable, Sendable {
  struct Tail: Decodable, Sendable {
    var n: Int
    var q: Double
    var k: Int
    var atMost: Double
    var atLeast: Double
  }
  struct Evaluated: Decodable, Sendable {
    var percent: Int
    var n: Int
    var t: Int
    var confidence: Double
    var verdict: Verdict
  }
  struct Needed: Decodable, Sendable {
    var percent: Int
    var t: Int
    var confidence: Double
    var n: Int
  }
  var tails: [Tail]
  var verdicts: [Evaluated]
  var needed: [Needed]
}

@Suite struct BinomialGateTests {
  private let cases: BinomialCases

  init() throws {
    cases = try Oracles.read("binomial_gates", as: BinomialCases.self)
  }

  @Test func `tails equal scipy's to a relative 1e-9 up to a million trials`() {
    #expect(cases.tails.count >= 250)
    for tail in cases.tails {
      let distribution = BinomialDistribution(trials: tail.n, probability: tail.q)
      for (own, expected) in [
        (distribution.probability(atMost: tail.k), tail.atMost),
        (distribution.probability(atLeast: tail.k), tail.atLeast),
      ] {
        // Below 1e-280 the terms of scipy's own series underflow one after another.
        #expect(abs(own - expected) <= 1e-9 * expected + 1e-280, "\(tail)")
      }
    }
  }

  @Test func `single probabilities add up to one and are none outside the trials`() {
    for (trials, probability) in [(1, 0.5), (7, 0.01), (40, 0.3), (2000, 0.95)] {
      let distribution = BinomialDistribution(trials: trials, probability: probability)
      let sum = (0...trials).reduce(0) { $0 + distribution.probability(of: $1) }
      #expect(abs(sum - 1) < 1e-12)
      #expect(distribution.probability(of: -1) == 0)
      #expect(distribution.probability(of: trials + 1) == 0)
      #expect(distribution.probability(atMost: trials) == 1)
      #expect(distribution.probability(atLeast: 0) == 1)
      #expect(distribution.probability(atMost: -1) == 0)
      #expect(distribution.probability(atLeast: trials + 1) == 0)
    }
  }

  @Test func `verdicts equal those of the rule computed by scipy`() {
    #expect(Set(cases.verdicts.map(\.verdict)).count == 3)
    for evaluated in cases.verdicts {
      let count = LimitCount(samples: evaluated.n, beyond: evaluated.t)
      let verdict = Gate.binomialVerdict(
        percent: evaluated.percent, count: count, confidence: evaluated.confidence
      ).verdict
      #expect(verdict == evaluated.verdict, "\(evaluated)")
    }
  }

  @Test func `p99 at confidence .99 needs 459 frames with none over, 662 with one, 838 with two`() {
    for needed in cases.needed {
      let own = Gate.samplesNeeded(
        percent: needed.percent, beyond: needed.t, confidence: needed.confidence)
      #expect(own == needed.n, "\(needed)")
    }
    let numbers = (0...2).map { Gate.samplesNeeded(percent: 99, beyond: $0, confidence: 0.99) }
    #expect(numbers == [459, 662, 838])
  }

  private static let gate = Gate(
    metric: "latency.total.p95", direction: .atMost, limit: 4, evaluatedBy: .binomial)

  private static func measured(_ value: Double?, n: Int) -> Measurement {
    Measurement(
      name: "latency.total.p95", stage: "total", value: value,
      reason: value == nil ? "too few" : nil, needs: value == nil ? 20 : nil, unit: "ms",
      better: .lower, n: n)
  }

  @Test(arguments: [
    (90, 0, Verdict.pass), (89, 0, .inconclusive), (90, 1, .inconclusive), (90, 11, .fail),
    (90, 10, .inconclusive),
  ])
  func `a gate evaluates by how many are over its limit`(n: Int, over: Int, verdict: Verdict) {
    let result = Self.gate.evaluate(
      Self.measured(3, n: n), count: LimitCount(samples: n, beyond: over))
    #expect(result.verdict == verdict)
    #expect(result.value == 3)
    #expect(result.message.contains("\(over) of \(n) samples are over 4 ms"))
  }

  @Test func `an inconclusive gate reports how many samples would pass`() {
    let result = Self.gate.evaluate(
      Self.measured(3, n: 30), count: LimitCount(samples: 30, beyond: 0))
    #expect(result.message.hasSuffix("with 0 over, 90 samples would pass."))
  }

  @Test func `a percentile of too few samples is evaluated by the count all the same`() {
    let few = Self.gate.evaluate(Self.measured(nil, n: 8), count: LimitCount(samples: 8, beyond: 0))
    #expect(few.verdict == .inconclusive)
    let bad = Self.gate.evaluate(Self.measured(nil, n: 8), count: LimitCount(samples: 8, beyond: 8))
    #expect(bad.verdict == .fail)
  }

  @Test func `a percentile that is undefined for another reason fails, whatever is counted`() {
    var pooled = Self.measured(nil, n: 900)
    pooled.needs = nil
    pooled.reason = "the frames ran on 2 kinds of machine"
    let result = Self.gate.evaluate(pooled, count: LimitCount(samples: 900, beyond: 0))
    #expect(result.verdict == .fail)
    #expect(result.message.contains("undefined (the frames ran on 2 kinds of machine)"))
  }

  @Test func `without samples to count nothing is decided and without the metric it fails`() {
    #expect(Self.gate.evaluate(Self.measured(3, n: 900)).verdict == .inconclusive)
    #expect(Self.gate.evaluate(nil).verdict == .fail)
    #expect(Self.gate.evaluate(Self.measured(nil, n: 0)).verdict != .pass)
  }

  @Test(arguments: [
    ("latency.total.p95", 95), ("latency.a.b.p1", 1), ("latency.total.p100", nil),
    ("latency.total.p0", nil), ("latency.total.max", nil), ("p9x", nil), ("", nil),
  ])
  func `a percentile is read from the end of a name`(name: String, percent: Int?) {
    #expect(Gate.percentile(of: name) == percent)
  }
}
