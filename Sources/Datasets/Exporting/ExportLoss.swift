internal import FaceCore

/// Data that neither COCO nor imglab can store.
enum ExportLoss {
  /// Data of a face other than boxes, flags and points, in a few words each.
  static func extras(of face: FaceLabel) -> [String] {
    [
      face.identity == nil ? nil : "identities", face.score == nil ? nil : "scores",
      face.blendshapes == nil ? nil : "blendshapes", face.pose == nil ? nil : "head poses",
      face.expression == nil ? nil : "expressions",
      face.categoryName == nil ? nil : "names of classes",
      face.landmarks.contains { $0.depths != nil } ? "depths of points" : nil,
    ].compactMap { $0 } + face.attributes.keys.sorted().map { "attributes '\($0)'" }
  }

  /// Data of a dataset other than frames and faces, with counts.
  static func ofWhole(_ dataset: DatasetReader) -> [(what: String, count: Int)] {
    let videos = dataset.sequences.count { $0.kind == .video }
    let subjects = dataset.sequences.count { !$0.subject.isEmpty }
    let gathered = dataset.sequences.count { $0.kind == .still && $0.count > 1 }
    return [
      ("videos, whose frames become stills without times", videos),
      ("subjects of sequences", subjects), ("sequences of stills", gathered),
      ("splits", dataset.splits.count),
      ("tables that the format does not name", dataset.unknownTables.count),
    ].filter { $0.1 > 0 }
  }
}
