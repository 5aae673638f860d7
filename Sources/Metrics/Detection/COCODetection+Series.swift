package import Records

extension COCODetection {
  /// Precision at 101 recalls at IoU .50 (`detection.pr@50`), mean of categories; nil without labels.
  package func precisionRecallCurve(marks: [Series.Mark] = []) -> Series? {
    let lines = rankings().compactMap { $0.precisions(area: 0, threshold: 0) }
    guard !lines.isEmpty else { return nil }
    let mean = COCOParameters.recalls.indices.map { index in
      lines.reduce(0) { $0 + $1[index] } / Double(lines.count)
    }
    let line = Series.Line(label: "IoU 0.50", x: COCOParameters.recalls, y: mean)
    return Series(
      name: "detection.pr@50", title: "Precision over recall at IoU 0.50",
      content: .curve(
        Series.Curve(xLabel: "recall", yLabel: "precision", lines: [line], marks: marks)))
  }

  /// Counts of true and false positives at IoU .50 by score (`detection.scores`), threshold marked.
  ///
  /// Equal bins over [0, 1], 1 in the last; ignored detections and those after the best 100 of a
  /// picture are left out. Nil where nothing was detected; throws for a score outside [0, 1].
  package func scoreHistogram(minFaceDetectionConfidence: Double, bins: Int = 20)
    throws(MetricError) -> Series?
  {
    let outcomes = outcomes()
    guard bins > 0, !outcomes.isEmpty else { return nil }
    let edges = (0...bins).map { Double($0) / Double(bins) }
    var counts = [Array(repeating: 0, count: bins), Array(repeating: 0, count: bins)]
    for outcome in outcomes {
      guard (0...1).contains(outcome.score) else {
        throw .scoreOutOfRange(outcome.score, frame: outcome.frame)
      }
      var bin = min(Int(outcome.score * Double(bins)), bins - 1)
      if outcome.score < edges[bin] { bin -= 1 }
      if bin + 1 < bins, outcome.score >= edges[bin + 1] { bin += 1 }
      counts[outcome.isTrue ? 0 : 1][bin] += 1
    }
    let threshold = Series.Mark(
      label: "minFaceDetectionConfidence", x: minFaceDetectionConfidence, y: 0)
    return Series(
      name: "detection.scores", title: "Scores of true and false positives at IoU 0.50",
      content: .histogram(
        Series.Histogram(
          xLabel: "score", edges: edges, groups: ["true positives", "false positives"],
          counts: counts, marks: [threshold])))
  }
}
