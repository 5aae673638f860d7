import Records

extension ReportSection {
  /// What the operating settings give, beside the scores of true and false positives.
  package static let scores: ReportSection = ReportSection(
    id: "scores", title: "Scores and operating point",
    claims: { name in
      name.hasPrefix("detection.") && (name.hasSuffix("@score") || name == "detection.scores")
    },
    blocks: { record in
      var blocks: [Block] = []
      let figures = record.measurements.filter { $0.slice == nil && scores.claims($0.name) }
      if !figures.isEmpty {
        blocks.append(.table(.figures("At the operating settings", figures)))
      }
      for series in record.series where scores.claims(series.name) {
        blocks.append(
          series.block(caption: "All detections down to the score floor."))
      }
      return blocks
    })
}
