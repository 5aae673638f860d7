internal import FaceCore

/// Labelled boxes in another convention than the points of the whole face that are labelled with them.
struct LabelledBoxes {
  /// The change of the labels that brings their boxes to their points.
  let repair: FaceRepair
  /// The median overlap of a box with that of its points, as it is and with the change.
  let before, after: Double
  /// How many labels have both.
  let count: Int
  /// Positions in the sample of some of their frames.
  let frames: [Int]

  /// The most overlap of wrong boxes and the least of right ones, and so many faces: head boxes have .35 or more.
  private static let limit = (before: 0.3, after: 0.5, faces: 10)

  /// Finds it; nil where boxes are around their points, or no convention brings them there.
  init?(_ sample: JoinedSample) {
    var faces: [(frame: Int, box: BoundingBox, tight: BoundingBox)] = []
    for (position, joined) in sample.frames.enumerated() {
      for label in joined.labels {
        guard let set = label.landmarks.first(where: \.scheme.spansFace),
          let tight = BoundingBox(around: set.labelled), tight.area > 0
        else { continue }
        faces.append((position, label.box, tight))
      }
    }
    guard faces.count >= Self.limit.faces else { return nil }
    func overlap(_ repair: FaceRepair?) -> Double {
      let overlaps = faces.map { face in
        let box = repair?.box(face.box, in: ImageSize(width: 0, height: 0)) ?? face.box
        return box.isWellFormed ? face.tight.iou(with: box) : 0
      }
      return overlaps.median ?? 0
    }
    let before = overlap(nil)
    let repairs: [FaceRepair] = [.corners, .center, .corner]
    let tried = repairs.map { (repair: $0, overlap: overlap($0)) }
    guard before <= Self.limit.before,
      let best = tried.max(by: { $0.overlap < $1.overlap }), best.overlap >= Self.limit.after
    else { return nil }
    repair = best.repair
    (self.before, after) = (before, best.overlap)
    count = faces.count
    frames = faces.map(\.frame)
  }
}
