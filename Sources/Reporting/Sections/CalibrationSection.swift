import Records

extension ReportSection {
  /// What calibration changed: reliability before and after, thresholds, blendshapes, clocks.
  package static let calibration: ReportSection = ReportSection(
    id: "calibration", title: "Calibration", claims: { $0.hasPrefix("calibration.") },
    blocks: { record in
      record.series(of: calibration).map { series in
        series.block(
          caption: series.name.hasPrefix("calibration.reliability.")
            ? "On the diagonal a score equals the probability of being true. After: each case is mapped "
              + "by a fit without its subject, video or still." : "")
      }
    })
}
