import Records

extension ReportSection {
  /// The COCO figures beside the precision-recall curve.
  package static let detection: ReportSection = ReportSection(
    id: "detection", title: "Detection accuracy",
    claims: { name in
      name.hasPrefix("detection.ap") || name.hasPrefix("detection.ar")
        || name.hasPrefix("detection.pr@")
    },
    blocks: { record in
      var blocks: [Block] = []
      let figures = record.measurements.filter { $0.slice == nil && detection.claims($0.name) }
      if !figures.isEmpty {
        blocks.append(.table(.figures("COCO figures", figures)))
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
