import Records

extension ReportSection {
  /// The COCO metrics and the precision-recall curve.
  package static let detection: ReportSection = ReportSection(
    id: "detection", title: "Detection accuracy",
    claims: { name in
      name.hasPrefix(MetricName.averagePrecision) || name.hasPrefix(MetricName.averageRecall)
        || name == SeriesName.precisionRecall
    },
    blocks: { record in
      let caption =
        "Detections by falling score, unclipped; precision interpolated as COCO defines it."
      return [Block].metrics("COCO metrics", record.measurements(of: detection))
        + record.series(of: detection).map { $0.block(caption: caption) }
    })
}
