internal import Statistics

/// The looks of a relative gate at growing numbers of pairs: when each is due, and what is still open after it.
///
/// The first is after `minPairs`, the next whenever they have doubled, the last after `maxPairs` or at the end of the
/// time. Each may err what `ErrorSpending` allows by then, of pairs or of time, whichever is further.
package struct PairedLooks: Sendable, Hashable {
  /// How pairs are evaluated.
  package let gate: RelativeGate
  /// Maximum number of pairs.
  package let maxPairs: Int
  /// Pairs at the next look.
  package private(set) var next: Int
  /// How many looks there were.
  package private(set) var count = 0
  /// What the last look found.
  package private(set) var findings: [RelativeFinding] = []
  private var spending: ErrorSpending

  /// Plans the looks; the limits are 1 or more.
  package init(_ gate: RelativeGate, minPairs: Int, maxPairs: Int) {
    self.gate = gate
    self.maxPairs = maxPairs
    next = min(minPairs, maxPairs)
    spending = ErrorSpending(total: (1 - gate.level) / 2)
  }

  /// Looks at the pairs where a look is due; whether no more are needed.
  ///
  /// `time` is the share of the time that has passed, 0 without a limit.
  package mutating func isDone(
    _ stages: [StagePairs], pairs: Int, time: Double = 0,
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    let isLast = pairs >= maxPairs || time >= 1
    guard pairs >= next || isLast else { return false }
    let share = max(Double(pairs) / Double(maxPairs), time)
    findings = gate.evaluate(stages, mayErr: spending.next(atShare: share), using: &generator)
    count += 1
    next = min(2 * next, maxPairs)
    return isLast
      || !findings.contains { isOpen($0, pairs: pairs) } && !stages.contains(where: lacks)
  }

  /// Whether a gate asks for a stage that did not run yet, as where a clip begins without a face.
  private func lacks(_ stage: StagePairs) -> Bool {
    guard stage.count == 0, let asked = gate.asked else { return false }
    return asked[stage.stage] != nil
      || gate.tailPercents.contains { asked["\(stage.stage).p\($0)"] != nil }
  }

  /// Whether more pairs may decide a finding; not for a stage that runs too seldom ever to be evaluated.
  private func isOpen(_ finding: RelativeFinding, pairs: Int) -> Bool {
    guard finding.lacksPairs else { return finding.isOpen }
    return finding.pairs * maxPairs >= gate.minPairs * pairs
  }
}
