import FaceCore
internal import Statistics

/// Fits of the points of one scheme of labels, each to all folds but one.
///
/// Images, in video sequences, are put in the order of their names' hashes and dealt out to up to
/// ten folds, so that no face is evaluated by a fit to its own image whatever the order of the frames.
struct CrossFit {
  typealias Face = LandmarkRegression.Face

  /// Found faces that a fit needs: of 20 out of Helen or dlib's examples, none of 200 draws came out worse than the table.
  static let neededFaces = 20
  /// Images, or sequences of video, that they must come from.
  static let neededGroups = 5
  /// Faces of the other folds that a point needs; with fewer the table's point stands.
  static let neededForPoint = 10
  private static let maxFolds = 10

  /// Why there is no fit; nil where there is one.
  let problem: String?
  private let foldOfGroup: [UInt64: Int]
  /// For each fold the fits of the points to the faces of the others; none where there is a problem.
  private var fits: [[LinearFit?]] = []
  private let parts: [[Int]]

  /// Fits what can be fitted; all faces have labels of one scheme.
  init(to faces: [Face], _ scheme: LandmarkScheme) {
    let found = faces.filter { $0.shape != nil }
    let groups = Set(found.map(\.group)).sorted()
    let folds = min(Self.maxFolds, groups.count)
    foldOfGroup = Dictionary(
      uniqueKeysWithValues: groups.enumerated().map { ($0.element, $0.offset % folds) })
    parts = FacePart.allCases.map { LandmarkLayout.of(scheme)?.parts[$0] ?? [] }
    guard found.count >= Self.neededFaces, groups.count >= Self.neededGroups else {
      problem =
        "\(found.count) found faces of \(groups.count) images or sequences are labelled in "
        + "\(scheme.name); a fit needs \(Self.neededFaces) of \(Self.neededGroups)"
      return
    }
    problem = nil
    fits = fits(to: found, points: scheme.count, folds: folds)
  }

  private func fits(to faces: [Face], points: Int, folds: Int) -> [[LinearFit?]] {
    let none = RidgeRegression(inputs: FaceFrame.inputCount)
    var sums = Array(repeating: Array(repeating: none, count: points), count: folds)
    for face in faces {
      guard let shape = face.shape, let anchors = shape.inputs, let own = foldOfGroup[face.group]
      else { continue }
      for (point, offset) in shape.offsets.enumerated() where offset.x.isFinite {
        sums[own][point].add(anchors, [Double(offset.x), Double(offset.y)])
      }
    }
    return (0..<folds).map { out in
      (0..<points).map { point in
        var others = none
        for fold in 0..<folds where fold != out { others.merge(sums[fold][point]) }
        return others.count < Self.neededForPoint ? nil : others.solved()
      }
    }
  }

  /// Sets the errors of a face that was found.
  func evaluate(_ face: inout Face) {
    guard let shape = face.shape else { return }
    face.table = means(shape) { _, offset in offset }
    guard problem == nil, let fold = foldOfGroup[face.group] else { return }
    let anchors = shape.inputs
    face.regressed = means(shape) { point, offset in
      guard let anchors, let fit = fits[fold][point] else { return offset }
      let fitted = fit(anchors)
      return offset - SIMD2(fitted[0], fitted[1])
    }
  }

  /// Means of the lengths that are left of the offsets, back in pixels.
  private func means(
    _ shape: LandmarkRegression.Shape,
    rest: (_ point: Int, _ offset: SIMD2<Double>) -> SIMD2<Double>
  ) -> LandmarkRegression.Means? {
    let distances: [Double?] = shape.offsets.enumerated().map { point, offset in
      guard offset.x.isFinite else { return nil }
      let left = rest(point, SIMD2(offset))
      return (left * left).sum().squareRoot() * shape.scale
    }
    func mean(_ points: some Collection<Int>) -> Double? {
      points.compactMap { distances[$0] }.mean
    }
    return mean(distances.indices).map {
      LandmarkRegression.Means(whole: $0, parts: parts.map(mean))
    }
  }
}

extension LandmarkRegression.Shape {
  /// What a fit starts from; nil for a face without a frame.
  fileprivate var inputs: [Double]? { anchors.isEmpty ? nil : anchors.map { Double($0) } }
}
