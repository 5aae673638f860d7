import Records

extension ReportSection {
  /// Accuracy of head poses where they are labelled, and what was predicted anyway.
  package static let pose = ReportSection(
    id: "pose", title: "Head pose", claims: { $0.hasPrefix("pose.") },
    blocks: { record in
      headBlocks(
        of: "pose", in: record, model: "geometry", without: "The dataset labels no head poses")
    })
}
