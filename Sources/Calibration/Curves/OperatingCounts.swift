/// What a threshold accepts and leaves: weights of cases whose score is at the threshold or above it, and the rest.
package struct OperatingCounts: Sendable, Hashable {
  /// Weight of the positives accepted.
  package let truePositives: Double
  /// Weight of the negatives accepted.
  package let falsePositives: Double
  /// Weight of all positives.
  package let positives: Double
  /// Weight of all negatives.
  package let negatives: Double
  /// How long was looked, in minutes; nil where nothing was timed.
  package let minutes: Double?

  /// Joins weights, each 0 or more.
  package init(
    truePositives: Double, falsePositives: Double, positives: Double, negatives: Double,
    minutes: Double?
  ) {
    self.truePositives = truePositives
    self.falsePositives = falsePositives
    self.positives = positives
    self.negatives = negatives
    self.minutes = minutes
  }

  /// Weight of the positives left.
  package var falseNegatives: Double { positives - truePositives }
  /// Weight of the negatives left.
  package var trueNegatives: Double { negatives - falsePositives }
}
