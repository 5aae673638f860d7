package import FaceCore

/// How well rules over predicted blendshapes tell the labelled expressions, each expression for itself.
///
/// Over labelled faces with an expression or with votes. Votes are soft labels by FER+'s rules: a face that
/// 7 of 10 saw as happy and 3 as neutral counts as .7 happy and .3 not. Votes that the rule does not
/// decide are left out and counted. A face that was missed, or lacks coefficients that a rule needs, is
/// missed for what it is labelled as and no success for the rest.
package struct ExpressionAccuracy: FrameMetric {
  /// One labelled face.
  package struct Face: Sendable, Hashable {
    var target: ExpressionTarget
    var reading: ExpressionRules.Reading?
  }

  /// What is judged.
  package let rules: ExpressionRules
  /// When votes count.
  package let voteRule: ExpressionVotes.Rule
  /// What is kept of each frame.
  package var frames = FrameTable<[Face]>()

  /// Starts without frames.
  package init(rules: ExpressionRules = .builtIn, voteRule: ExpressionVotes.Rule = .ferplus) {
    self.rules = rules
    self.voteRule = voteRule
  }

  /// Takes in the labelled faces of one frame with their predictions; throws for a frame added before.
  package mutating func add(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching
  ) throws(MetricError) {
    let words = rules.words
    let entry = matching.labelledFaces.compactMap { label, face in
      ExpressionTarget(labels[label], words: words, rule: voteRule).map { target in
        Face(
          target: target,
          reading: face.flatMap { faces[$0].blendshapes }.map { rules.reading(of: $0) })
      }
    }
    try add(entry, for: frame)
  }

  /// The figure that errors name.
  package static var table: String { "expressions" }

  /// Throws where the settings differ.
  package func check(_ other: ExpressionAccuracy) throws(MetricError) {
    guard rules == other.rules, voteRule == other.voteRule else {
      throw .rulesDiffer(rules.names, other.rules.names)
    }
  }

  /// Whether a labelled face has an expression or votes.
  package var hasLabels: Bool { frames.entries.contains { !$0.isEmpty } }

  /// Every face in the order of the frames' keys and their labels.
  var faces: [Face] { frames.entries.flatMap { $0 } }

  /// The decisions on one of `rules.names` by its position, without undecided faces.
  func outcomes(of expression: Int) -> BinaryOutcomes {
    BinaryOutcomes(
      faces.compactMap { face in
        guard case .shares(let shares) = face.target else { return nil }
        guard let reading = face.reading, let score = reading.scores[expression],
          let isActive = reading.isActive[expression]
        else { return BinaryOutcomes.Case(missedShare: shares[expression]) }
        return BinaryOutcomes.Case(
          share: shares[expression], score: score, isPositive: isActive)
      })
  }
}
