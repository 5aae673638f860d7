import Records

extension ReportSection {
  /// The metrics at the operating settings, and the scores of true and false positives.
  package static let scores: ReportSection = ReportSection(
    id: "scores", title: "Scores and operating point",
    claims: { name in
      name.hasPrefix("detection.") && (name.hasSuffix("@score") || name == SeriesName.scores)
    },
    blocks: { record in
      var blocks: [Block] = []
      let metrics = record.measurements.filter { $0.slice == nil && scores.claims($0.name) }
      if !metrics.isEmpty {
        blocks.append(.table(.metrics("At the operating settings", metrics)))
      }
      let caption = "All detections down to the minimum score."
      for series in record.series where scores.claims(series.name) {
        blocks.append(series.block(caption: caption))
      }
      return blocks
    })
}
