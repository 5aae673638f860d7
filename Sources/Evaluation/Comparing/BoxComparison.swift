internal import Metrics

/// Makes the boxes of two runs the same thing before they are compared.
enum BoxComparison {
  /// Sets both runs to boxes around points where one has no boxes of a detector; returns what a reader must know.
  ///
  /// Where one run has no points either, nothing about detections is compared.
  static func align(_ runs: inout [StoredRun.Opened]) -> [String] {
    var notes: [String] = []
    let kinds = runs.map(\.tracker.hasDetectorBoxes)
    let names = ["base", "candidate"]
    if Set(runs.map { $0.tracker.noPoints == nil }).count > 1 {
      let lone = names[runs.firstIndex { $0.tracker.noPoints != nil } ?? 0]
      notes.append(
        "Faces are matched by the boxes around their points, those of the \(lone) by its own boxes: "
          + "faces.* and tracking.* compare boxes of different kinds.")
    }
    // One limit for both; that the options differ is noted.
    let limit = runs.map(\.tracker.maxDetections).max() ?? COCODetection.defaultMaxDetections
    for index in runs.indices { runs[index].tracker.maxDetections = limit }
    guard Set(kinds).count > 1 else { return notes }
    let lone = names[kinds.firstIndex(of: false) ?? 0]
    if runs.contains(where: { $0.tracker.noPoints != nil }) {
      for index in runs.indices {
        runs[index].tracker.noDetections =
          "the \(lone) has only boxes around its points, and the other run has no points"
      }
      return notes
    }
    for index in runs.indices { runs[index].tracker.scoresFaceBoxes = true }
    notes.append(
      "The \(lone) has no boxes of a detector. Recall, precision and false positives of both runs "
        + "use the boxes around the points of output faces. Rankings by score are not compared.")
    return notes
  }
}
