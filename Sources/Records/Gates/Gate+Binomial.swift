internal import Platform
internal import Statistics

/// How many of a metric's samples lie beyond a gate's limit.
package struct LimitCount: Sendable, Hashable {
  /// All samples.
  package var samples: Int
  /// Those beyond the limit.
  package var beyond: Int

  /// Makes a count.
  package init(samples: Int, beyond: Int) {
    self.samples = samples
    self.beyond = beyond
  }
}

extension Gate {
  /// The confidence of a binomial verdict where a gate states none.
  package static let defaultConfidence = 0.99

  /// The percentile that the metric's name ends in, 1...99, such as 95 for `latency.total.p95`; nil for others.
  package static func percentile(of metric: String) -> Int? {
    guard let word = metric.split(separator: ".").last, word.first == "p", word.count <= 3,
      let percent = Int(word.dropFirst()), 1...99 ~= percent
    else { return nil }
    return percent
  }

  /// The verdict over `beyond` of n independent samples on the claim that the p-quantile keeps the limit.
  ///
  /// With the quantile just at the limit the number beyond is Bin(n, 1 − p). It passes if the
  /// probability of this many or fewer is at most 1 − confidence, fails if that of this many or more is, and is
  /// otherwise inconclusive.
  package static func binomialVerdict(
    percent: Int, count: LimitCount, confidence: Double
  ) -> (verdict: Verdict, probability: Double) {
    let beyond = BinomialDistribution(
      trials: count.samples, probability: Double(100 - percent) / 100)
    let few = beyond.probability(atMost: count.beyond)
    if few <= 1 - confidence { return (.pass, few) }
    let many = beyond.probability(atLeast: count.beyond)
    return many <= 1 - confidence ? (.fail, many) : (.inconclusive, min(few, many))
  }

  /// The minimum number of samples that passes with this many beyond the limit.
  package static func samplesNeeded(
    percent: Int, beyond: Int, confidence: Double
  ) -> Int {
    func passes(_ samples: Int) -> Bool {
      let count = LimitCount(samples: samples, beyond: beyond)
      return binomialVerdict(percent: percent, count: count, confidence: confidence).verdict
        == .pass
    }
    var high = max(1, beyond)
    while !passes(high) { high *= 2 }
    var low = high / 2
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if passes(middle) { high = middle } else { low = middle }
    }
    return high
  }

  /// Scores a limit on a percentile by how many samples lie beyond it.
  func evaluateByCount(_ count: LimitCount?, value: Double?, _ words: GateWords) -> (
    verdict: Verdict, sentence: String
  ) {
    let found = value.map { "\(words.subject) is \(words.text(of: $0, apartFrom: limit))" }
    guard let percent = Gate.percentile(of: metric), let limit, direction == .atMost else {
      return (.fail, "\(words.subject) is no percentile with a largest value, which fails.")
    }
    guard let count, count.samples > 0 else {
      return (
        .inconclusive,
        (found.map { "\($0), but its" } ?? "The \(words.subject)")
          + " single samples cannot be counted here, which does not decide \(words.limit)."
      )
    }
    let confidence = confidence ?? Gate.defaultConfidence
    let (verdict, probability) = Gate.binomialVerdict(
      percent: percent, count: count, confidence: confidence)
    let limitText = words.text(of: limit)
    let counted =
      "\(found ?? words.subject): \(count.beyond.groupedText) of \(count.samples.groupedText) "
      + "samples are over \(limitText)"
    let share = "\(100 - percent) %"
    let bound = probability < 0.0001 ? "under 0.0001" : probability.shortText()
    let chance = "(probability \(bound) if \(share) were over it)"
    let atLevel = "\(words.limit) at confidence \(confidence.plainText)"
    switch verdict {
    case .pass: return (verdict, "\(counted), few enough \(chance) for \(atLevel).")
    case .fail: return (verdict, "\(counted), too many \(chance) for \(atLevel).")
    case .inconclusive:
      let needs = Gate.samplesNeeded(
        percent: percent, beyond: count.beyond, confidence: confidence)
      return (
        verdict,
        "\(counted), which does not decide \(atLevel): with \(count.beyond.groupedText) over, "
          + "\(needs.groupedText) samples would pass."
      )
    }
  }
}
