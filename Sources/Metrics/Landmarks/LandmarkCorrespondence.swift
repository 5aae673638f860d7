package import FaceCore

/// Which points of one scheme stand for each point of another.
///
/// Schemes do not interchange: a perfect tracker in the one has an error in the other that no table
/// can remove, so an error by correspondence is an upper bound with a floor of its own, which
/// `LandmarkRegression` measures.
package struct LandmarkCorrespondence: Sendable, Hashable {
  /// The scheme that has points.
  package let source: LandmarkScheme
  /// The scheme that is asked for.
  package let target: LandmarkScheme
  /// For each point of the target the points of the source whose mean stands for it; empty for none.
  package let indices: [[Int]]

  /// Every table.
  package static let all = [
    mediapipe478ToIBUG68, mediapipe478ToWFLW98, mediapipe478ToCOFW29, mediapipe478ToFive,
    ibug68ToFive, mediapipe478ToDlib5, ibug68ToDlib5,
  ]

  /// The schemes that each of several sources has points for, in the order of `LandmarkScheme.all`.
  package static func shared(by sources: [LandmarkScheme]) -> [LandmarkScheme] {
    LandmarkScheme.all.filter { target in sources.allSatisfy { between($0, target) != nil } }
  }

  /// The table of each scheme to itself.
  private static let own = LandmarkScheme.all.map { scheme in
    LandmarkCorrespondence(
      source: scheme, target: scheme, indices: (0..<scheme.count).map { [$0] })
  }

  /// The table between two schemes; nil where there is none, itself for one scheme.
  package static func between(_ source: LandmarkScheme, _ target: LandmarkScheme)
    -> LandmarkCorrespondence?
  {
    (source == target ? own : all).first { $0.source == source && $0.target == target }
  }

  /// The points of a face in the target's order; nil where the source has none or the face too few.
  package func points(of face: FacePrediction) -> [Point?] {
    indices.map { sources in
      guard !sources.isEmpty, sources.allSatisfy(face.points.indices.contains) else { return nil }
      var sum = Point(x: 0, y: 0)
      for source in sources {
        sum.x += Double(face.points[source].x)
        sum.y += Double(face.points[source].y)
      }
      let count = Double(sources.count)
      return Point(x: sum.x / count, y: sum.y / count)
    }
  }

  /// Tables between points at the same places: labels of the source are labels of the target too.
  private static let exact = [ibug68ToFive, ibug68ToDlib5]

  /// Whether predicted points of a scheme can be compared with labels of another one.
  package static func compares(_ scheme: LandmarkScheme, with labelled: LandmarkScheme) -> Bool {
    between(scheme, labelled) != nil
      || exact.contains { $0.source == labelled && $0.target == scheme }
  }

  /// The labelled points to compare with a scheme and their table; the scheme's own points go first.
  ///
  /// Labels of 68 points have those of a tracker of five. Nil where no point of the label has a counterpart in the scheme.
  package static func target(of label: FaceLabel, for scheme: LandmarkScheme)
    -> (landmarks: Landmarks, table: LandmarkCorrespondence)?
  {
    let known = label.comparedLandmarks.compactMap { landmarks in
      between(scheme, landmarks.scheme).map { (landmarks: landmarks, table: $0) }
    }
    .filter { $0.table.hasCounterpart(in: $0.landmarks) { $0 != .notLabelled } }
    if let first = known.first { return known.first { $0.landmarks.scheme == scheme } ?? first }
    for landmarks in derived(from: label)
    where label.comparedSchemes != nil || landmarks.scheme == scheme {
      if let own = between(scheme, landmarks.scheme) { return (landmarks, own) }
    }
    return nil
  }

  /// The points of a label at the places of other schemes, five of 68, of those schemes that it may be compared in.
  static func derived(from label: FaceLabel) -> [Landmarks] {
    exact.compactMap { table in
      guard label.comparedSchemes?.contains(table.target) ?? true,
        let set = label.landmarks.first(where: { $0.scheme == table.source })
      else { return nil }
      return table.landmarks(of: set)
    }
  }

  /// The target's points of a label that has the source's; nil where none is labelled.
  private func landmarks(of label: Landmarks) -> Landmarks? {
    let states = indices.map { sources in
      PointVisibility(rawValue: sources.map { label.visibility[$0].rawValue }.min() ?? 0)
        ?? .notLabelled
    }
    guard states.contains(where: { $0 != .notLabelled }) else { return nil }
    let points = zip(indices, states).map { sources, state in
      let known = state == .notLabelled ? [] : sources.map { label.points[$0] }
      return Point(meanOf: known) ?? Point(x: .nan, y: .nan)
    }
    return Landmarks(scheme: target, points: points, visibility: states)
  }

  /// Whether a point whose state is asked for has a counterpart.
  func hasCounterpart(in label: Landmarks, where counts: (PointVisibility) -> Bool) -> Bool {
    zip(indices, label.visibility).contains { !$0.isEmpty && counts($1) }
  }
}

// Left is the image's left of an upright face.
extension LandmarkCorrespondence {
  /// MediaPipe's mesh to the 68 points of 300-W.
  ///
  /// Made from the contours that MediaPipe publishes: within the contour of a part (oval, upper edge
  /// of the brows, ridge of the nose, eyes, outer and inner lips), the mirrored pair of mesh points
  /// with the smallest mean distance from the labels over 81 faces of Helen and of dlib's examples;
  /// eye and mouth corners are the contours' corners. Points 31 and 35 lie in no contour: they are
  /// the nearest of the mesh. Distances: `Tests/Oracles/expected/landmark_correspondence.json`.
  ///
  /// The jaw (0-16) does not exist in the mesh: points 127 to 356 of the face oval by way of the chin,
  /// 152, stand for it. They move with the skin, the labels lie on the outline that the camera sees,
  /// so in a turned face the two part, and the jaw has the largest floor. The brows' and the ridge's
  /// labels are spaced by length, the mesh's points are not.
  package static let mediapipe478ToIBUG68 = LandmarkCorrespondence(
    source: .mediapipe478, target: .ibug68,
    indices: [
      127, 234, 93, 58, 172, 136, 149, 148, 152, 377, 378, 365, 397, 288, 323, 454, 356,
      70, 63, 105, 66, 107, 336, 296, 334, 293, 300,
      168, 197, 195, 4, 75, 97, 2, 326, 305,
      33, 160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380,
      61, 39, 37, 0, 267, 269, 291, 405, 314, 17, 84, 181,
      78, 82, 13, 312, 308, 317, 14, 87,
    ].map { [$0] })

  /// MediaPipe's mesh to the 98 points of WFLW.
  ///
  /// WFLW spaces eyes, inner lips and brows by quarters where 300-W has thirds, so that many of its
  /// points lie between two of the mesh, and begins the jaw above the eyes. Where both schemes name one
  /// spot (ends of the brows, bridge, tip and base of the nose, corners of eyes and mouth, middles of the
  /// lips, chin) the mesh point is that of 300-W's table or among the two. Chosen on four labelled faces
  /// only, both sides of each: a point may be one mesh point off.
  package static let mediapipe478ToWFLW98 = LandmarkCorrespondence(
    source: .mediapipe478, target: .wflw98,
    indices: [
      [162], [162, 127], [127, 234], [234], [93], [93, 132], [132], [132, 58], [58, 172], [172],
      [172, 136], [136, 150], [150, 149], [149, 176], [176, 148], [148], [152],
      [377], [400, 377], [378, 400], [379, 378], [365, 379], [397, 365], [397], [288, 397],
      [361, 288], [361], [323, 361], [323], [454], [356, 454], [389, 356], [389],
      [70, 46], [63, 105], [105, 66], [66, 107], [107], [55], [65, 55], [52, 65], [53, 52],
      [336], [296, 336], [334, 296], [293, 334], [300, 276], [283, 282], [282, 295], [295, 285],
      [285],
      [168], [6, 197], [195, 5], [4, 1], [48], [99], [2], [328], [278],
      [33], [161, 160], [159], [158, 157], [133], [153, 154], [145], [163],
      [362], [385, 384], [386], [388, 387], [263], [390], [374], [380, 381],
      [61], [39], [37, 0], [0], [267, 0], [269], [291], [321], [405, 314], [17], [181, 84], [91],
      [78], [81], [13], [311], [308], [402], [14], [178],
      [468], [473],
    ])

  /// MediaPipe's mesh to the 29 points of COFW.
  ///
  /// Brows: outer ends 0 and 1, inner ends 2 and 3, then middles of the upper and the lower edge. Eyes:
  /// corners 8 to 11, middles of the lids 12 to 15, pupils 16 and 17. Nose: wings 18 and 19, tip 20, its
  /// underside 21. Mouth: corners 22 and 23, middles of both edges of each lip 24 to 27. Chin 28. Checked
  /// on two labelled faces.
  package static let mediapipe478ToCOFW29 = LandmarkCorrespondence(
    source: .mediapipe478, target: .cofw29,
    indices: [
      [70], [300], [107, 55], [336, 285], [105, 66], [52, 65], [334, 296], [282, 295],
      [33], [263], [133], [362], [159], [145], [386], [374], [468], [473],
      [48], [278], [4], [19, 94],
      [61], [291], [0], [13], [14], [17],
      [152],
    ])

  /// MediaPipe's mesh to five points: eye centres, nose tip, mouth corners.
  ///
  /// An eye's centre is the mean of its corners and the middles of its lids, which stays where it is when
  /// the eye looks aside; the iris does not.
  package static let mediapipe478ToFive = LandmarkCorrespondence(
    source: .mediapipe478, target: .five,
    indices: [[33, 133, 159, 145], [263, 362, 386, 374], [4], [61], [291]])

  /// The 68 points of 300-W to five: means of the eyes' outlines, nose tip, outer mouth corners.
  package static let ibug68ToFive = LandmarkCorrespondence(
    source: .ibug68, target: .five,
    indices: [[36, 37, 38, 39, 40, 41], [42, 43, 44, 45, 46, 47], [30], [48], [54]])

  /// MediaPipe's mesh to dlib's five points: the points that stand for 300-W's 45, 42, 36, 39 and 33.
  package static let mediapipe478ToDlib5 = LandmarkCorrespondence(
    source: .mediapipe478, target: .dlib5, indices: [[263], [362], [33], [133], [2]])

  /// The 68 points of 300-W to dlib's five: the corners of the eyes and the base of the nose.
  package static let ibug68ToDlib5 = LandmarkCorrespondence(
    source: .ibug68, target: .dlib5, indices: [[45], [42], [36], [39], [33]])
}
