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
    let isPair = runs.count == 2
    let trackers = runs.map(\.tracker)
    /// Those of which something is so, as they are called in a sentence, with its verb; nil for none and for all.
    func those(_ isSo: (PredictionOrigin) -> Bool) -> (names: String, verb: String)? {
      let own = zip(names, trackers).filter { isSo($1) }.map(\.0)
      guard !own.isEmpty, own.count < trackers.count else { return nil }
      let list = own.joined(separator: ", ")
      return (isPair ? "the \(list)" : list, own.count == 1 ? "has" : "have")
    }
    var notes: [String] = []
    if let nowhere = those({ !$0.hasPositions }) {
      for index in runs.indices {
        runs[index].tracker.noDetections =
          "faces of \(nowhere.names) have neither a box nor points"
      }
      return [
        "Faces of \(nowhere.names) have neither a box nor points: of these faces.* and "
          + "tracking.* tell whether a face was given out, of "
          + "\(isPair ? "the other run" : "others") whether it is where it is labelled."
      ]
    }
    let pointless = those { $0.noPoints != nil }
    if let pointless {
      notes.append(
        "Faces are matched by the boxes around their points, those of \(pointless.names) by "
          + "their own boxes: faces.* and tracking.* compare boxes of different kinds.")
    }
    // One limit for all; that the options differ is noted.
    let limit = trackers.map(\.maxDetections).max() ?? COCODetection.defaultMaxDetections
    for index in runs.indices { runs[index].tracker.maxDetections = limit }
    guard let around = those({ !$0.hasDetectorBoxes }) else { return notes }
    if pointless != nil {
      for index in runs.indices {
        runs[index].tracker.noDetections =
          "\(around.names) \(around.verb) only boxes around points, and "
          + "\(isPair ? "the other run" : "another run") has no points"
      }
      return notes
    }
    for index in runs.indices {
      runs[index].tracker.scoresFaceBoxes = true
      if runs[index].tracker.hasPositions { runs[index].tracker.noDetections = nil }
    }
    let subject = isPair ? "T" + around.names.dropFirst() : around.names
    notes.append(
      "\(subject) \(around.verb) no boxes of a detector. Recall, precision and false positives of "
        + "\(isPair ? "both" : "all") runs use the boxes around the points of output faces. "
        + "Rankings by score are not compared.")
    return notes
  }
}
