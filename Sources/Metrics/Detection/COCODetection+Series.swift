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
  /// Equal bins over [0, 1], or where a score is outside of that from the lowest score to the highest; the
  /// highest is in the last. Ignored detections and those after the best 100 of a picture are left out.
  /// Nil where nothing was detected.
  package func scoreHistogram(minFaceDetectionConfidence: Double, bins: Int = 20) -> Series? {
    let outcomes = outcomes()
    let scores = outcomes.map(\.score)
    guard bins > 0, let lowest = scores.min(), let highest = scores.max() else { return nil }
    let isShare = lowest >= 0 && highest <= 1
    let low = isShare ? 0 : lowest
    // Halves keep the width finite; a single score gets a bin of its own on either side.
    let half = isShare ? 0.5 : max(highest / 2 - lowest / 2, abs(lowest) * 0x1p-40, 1e-9)
    let edges = (0...bins).map { low + half * (2 * Double($0) / Double(bins)) }
    var counts = [Array(repeating: 0, count: bins), Array(repeating: 0, count: bins)]
    for outcome in outcomes {
      let place = (outcome.score / 2 - low / 2) / half * Double(bins)
      var bin = min(max(Int(place), 0), bins - 1)
      if bin > 0, outcome.score < edges[bin] { bin -= 1 }
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
