import Records

extension ReportSection {
  /// The pictures with most errors, as the record orders them.
  package static let worstPictures = ReportSection(
    id: "worst-pictures", title: "Worst pictures", claims: { _ in false },
    blocks: { record in
      guard !record.gallery.isEmpty else { return [] }
      return [
        .paragraph(
          "Most misses and false positives first. Labels: found white, missed amber. Detections:"
            + " true blue, false red, each with its score."),
        .gallery(record.gallery),
      ]
    })
}
