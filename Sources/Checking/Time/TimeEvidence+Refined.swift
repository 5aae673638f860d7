internal import Metrics

extension TimeEvidence {
  /// What is left of a shift that the sample is moved by already, in whole frames; nil where that cannot be told.
  private func rest() -> Int? {
    for kind in FaceMotion.Kind.allCases {
      let errors = (-TimeLimits.rest...TimeLimits.rest).compactMap { shift in
        error(of: kind, shifted: shift).map { $0.value * $0.value }
      }
      guard errors.count == 2 * TimeLimits.rest + 1 else { continue }
      let best = errors.indices.min { errors[$0] < errors[$1] } ?? 0
      guard best > 0, best < errors.count - 1 else { return nil }
      let vertex = CrossCorrelation.vertex(-errors[best - 1], -errors[best], -errors[best + 1])
      return TimeLimits.whole(Double(best - TimeLimits.rest) + vertex)
    }
    return nil
  }

  /// A shift estimated again, where each face is followed by it: without it, boxes overlap in slow stretches alone.
  static func refined(
    _ verdict: Verdict, in sample: JoinedSample, runs: [Range<Int>]
  ) -> Verdict? {
    guard var shift = verdict.explanation.shift, !verdict.isShare else { return verdict }
    for _ in 0..<TimeLimits.rounds {
      let moved = TimeEvidence(sample.shifted(by: shift), runs: runs)
      guard let rest = moved.rest() else { return verdict }
      guard rest == 0 else {
        shift += rest
        continue
      }
      guard TimeLimits.isShift(shift) else { return nil }
      for kind in FaceMotion.Kind.allCases {
        if let before = moved.error(of: kind, shifted: -shift),
          let after = moved.error(of: kind, shifted: 0)
        {
          return Verdict(
            explanation: .shift(shift), before: before.value, after: after.value,
            frames: after.frames)
        }
      }
      return verdict
    }
    return verdict
  }
}
