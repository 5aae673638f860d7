internal import FaceCore
package import Records

/// Ids that are not those of persons: one for two faces of a frame, or a new one for each row.
package enum IdentitiesCheck: FindingCheck {
  package static let names = [
    "identities.twice", "identities.twice-labels", "identities.new", "identities.new-labels",
  ]

  /// Faces that are followed to the next frame, at least; a clip of one second has more.
  private static let leastFollowed = 20
  /// Of them at most this share keeps its id where ids are none; trackers keep more than half.
  private static let mostKept = 0.05

  /// A face with its id.
  private struct Named {
    let identity: Int
    let box: BoundingBox?

    init?(_ identity: Int?, _ box: BoundingBox?) {
      guard let identity else { return nil }
      (self.identity, self.box) = (identity, box)
    }
  }

  package static func findings(in sample: JoinedSample) -> [Finding] {
    let labels = sample.frames.map { $0.labels.compactMap { Named($0.identity, $0.box) } }
    let faces = sample.frames.map { $0.prediction.faces.compactMap { Named($0.identity, $0.box) } }
    let counts = labels.contains { !$0.isEmpty } && faces.contains { !$0.isEmpty }
    return [
      twice(faces, in: sample, counts, name: "identities.twice", side: "prediction"),
      twice(labels, in: sample, counts, name: "identities.twice-labels", side: "label"),
      new(faces, in: sample, counts, name: "identities.new", side: "prediction"),
      new(labels, in: sample, counts, name: "identities.new-labels", side: "label"),
    ].compactMap(\.self)
  }

  private static func twice(
    _ ids: [[Named]], in sample: JoinedSample, _ counts: Bool, name: String, side: String
  ) -> Finding? {
    let known = ids.indices.filter { sample.frames[$0].isVideo && !ids[$0].isEmpty }
    let wrong = known.filter { Set(ids[$0].map(\.identity)).count < ids[$0].count }
    guard let first = wrong.first else { return nil }
    let repeated = ids[first].map(\.identity).first { id in
      ids[first].count { $0.identity == id } > 1
    }
    return Finding(
      name, counts ? .suspect : .note,
      "In \(wrong.count) of \(known.count) frames \(side)s have one id for several faces, such as "
        + "\(repeated ?? 0): an id then stands for two persons, and TrackEval refuses such files.",
      statistic: "share of frames with an id twice",
      before: Double(wrong.count) / Double(known.count), after: 0, n: known.count,
      remedy: "Give every face of a frame its own id, and import the \(side)s again.",
      frames: sample.named(wrong))
  }

  private static func new(
    _ ids: [[Named]], in sample: JoinedSample, _ counts: Bool, name: String, side: String
  ) -> Finding? {
    var (followed, kept) = (0, 0)
    var frames: [Int] = []
    for run in sample.runs {
      for (before, frame) in zip(run, run.dropFirst()) {
        for face in ids[frame] {
          guard
            let earlier = ids[before].first(where: { follows($0, face, ids[before], ids[frame]) })
          else { continue }
          followed += 1
          if ids[before].contains(where: { $0.identity == face.identity }) {
            kept += 1
          } else if earlier.identity != face.identity {
            frames.append(frame)
          }
        }
      }
    }
    guard followed >= leastFollowed, Double(kept) <= mostKept * Double(followed) else { return nil }
    let rows = sample.runs.flatMap { run in run.map { ids[$0].map(\.identity).sorted() } }.joined()
    let rising = zip(rows, rows.dropFirst()).count { $1 == $0 + 1 }
    let isCount = Double(rising) >= 0.9 * Double(rows.count - 1)
    return Finding(
      name, counts ? .suspect : .note,
      (isCount
        ? "Ids of \(side)s count rows" : "Faces of \(side)s have a new id in each frame")
        + ": of \(followed) faces that are at the same place in the frame before, \(kept) keep "
        + "their id.",
      statistic: "share of faces that keep their id from frame to frame",
      before: Double(kept) / Double(followed), n: followed,
      remedy: "Write ids that stay with a person into the file, or none, and import the \(side)s "
        + "again.",
      frames: sample.named(frames))
  }

  /// Whether two faces of successive frames are one: at the same place, or the only ones.
  private static func follows(
    _ first: Named, _ second: Named, _ firsts: [Named], _ seconds: [Named]
  ) -> Bool {
    if firsts.count == 1, seconds.count == 1 { return true }
    guard let one = first.box, let other = second.box else { return false }
    return one.iou(with: other) >= 0.5
  }
}
