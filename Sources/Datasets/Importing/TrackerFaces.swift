internal import FaceCore

/// Makes predictions of what an import read as labels, and counts what does not fit.
struct TrackerFaces {
  /// The one scheme whose points come along; nil for none.
  let scheme: LandmarkScheme?
  private var withoutScore = 0
  private var withScore = 0
  private var outOfRange = 0
  private var ignored = 0
  private var meshes = 0

  init(scheme: LandmarkScheme?) {
    self.scheme = scheme
  }

  /// The prediction of a frame: every face a detection too, by descending score.
  mutating func prediction(
    _ labels: [FaceLabel], frame: Frame, nanoseconds: UInt64?
  ) -> FramePrediction {
    let counted = labels.filter { !$0.isIgnored && !$0.isCrowd }
    ignored += labels.count - counted.count
    let sorted = counted.enumerated().sorted {
      let (one, other) = ($0.element.score ?? 1, $1.element.score ?? 1)
      return one == other ? $0.offset < $1.offset : one > other
    }.map(\.element)
    for label in sorted {
      if label.arkitMesh != nil { meshes += 1 }
      if let score = label.score {
        withScore += 1
        if !(0...1).contains(score) { outOfRange += 1 }
      } else {
        withoutScore += 1
      }
    }
    return FramePrediction(
      frame: frame.index, size: frame.size, stageNanoseconds: [nanoseconds],
      detections: sorted.map {
        FaceDetection(box: $0.box, score: $0.score ?? 1, keypoints: [])
      }, candidates: [], faces: sorted.map(face))
  }

  private func face(_ label: FaceLabel) -> FacePrediction {
    let set = label.landmarks.first { $0.scheme == scheme }
    let points = set.map { set in
      set.points.indices.map { index -> SIMD3<Float> in
        guard set.visibility[index] != .notLabelled else { return SIMD3(repeating: .nan) }
        let point = set.points[index]
        return SIMD3(Float(point.x), Float(point.y), Float(set.depths?[index] ?? .nan))
      }
    }
    let score = label.score.map(Float.init)
    var face = FacePrediction(
      region: nil, isTracked: false, detectionScore: score,
      presence: score.flatMap { (0...1).contains($0) ? $0 : nil }, scheme: set?.scheme,
      points: points ?? [],
      ownBox: points?.allSatisfy { $0.x.isFinite && $0.y.isFinite } == true ? nil : label.box,
      identity: label.identity)
    face.traits = label.traits
    return face
  }

  /// What was assumed or left out.
  func remarks(schemes: [LandmarkScheme]) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    if withoutScore > 0 {
      remarks.append(.assumed("\(withoutScore) faces without a score count as sure (1)"))
    }
    if outOfRange > 0 {
      remarks.append(
        .assumed(
          "\(outOfRange) of \(withScore) scores are outside of 0 to 1: they rank detections and are no "
            + "probabilities"))
    }
    if ignored > 0 {
      remarks.append(
        .dropped("\(ignored) ignored faces and crowds left out: they are no predictions"))
    }
    if meshes > 0 {
      remarks.append(.dropped("\(meshes) meshes left out: predictions have none"))
    }
    let others = schemes.filter { $0 != scheme }.map(\.name)
    if !others.isEmpty {
      remarks.append(
        .dropped(
          "points of \(others.joined(separator: ", ")) left out: predictions have one scheme"))
    }
    return remarks
  }
}
