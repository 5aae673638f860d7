internal import FaceCore
internal import Platform

/// Converts imported labels into predictions and counts losses.
struct TrackerFaces {
  /// The scheme whose points are kept; nil for none.
  let scheme: LandmarkScheme?
  /// Whether the source marks hidden points, at least one.
  let hidesPoints: Bool
  private var (withoutScore, withScore, outOfRange, ignored, meshes) = (0, 0, 0, 0, 0)
  private var (ownBoxes, boxesOfPoints) = (0, 0)
  private var otherCategories: [Int: Int] = [:]
  private var identities = RepeatedIdentities()

  init(scheme: LandmarkScheme?, hidesPoints: Bool = false) {
    self.scheme = scheme
    self.hidesPoints = hidesPoints
  }

  /// Whether the boxes are the tracker's own rather than those around its points.
  var hasOwnBoxes: Bool { ownBoxes > boxesOfPoints }

  /// The prediction of a frame: every face with a position a detection too, by descending score.
  mutating func prediction(
    _ labels: [FaceLabel], frame: Frame, nanoseconds: UInt64?
  ) -> FramePrediction {
    identities.add(labels, of: frame.name)
    let valid = labels.filter { !$0.isIgnored && !$0.isCrowd }
    ignored += labels.count - valid.count
    for label in valid where label.category != 1 {
      otherCategories[label.category, default: 0] += 1
    }
    let counted = valid.filter { $0.category == 1 }
    let sorted = counted.enumerated().sorted {
      let (one, other) = ($0.element.score ?? 1, $1.element.score ?? 1)
      return one == other ? $0.offset < $1.offset : one > other
    }.map(\.element)
    for label in sorted {
      if label.arkitMesh != nil { meshes += 1 }
      if isAroundPoints(label) {
        boxesOfPoints += 1
      } else if !label.hasNoPosition {
        ownBoxes += 1
      }
      if let score = label.score {
        withScore += 1
        if !(0...1).contains(score) { outOfRange += 1 }
      } else {
        withoutScore += 1
      }
    }
    return FramePrediction(
      frame: frame.index, size: frame.size, stageNanoseconds: [nanoseconds],
      detections: sorted.filter { !$0.hasNoPosition }.map {
        FaceDetection(box: $0.box, score: $0.score ?? 1, keypoints: [])
      }, candidates: [], faces: sorted.map(face))
  }

  private func isAroundPoints(_ label: FaceLabel) -> Bool {
    let points = label.landmarks.first { $0.scheme == scheme }?.labelled ?? []
    return BoundingBox(around: points)?.isNearly(label.box) ?? false
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
    let areKnown = points?.allSatisfy { $0.x.isFinite && $0.y.isFinite } == true
    var face = FacePrediction(
      region: nil, isTracked: false, detectionScore: score,
      presence: score.flatMap { (0...1).contains($0) ? $0 : nil }, scheme: set?.scheme,
      points: points ?? [],
      ownBox: label.hasNoPosition
        || areKnown && (set?.scheme.spansFace != false || isAroundPoints(label))
        ? nil : label.box,
      identity: label.identity)
    if hidesPoints, let set {
      face.hiddenPoints = set.visibility.map { $0 == .notLabelled ? nil : $0 == .occluded }
    }
    face.takeAttributes(of: label)
    return face
  }

  /// Assumptions and losses.
  func remarks(schemes: [LandmarkScheme]) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    if withoutScore > 0, withScore == 0 {
      remarks.assume(
        "no face has a score: what ranks faces by score, or asks whether a score is a probability, "
          + "is undefined")
    } else if withoutScore > 0 {
      remarks.assume("\(withoutScore) faces without a score get score 1")
    }
    remarks.assume(
      outOfRange,
      "of \(withScore) scores are outside of 0 to 1: they rank detections and are no probabilities")
    remarks.drop(ignored, "ignored faces and crowds left out: they are no predictions")
    if !otherCategories.isEmpty {
      let list = otherCategories.sorted { $0.key < $1.key }
      remarks.drop(
        "\(list.reduce(0) { $0 + $1.value }) results of other categories than faces left out, by number here: "
          + list.map { "\($0.key) (\($0.value))" }.listed(atMost: 12))
    }
    if let remark = identities.remark { remarks.append(remark) }
    remarks.drop(meshes, "meshes left out: predictions have none")
    let others = schemes.filter { $0 != scheme }.map(\.name)
    remarks.drop(
      "points of \(others.joined(separator: ", ")) left out: predictions have one scheme",
      if: !others.isEmpty)
    return remarks
  }
}
