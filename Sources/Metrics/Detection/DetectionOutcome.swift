package import FaceCore

/// Which labels of one image were found, and by which detections, at IoU .50.
///
/// COCO's greedy matching: by falling score, each detection takes the free label of the largest IoU,
/// ignored ones and crowds only where no other fits. Labels of another category than faces (1) take
/// no part.
package struct DetectionOutcome: Sendable, Hashable {
  /// A label and the detection that found it.
  package struct Match: Sendable, Hashable {
    /// Position among the labels.
    package let label: Int
    /// Position among the detections.
    package let detection: Int
    /// Intersection over union, in [0.5, 1].
    package let iou: Double
  }

  /// Labels that count and were found, best score first.
  package let matches: [Match]
  /// Positions of labels that count and were not found.
  package let missed: [Int]
  /// Positions of detections that match no label.
  package let falsePositives: [Int]
  /// Positions of detections on ignored labels and crowds; they count neither way.
  package let ignored: [Int]

  /// Labels that count: neither ignored nor crowds.
  package var labelled: Int { matches.count + missed.count }

  /// Matches one image; throws for boxes, areas or scores that are not well-formed.
  package init(frame: Int, labels: [FaceLabel], detections: [FaceDetection]) throws(MetricError) {
    try labels.validate(frame: frame)
    try detections.validate(frame: frame)
    let faces = labels.indices.filter { labels[$0].category == 1 }
    let ranks = detections.rankedByScore()
    let isIgnored = faces.map { labels[$0].isCrowd || labels[$0].isIgnored }
    var matcher = GreedyMatcher(thresholds: [0.5])
    for (face, isIgnored) in zip(faces, isIgnored) {
      matcher.add(labels[face].box, isCrowd: labels[face].isCrowd, isIgnored: isIgnored ? 1 : 0)
    }
    var matches: [Match] = []
    var ignored: Set<Int> = []
    for rank in ranks {
      matcher.match(detections[rank].box, among: faces.indices) { face, overlap, counted, _ in
        if counted == 0 {
          ignored.insert(rank)
        } else {
          matches.append(Match(label: faces[face], detection: rank, iou: overlap))
        }
      }
    }
    let found = Set(matches.map(\.label))
    let used = ignored.union(matches.map(\.detection))
    self.matches = matches
    self.missed = zip(faces, isIgnored).filter { !$1 && !found.contains($0) }.map(\.0)
    self.falsePositives = detections.indices.filter { !used.contains($0) }
    self.ignored = ignored.sorted()
  }
}
