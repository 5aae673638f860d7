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

  /// Weight of the positives left.
  package var falseNegatives: Double { positives - truePositives }
  /// Weight of the negatives left.
  package var trueNegatives: Double { negatives - falsePositives }
}
