internal import FaceCore

/// How well the boxes that a tracker gives agree with the labels, whatever its points say.
struct DetectionAgreement {
  private let count: Int
  private let scenes: [(size: ImageSize, labels: [BoundingBox], given: [BoundingBox])]

  /// Boxes that agree as they are: half of the labelled faces are found.
  static let leastShare = 0.5
  /// With a repair so much less of them are found where it is one of the points alone.
  static let loss = 0.2

  /// Gathers the boxes; none where predictions are points alone.
  init(_ sample: JoinedSample) {
    scenes = sample.frames.compactMap { joined in
      let own = joined.prediction.faces.compactMap(\.ownBox)
      let given = joined.prediction.detections.map(\.box) + own
      return joined.labels.isEmpty || given.isEmpty
        ? nil : (joined.size, joined.labels.map(\.box), given)
    }
    count = scenes.reduce(0) { $0 + $1.labels.count }
  }

  /// The share of labelled faces that are found at IoU .50, with the boxes in another convention.
  func share(_ repairs: [FaceRepair] = []) -> Double {
    let found = scenes.reduce(0) { sum, scene in
      let given = scene.given.map { box in repairs.reduce(box) { $1.box($0, in: scene.size) } }
        .filter(\.isWellFormed)
      return sum + scene.labels.count { $0.isFound(among: given) }
    }
    return count == 0 ? 0 : Double(found) / Double(count)
  }

  /// Whether boxes are right as they are and wrong with the repairs: these are of the points alone.
  func contradicts(_ repairs: [FaceRepair]) -> Bool {
    let now = share()
    return now >= Self.leastShare && share(repairs) <= now - Self.loss
  }
}
