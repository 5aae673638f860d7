import Records

extension ReportSection {
  /// The metrics at the operating settings, and the scores of true and false positives.
  package static let scores: ReportSection = ReportSection(
    id: "scores", title: "Scores and operating point",
    claims: { name in
      name.hasPrefix("detection.") && (name.hasSuffix("@score") || name == SeriesName.scores)
    },
    blocks: { record in
      [Block].metrics("At the operating settings", record.measurements(of: scores))
        + record.series(of: scores).map {
          $0.block(caption: "All detections down to the minimum score.")
        }
    })
}
