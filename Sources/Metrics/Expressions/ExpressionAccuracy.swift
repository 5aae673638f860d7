package import FaceCore

/// How well rules over predicted blendshapes tell the labelled expressions, each expression for itself.
///
/// Over labelled faces with an expression or with votes. Votes are soft labels: a face that 7 of 10
/// saw as happy counts as .7 happy and .3 not. Votes that the rule does not decide, ties above all, are
/// left out and counted. A face that was missed, or lacks coefficients that a rule needs, is
/// missed for what it is labelled as and no success for the rest.
package struct ExpressionAccuracy: Metric {
  /// One labelled face.
  struct Face: Sendable, Hashable {
    var target: ExpressionTarget
    var reading: ExpressionRules.Reading?
  }

  /// What is judged.
  package let rules: ExpressionRules
  /// When votes count.
  package let voteRule: ExpressionVotes.Rule
  private var frames: [Int: [Face]] = [:]

  /// Starts without frames.
  package init(rules: ExpressionRules = .builtIn, voteRule: ExpressionVotes.Rule = .plurality) {
    self.rules = rules
    self.voteRule = voteRule
  }

  /// Takes in the labelled faces of one frame with their predictions; throws for a frame added before.
  package mutating func add(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching
  ) throws(MetricError) {
    guard frames[frame] == nil else { throw .repeatedFrame(frame, in: "expressions") }
    let words = rules.words
    frames[frame] = matching.labelledFaces.compactMap { label, face in
      ExpressionTarget(labels[label], words: words, rule: voteRule).map { target in
        Face(
          target: target,
          reading: face.flatMap { faces[$0].blendshapes }.map { rules.reading(of: $0) })
      }
    }
  }

  /// Takes in other frames; throws where a frame is in both or the rules differ.
  package mutating func merge(_ other: ExpressionAccuracy) throws(MetricError) {
    guard rules == other.rules, voteRule == other.voteRule else {
      throw .rulesDiffer(rules.names, other.rules.names)
    }
    if let frame = other.frames.keys.filter({ frames[$0] != nil }).min() {
      throw .repeatedFrame(frame, in: "expressions")
    }
    frames.merge(other.frames) { own, _ in own }
  }

  /// Whether a labelled face has an expression or votes.
  package var hasLabels: Bool { frames.contains { !$0.value.isEmpty } }

  /// Every face in the order of the frames' keys and their labels.
  var faces: [Face] { frames.sorted { $0.key < $1.key }.flatMap(\.value) }

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
