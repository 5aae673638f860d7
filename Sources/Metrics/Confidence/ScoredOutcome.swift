/// A score of one frame with what came of it.
package struct ScoredOutcome: Sendable, Hashable {
  /// Index of the frame.
  package let frame: Int
  /// What was claimed, in the tracker's scale; nil where a labelled face has no score at all.
  package let score: Double?
  /// How far it was true, in [0, 1].
  package let share: Double

  /// Joins a score with its outcome.
  package init(frame: Int, score: Double?, share: Double) {
    self.frame = frame
    self.score = score
    self.share = share
  }
}

extension RankedDetections {
  /// Every detection that counts, by frame, with whether it found a face; misses are not among them.
  package var outcomes: [ScoredOutcome] {
    frames.keyed.flatMap { frame, image in
      image.all.map {
        ScoredOutcome(frame: frame, score: $0.score, share: $0.iou == nil ? 0 : 1)
      }
    }
  }

  /// The same with each labelled face that no detection finds, which has no score.
  package var outcomesAndMisses: [ScoredOutcome] {
    outcomes
      + frames.keyed.flatMap { frame, image in
        let found = image.all.count { $0.iou != nil }
        return (0..<max(0, image.labelled - found)).map { _ in
          ScoredOutcome(frame: frame, score: nil, share: 1)
        }
      }
  }
}

extension PresenceReliability {
  /// Every presence in [0, 1] that counts, by frame, with whether its face is one.
  package var outcomes: [ScoredOutcome] {
    frames.keyed.flatMap { frame, entry in
      entry.evaluated.map { ScoredOutcome(frame: frame, score: $0.confidence, share: $0.outcome) }
    }
  }
}

extension ExpressionAccuracy {
  /// The value of a rule's formula in every labelled face whose votes decide, by frame; empty for another's rule.
  ///
  /// A face that was missed, or lacks a coefficient, has no score.
  package func outcomes(of rule: ExpressionRule) -> [ScoredOutcome] {
    guard let position = rules.rules.firstIndex(of: rule) else { return [] }
    return frames.keyed.flatMap { frame, faces in
      faces.compactMap { face in
        guard case .shares(let shares) = face.target else { return nil }
        let margin = face.reading?.scores[position]
        return ScoredOutcome(
          frame: frame,
          score: margin.map {
            rule.side == .above ? rule.threshold + $0 : rule.threshold - $0
          }, share: shares[position])
      }
    }
  }
}
