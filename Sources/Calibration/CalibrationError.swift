internal import Platform
internal import Records

/// Why a curve, a calibrator or a choice can't be made: what was done, expected, found, where.
package struct CalibrationError: DataError, Hashable {
  /// One line for people.
  package let description: String
  /// Whether all was well but that nothing meets the objective.
  package let isUnmetObjective: Bool

  private init(_ description: String, isUnmetObjective: Bool = false) {
    self.description = description
    self.isUnmetObjective = isUnmetObjective
  }

  static func malformedScore(_ score: Double, case index: Int) -> CalibrationError {
    CalibrationError(
      "cannot use case \(index + 1): expected a finite score or -inf for a miss, found \(score)")
  }

  static func malformedWeights(
    _ positive: Double, _ negative: Double, case index: Int
  ) -> CalibrationError {
    CalibrationError(
      "cannot use case \(index + 1): expected finite weights of 0 or more, "
        + "found \(positive) as a positive and \(negative) as a negative")
  }

  static func missedNegative(_ weight: Double, case index: Int) -> CalibrationError {
    CalibrationError(
      "cannot use case \(index + 1): expected no negative part in a miss, found \(weight)")
  }

  static func malformedMinutes(_ minutes: Double) -> CalibrationError {
    CalibrationError(
      "cannot count false positives per minute: expected more than 0 minutes, found \(minutes)")
  }

  static func missingMinutes(cluster: Int) -> CalibrationError {
    CalibrationError(
      "cannot count false positives per minute: expected the minutes of cluster \(cluster), "
        + "found none")
  }

  static func malformedMinutes(_ minutes: Double, cluster: Int) -> CalibrationError {
    CalibrationError(
      "cannot count false positives per minute: expected finite minutes of 0 or more "
        + "in cluster \(cluster), found \(minutes)")
  }

  static func emptyRange(_ low: Double, _ high: Double) -> CalibrationError {
    CalibrationError(
      "cannot search for a threshold: expected a range from low to high, found \(low) to \(high)")
  }

  static func malformedPrices(_ falsePositive: Double, _ miss: Double) -> CalibrationError {
    CalibrationError(
      "cannot search for a threshold: expected finite prices of 0 or more, "
        + "found \(falsePositive) per false positive and \(miss) per miss")
  }

  static func noThreshold(_ why: String) -> CalibrationError {
    CalibrationError("cannot find a threshold: \(why)")
  }

  static func unmet(_ objective: Objective, _ why: String) -> CalibrationError {
    CalibrationError("cannot find a threshold: \(objective): \(why)", isUnmetObjective: true)
  }

  static func malformedObjective(
    expected: String, found: String, character: Int
  ) -> CalibrationError {
    CalibrationError(
      "cannot read the objective: expected \(expected), found \(found) at character \(character)")
  }

  static func unknownMetric(_ name: String, among known: [String]) -> CalibrationError {
    CalibrationError(
      "cannot evaluate the objective: expected a metric of \(known.joined(separator: ", ")), "
        + "found '\(name.prefix(60))'" + Suggestion.perhaps(name, among: known))
  }

  static func wrongDirection(_ objective: Objective, _ own: Direction) -> CalibrationError {
    let goal = own == .higher ? "max" : "min"
    let why =
      own == .closest
      ? "\(objective.metric) is best near its target"
      : "a \(own.rawValue) \(objective.metric) is better"
    return CalibrationError(
      "cannot evaluate the objective: expected '\(goal) \(objective.metric)', because \(why), "
        + "found '\(objective)'")
  }

  package static func vacuousLimit(_ limit: Objective.Limit, range: String) -> CalibrationError {
    CalibrationError(
      "cannot evaluate the objective: expected a limit that \(limit.metric) can miss, \(range), "
        + "found '\(limit)'")
  }

  static func columnLength(_ name: String, _ count: Int, settings: Int) -> CalibrationError {
    CalibrationError(
      "cannot choose among settings: expected \(settings) values of \(name), found \(count)")
  }

  static func malformedGrid(
    _ part: String, expected: String, found: String
  ) -> CalibrationError {
    CalibrationError(
      "cannot use the swept settings: expected \(expected) in \(part), found \(found)")
  }

  static func unfit(_ method: String, _ why: String) -> CalibrationError {
    CalibrationError("cannot fit \(method): \(why)")
  }

  static func uncrossed(_ why: String) -> CalibrationError {
    CalibrationError("cannot cross-fit: \(why)")
  }

  static func unjoined(_ why: String) -> CalibrationError {
    CalibrationError("cannot find the time offset of the recording: \(why)")
  }

  static func uncorrected(_ why: String) -> CalibrationError {
    CalibrationError("cannot correct blendshapes: \(why)")
  }

  package static func unemittable(
    _ language: String, expected: String, found: String
  ) -> CalibrationError {
    CalibrationError(
      "cannot write MediaPipe's options in \(language): expected \(expected), found \(found)")
  }
}
