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
      var blocks: [Block] = []
      let metrics = record.measurements.filter { $0.slice == nil && detection.claims($0.name) }
      if !metrics.isEmpty {
        blocks.append(.table(.metrics("COCO metrics", metrics)))
      }
      for series in record.series where detection.claims(series.name) {
        blocks.append(
          series.block(
            caption:
              "Detections by falling score, unclipped; precision interpolated as COCO defines it."))
      }
      return blocks
    })
}
