import Records

extension ReportSection {
  /// The images with the most errors, in the record's order.
  package static let worstImages = ReportSection(
    id: "worst-images", title: "Worst images", claims: { _ in false },
    blocks: { record in
      guard !record.gallery.isEmpty else { return [] }
      return [
        .paragraph(
          "Sorted by misses and false positives. Labels: found white, missed amber. Detections:"
            + " true blue, false red, each with its score."),
        .gallery(record.gallery),
      ]
    })
}
