internal import FaceCore
internal import Statistics

/// By how much a coefficient of one person differs between two sessions, with the same prompts.
///
/// Means of repetitions are compared by Welch's t-test, with Holm's adjustment over all coefficients and pairs of
/// sessions. Coefficients with fewer than two repetitions in either session, or without any spread, are not tested.
package struct SessionDrift: Sendable, Hashable {
  /// What is compared.
  package enum State: String, Sendable {
    /// A face at rest.
    case rest
    /// Prompts that ask for the coefficient.
    case prompted
  }

  /// The names of the sessions, the earlier first.
  package let earlier, later: String
  /// Name of the coefficient.
  package let coefficient: String
  /// Rest or prompted.
  package let state: State
  /// Mean of the later less that of the earlier session.
  package let difference: Double
  /// The bounds of the difference at 95 %, for this coefficient alone.
  package let low, high: Double
  /// Chance of a difference as large if the sessions were alike, after Holm's adjustment.
  package internal(set) var adjustedP: Double

  /// Whether chance does not explain the difference.
  package var isDecisive: Bool { adjustedP <= 0.05 }

  /// Tests all pairs of sessions of the same person, each with those after it, and those of `before` with all others.
  package static func tests(
    _ sessions: [PromptedSession], against before: [PromptedSession] = []
  ) -> [SessionDrift] {
    var found: [SessionDrift] = []
    func compare(_ first: PromptedSession, _ second: PromptedSession, named name: String) {
      guard first.subject == second.subject else { return }
      for (state, values) in [(State.rest, \PromptedSession.rest), (.prompted, \.prompted)] {
        for shape in Blendshape.allCases {
          if let one = test(
            first[keyPath: values][shape.rawValue], second[keyPath: values][shape.rawValue],
            (name, second.name), shape.rawValue, state)
          {
            found.append(one)
          }
        }
      }
    }
    for (index, session) in sessions.enumerated() {
      for earlier in before { compare(earlier, session, named: "\(earlier.name) (earlier)") }
      for earlier in sessions[..<index] { compare(earlier, session, named: earlier.name) }
    }
    let adjusted = MultipleTesting.holm(found.map(\.adjustedP))
    for index in found.indices { found[index].adjustedP = adjusted[index] }
    return found
  }

  private static func test(
    _ first: [Double]?, _ second: [Double]?, _ names: (earlier: String, later: String),
    _ coefficient: String, _ state: State
  ) -> SessionDrift? {
    guard let first, let second, first.count >= 2, second.count >= 2 else { return nil }
    func moments(_ values: [Double]) -> (mean: Double, variance: Double) {
      (values.mean ?? 0, values.sampleVariance / Double(values.count))
    }
    let (one, two) = (moments(first), moments(second))
    let variance = one.variance + two.variance
    guard variance > 1e-18, variance < 1e18 else { return nil }
    let freedom =
      variance * variance
      / (one.variance * one.variance / Double(first.count - 1)
        + two.variance * two.variance / Double(second.count - 1))
    let difference = two.mean - one.mean
    let square = difference * difference / variance
    let margin = StudentT.distance(beyond: 0.025, freedom: freedom) * variance.squareRoot()
    return SessionDrift(
      earlier: names.earlier, later: names.later, coefficient: coefficient, state: state,
      difference: difference, low: difference - margin, high: difference + margin,
      adjustedP: BetaDistribution(a: freedom / 2, b: 0.5).probability(
        atMost: freedom / (freedom + square)))
  }
}
