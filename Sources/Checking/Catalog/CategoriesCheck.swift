internal import FaceCore
package import Records

/// Labelled objects of other categories that are faces: false positives sit on most of them.
package enum CategoriesCheck: FindingCheck {
  package static let names = ["categories.other"]

  /// Found objects of a category, at least; fewer than the second number are a note, which keeps no gate from passing.
  private static let (leastFound, leastSuspect) = (2, 10)
  /// Their share of the category, at least: a tracker takes few dogs or signs for faces.
  private static let leastShare = 0.5

  package static func findings(in sample: JoinedSample) -> [Finding] {
    var paired: [Int: Set<Int>] = [:]
    for pair in sample.pairs { paired[pair.frame, default: []].insert(pair.face) }
    var found: [Int: Int] = [:]
    var labelled: [Int: Int] = [:]
    var frames: [Int: [Finding.Frame]] = [:]
    var predicted = 0
    for (position, joined) in sample.frames.enumerated() {
      predicted += joined.prediction.faces.count
      // A head or a person around a labelled face shows no other face, however large the tracker's boxes are.
      let others = joined.others.filter { other in
        !joined.labels.contains { $0.box.area > 0 && other.box.holdsCenter(of: $0.box) }
      }
      for other in others { labelled[other.category, default: 0] += 1 }
      guard !others.isEmpty else { continue }
      for (index, face) in joined.prediction.faces.enumerated()
      where paired[position]?.contains(index) != true {
        guard let box = face.box,
          let best = others.max(by: { $0.box.iou(with: box) < $1.box.iou(with: box) }),
          best.box.iou(with: box) >= 0.5
        else { continue }
        found[best.category, default: 0] += 1
        frames[best.category, default: []].append(joined.named)
      }
    }
    let faces = found.filter { category, count in
      count >= leastFound && Double(count) >= leastShare * Double(labelled[category] ?? 0)
    }.keys.sorted()
    guard let first = faces.first else { return [] }
    let list = faces.map { "\($0) (\(found[$0] ?? 0) of \(labelled[$0] ?? 0))" }
    let moved = faces.reduce(0) { $0 + (found[$1] ?? 0) }
    let hits = sample.pairs.count
    return [
      Finding(
        "categories.other",
        faces.contains { found[$0] ?? 0 >= leastSuspect } ? .suspect : .note,
        "Predicted faces are on most labelled objects of \(faces.count == 1 ? "category" : "categories") "
          + list.joined(separator: ", ") + ", which count as no faces.",
        statistic: "share of predicted faces that are on a labelled face",
        before: Double(hits) / Double(predicted), after: Double(hits + moved) / Double(predicted),
        n: predicted,
        remedy:
          "Import the labels again with --category NAME,NAME, which names each category that is a "
          + "face.", frames: frames[first] ?? [])
    ]
  }
}
