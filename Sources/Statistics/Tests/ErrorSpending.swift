internal import Foundation

/// How much of a test's error each look at growing data may use, so that all looks together err no more than asked.
///
/// Until a share t of the data is in, α · ln(1 + (e − 1) t) is spent, as by Pocock's boundary; a look is tested at what
/// was spent since the last one. The chance that any look errs is then at most their sum, however the looks depend on
/// each other: nothing is assumed of the increments, as in the exact boundaries, which lie up to a third higher.
///
/// Source: Lan and DeMets 1983, Discrete sequential boundaries for clinical trials, α₂.
package struct ErrorSpending: Sendable, Hashable {
  /// The chance to err over all looks, in (0, 1).
  package let total: Double
  /// What the looks so far have used.
  package private(set) var spent = 0.0

  /// Starts before the first look.
  package init(total: Double) {
    self.total = total
  }

  /// What the next look may err; 0 where the share has not grown since the last one.
  package mutating func next(atShare share: Double) -> Double {
    let allowed = total * log(1 + (exp(1) - 1) * min(max(share, 0), 1))
    defer { spent = max(spent, allowed) }
    return max(0, allowed - spent)
  }
}
