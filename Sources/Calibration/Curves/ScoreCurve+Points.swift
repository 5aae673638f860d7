/// One point of a curve that is drawn.
package struct CurvePoint: Sendable, Hashable, Codable {
  /// The threshold.
  package var threshold: Double
  /// Along the horizontal axis, in [0, 1].
  package var x: Double
  /// Along the vertical axis, in [0, 1].
  package var y: Double
}

extension ScoreCurve {
  /// Precision over recall at each threshold, descending; empty without positives.
  package var precisionRecall: [CurvePoint] { points(.recall, .precision) }

  /// Recall over the rate of false positives at each threshold, descending; empty where a class is absent.
  ///
  /// The point (0, 0), where nothing is accepted, has no threshold and is left out.
  package var roc: [CurvePoint] { points(.falsePositiveRate, .recall) }

  /// Miss rate over the rate of false positives at each threshold, descending; empty where a class is absent.
  package var det: [CurvePoint] { points(.falsePositiveRate, .missRate) }

  private func points(_ x: ThresholdFigure, _ y: ThresholdFigure) -> [CurvePoint] {
    thresholds.indices.compactMap { index in
      let counts = counts(atIndex: index)
      guard let x = x.value(of: counts), let y = y.value(of: counts) else { return nil }
      return CurvePoint(threshold: thresholds[index], x: x, y: y)
    }
  }
}
