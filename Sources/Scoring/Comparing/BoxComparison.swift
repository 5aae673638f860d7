internal import Metrics

/// Makes the boxes of runs the same thing before they are compared.
enum BoxComparison {
  /// What the two runs of a pair are called.
  static let pairNames = ["base", "candidate"]

  /// Sets all runs to boxes around points where one has no boxes of a detector; returns what a reader must know.
  ///
  /// Where one run has no points either, nothing about detections is compared.
  static func align(
    _ runs: inout [StoredRun.Opened], names: [String] = pairNames
  ) -> [String] {
    var notes: [String] = []
    let kinds = runs.map(\.tracker.hasDetectorBoxes)
    if let nowhere = runs.firstIndex(where: { !$0.tracker.hasPositions }),
      runs.contains(where: \.tracker.hasPositions)
    {
      let lone = names[nowhere]
      for index in runs.indices {
        runs[index].tracker.noDetections = "faces of the \(lone) have neither a box nor points"
      }
      return [
        "Faces of the \(lone) have neither a box nor points: of it faces.* and tracking.* tell "
          + "whether a face was given out, of \(runs.count == 2 ? "the other run" : "others") whether it "
          + "is where it is labelled."
      ]
    }
    if Set(runs.map { $0.tracker.noPoints == nil }).count > 1 {
      let lone = names[runs.firstIndex { $0.tracker.noPoints != nil } ?? 0]
      notes.append(
        "Faces are matched by the boxes around their points, those of the \(lone) by its own boxes: "
          + "faces.* and tracking.* compare boxes of different kinds.")
    }
    // One limit for all; that the options differ is noted.
    let limit = runs.map(\.tracker.maxDetections).max() ?? COCODetection.defaultMaxDetections
    for index in runs.indices { runs[index].tracker.maxDetections = limit }
    guard Set(kinds).count > 1 else { return notes }
    let lone = names[kinds.firstIndex(of: false) ?? 0]
    if runs.contains(where: { $0.tracker.noPoints != nil }) {
      for index in runs.indices {
        runs[index].tracker.noDetections =
          "the \(lone) has only boxes around its points, and "
          + (runs.count == 2 ? "the other run" : "another run") + " has no points"
      }
      return notes
    }
    for index in runs.indices {
      runs[index].tracker.scoresFaceBoxes = true
      if runs[index].tracker.hasPositions { runs[index].tracker.noDetections = nil }
    }
    notes.append(
      "The \(lone) has no boxes of a detector. Recall, precision and false positives of "
        + "\(runs.count == 2 ? "both" : "all") runs use the boxes around the points of output faces. Rankings by score are not compared."
    )
    return notes
  }
}
