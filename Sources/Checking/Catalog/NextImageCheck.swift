internal import FaceCore
package import Records

/// Predictions of stills that are each of the image before or after, as where ids or rows count from another number.
package enum NextImageCheck: FindingCheck {
  package static let names = ["images.shifted"]

  /// What must be seen: so many labelled faces, the most that are found as things are, and the least with the shift.
  private static let limit = (faces: 10, before: 0.3, after: 0.6)
  private static let steps = [-1, 1, -2, 2]

  package static func findings(in sample: JoinedSample) -> [Finding] {
    let stills = sample.frames.filter { !$0.isVideo }
    guard !stills.isEmpty else { return [] }
    var found: (step: Int, before: Double, after: Double, count: Int)?
    for step in steps {
      let (before, after, count) = shares(stills, step)
      guard count >= limit.faces, before <= limit.before, after >= limit.after,
        after > found?.after ?? 0
      else { continue }
      found = (step, before, after, count)
    }
    guard let found else { return [] }
    let place = abs(found.step) == 1 ? "one image" : "\(abs(found.step)) images"
    let finding = Finding(
      "images.shifted", .suspect,
      "Predictions agree with the labels of \(place) \(found.step > 0 ? "later" : "earlier").",
      statistic: "share of labelled faces found at IoU .50", before: found.before,
      after: found.after, n: found.count,
      remedy:
        "Give the predictions the names or ids of their own images: numbers that count from 0 in place of 1 do this.",
      frames: stills.lazy.filter { !$0.labels.isEmpty }.prefix(5).map(\.named))
    return [finding]
  }

  /// The shares of labelled faces found by the prediction of their own image and by that of the image `step` before.
  private static func shares(
    _ stills: [JoinedFrame], _ step: Int
  ) -> (before: Double, after: Double, count: Int) {
    let positions = Dictionary(
      stills.enumerated().map { ($0.element.frame.index, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    var (before, after, count) = (0, 0, 0)
    for joined in stills where !joined.labels.isEmpty {
      guard let other = positions[joined.frame.index - step] else { continue }
      let (own, moved) = (joined.predictedBoxes, stills[other].predictedBoxes)
      for label in joined.labels.map(\.box) {
        count += 1
        before += label.isFound(among: own) ? 1 : 0
        after += label.isFound(among: moved) ? 1 : 0
      }
    }
    let all = Double(max(count, 1))
    return (Double(before) / all, Double(after) / all, count)
  }
}
