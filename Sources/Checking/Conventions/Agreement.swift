internal import FaceCore

/// How well labelled and predicted faces agree, with either side as it is or in another convention.
struct Agreement: Sendable {
  /// The faces of one frame.
  struct Scene: Sendable {
    /// Position of the frame in the sample.
    let frame: Int
    /// The image's size; 0 by 0 where nobody states it.
    let size: ImageSize
    /// The video that it is of; nil for a still.
    let video: Int?
    /// The labelled faces, the largest first.
    var labels: [Placement]
    /// The predicted faces, those of the highest score first.
    var faces: [Placement]

    /// How many faces both sides can agree on.
    var count: Int { min(labels.count, faces.count) }
    /// Whether both of the image's sides are known.
    var hasSize: Bool { size.width > 0 && size.height > 0 }
  }

  /// What one hypothesis gives.
  struct Fit: Sendable {
    /// How well each label agrees with its face, in [0, 1], scene by scene; 0 where it has none.
    var qualities: [Double] = []
    /// Of how many faces both sides can agree.
    var count = 0
    /// How many of them overlap by an IoU of .50.
    var found = 0
    /// Distances of eyes and mouths, in sizes of the face, where both sides have points: by their names, and with left and right
    /// exchanged.
    var distances: [(named: Double, exchanged: Double)] = []

    /// The mean agreement.
    var mean: Double { count == 0 ? 0 : qualities.reduce(0, +) / Double(count) }
    /// The share of faces that are found.
    var share: Double { count == 0 ? 0 : Double(found) / Double(count) }
    /// The median distance of eyes and mouths wherever left is; nil without points.
    var distance: Double? { median { min($0.named, $0.exchanged) } }
    /// The median distance by the names of the eyes.
    var namedDistance: Double? { median(\.named) }
    /// The median distance with left and right exchanged.
    var exchangedDistance: Double? { median(\.exchanged) }

    private func median(_ value: ((named: Double, exchanged: Double)) -> Double) -> Double? {
      distances.map(value).median
    }
  }

  /// The frames that have faces on both sides; of many, an even choice.
  let scenes: [Scene]

  /// About this many faces settle any question of conventions.
  private static let faceLimit = 600
  /// In a crowd, so many of the largest labels and twice as many predictions are looked at.
  private static let crowdLimit = 24
  /// An overlap that chance gives among the faces of a crowd.
  private static let chance = 0.3

  /// Gathers the faces of a sample.
  init(_ sample: JoinedSample) {
    let counts = sample.frames.map { min($0.labels.count, $0.prediction.faces.count) }
    let known = counts.indices.filter { counts[$0] > 0 }
    let step = max(1, counts.reduce(0) { $0 + min($1, Self.crowdLimit) } / Self.faceLimit)
    scenes = stride(from: 0, to: known.count, by: step).compactMap {
      Scene(known[$0], sample.frames[known[$0]], limit: Self.crowdLimit)
    }
  }

  /// The same with predictions for labels.
  var exchanged: Agreement {
    Agreement(
      scenes: scenes.map { scene in
        var other = scene
        (other.labels, other.faces) = (scene.faces, scene.labels)
        return other
      })
  }

  private init(scenes: [Scene]) { self.scenes = scenes }

  /// The agreement with predictions, or labels, in another convention.
  func fit(_ repairs: [FaceRepair] = [], ofLabels: Bool = false) -> Fit {
    var fit = Fit()
    for scene in scenes {
      let repaired = (ofLabels ? scene.labels : scene.faces).map {
        $0.repaired(by: repairs, in: scene.size)
      }
      fit.add(
        ofLabels ? repaired : scene.labels, ofLabels ? scene.faces : repaired, above: Self.chance)
    }
    return fit
  }
}

extension Agreement.Scene {
  fileprivate init?(_ position: Int, _ joined: JoinedFrame, limit: Int) {
    let labels = joined.labels.compactMap { Placement($0) }
    guard !labels.isEmpty else { return nil }
    let given = joined.prediction.faces.compactMap { face in
      Placement(face).map { (face: $0, score: face.detectionScore ?? face.presence ?? 0) }
    }
    guard !given.isEmpty else { return nil }
    frame = position
    size = joined.size
    video = joined.isVideo ? joined.frame.sequence : nil
    self.labels = Array(labels.sorted { $0.box.area > $1.box.area }.prefix(limit))
    faces = given.sorted { ($0.score, $0.face.box.area) > ($1.score, $1.face.box.area) }
      .prefix(2 * self.labels.count).map(\.face)
  }
}

extension Agreement.Fit {
  fileprivate mutating func add(
    _ labels: [Placement], _ faces: [Placement], above chance: Double
  ) {
    var candidates:
      [(
        quality: Double, label: Int, face: Int, iou: Double,
        distances: (named: Double, exchanged: Double)?
      )] = []
    for (face, given) in faces.enumerated() {
      for (label, known) in labels.enumerated() {
        let distances = given.distances(from: known)
        let iou = given.box.isWellFormed ? known.box.iou(with: given.box) : 0
        let overlap = iou >= chance ? iou : 0
        let quality =
          distances.map {
            min(max(0, 1 - 2 * min($0.named, $0.exchanged)), given.ownsBox ? overlap : 1)
          } ?? overlap
        if quality > 0 || labels.count == 1 && faces.count == 1 {
          candidates.append((quality, label, face, iou, distances))
        }
      }
    }
    candidates.sort { ($1.quality, $0.label, $0.face) < ($0.quality, $1.label, $1.face) }
    var qualities = Array(repeating: 0.0, count: labels.count)
    var (usedLabels, usedFaces): (Set<Int>, Set<Int>) = ([], [])
    for best in candidates
    where !usedLabels.contains(best.label) && !usedFaces.contains(best.face) {
      usedLabels.insert(best.label)
      usedFaces.insert(best.face)
      qualities[best.label] = best.quality
      if best.iou >= 0.5 { found += 1 }
      if let known = best.distances { distances.append(known) }
    }
    self.qualities += qualities
    count += min(labels.count, faces.count)
  }
}
