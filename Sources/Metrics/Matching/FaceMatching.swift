package import FaceCore

/// Who is who in one image: labelled faces and the faces that a tracker gave out.
///
/// Compared are the tight box of all predicted points (of a tracker without points or with five its own box)
/// and the tight box of the labelled points, or the labelled box where less than half of a scheme's points have
/// a label; where a label lacks points, also the tight boxes of the points that it has. Five labelled points, which span
/// no face, count only against five predicted points without a box. Pairs
/// of IoU .50 or more are chosen so that their IoU adds up to the most: first among labels that count;
/// what is left over may then fall on ignored labels and crowds. Labels of another category than faces
/// (1) take no part. A label without a position, as recordings of coefficients have, is the only prediction's
/// of its frame where it is the frame's only label. Where a frame has several labels without a position and a face
/// that no box explains, who is who is not known: such labels and faces count neither way. Where no predicted face of the
/// whole dataset has a position, as those of coefficients alone, the only prediction of a frame is that of its only label,
/// and in frames with more of either nobody knows who is who.
package struct FaceMatching: Sendable, Hashable {
  /// A labelled face with its prediction.
  package struct Match: Sendable, Hashable {
    /// Position among the labels.
    package let label: Int
    /// Position among the predicted faces.
    package let face: Int
    /// Intersection over union of the two boxes, in [0.5, 1]; nil for pairs by another basis.
    package let iou: Double?
    /// What made the pair.
    package let basis: Basis
  }

  /// Labels that count and were found, in the order of the labels.
  package let matches: [Match]
  /// Positions of labels that count and have no prediction.
  package let missed: [Int]
  /// Positions of predicted faces that match no label.
  package let unmatched: [Int]
  /// Positions of predicted faces on ignored labels and crowds, and of those that `undecided` may be; they count neither
  /// way.
  package let ignored: [Int]
  /// Positions of labels that would count, had they a position that tells them from each other.
  package let undecided: [Int]

  /// Whether predicted faces have positions; they have none anywhere where they are coefficients or angles alone.
  package let facesHavePositions: Bool

  /// Labels that count: neither ignored nor crowds.
  package var labelled: Int { matches.count + missed.count }
}

extension FaceMatching {
  /// Matches one image; throws for label boxes that are not well-formed.
  ///
  /// A predicted face without points, or with one that is not finite, matches nothing, unless `facesHavePositions` is false.
  package init(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], facesHavePositions: Bool = true
  ) throws(MetricError) {
    try labels.validate(frame: frame)
    let faceBoxes = faces.map(\.finiteBox)
    let hasInner = faces.haveInnerPoints
    let labelBoxes = labels.map { $0.matchingBoxes(hasInner: hasInner) }
    // Most labels are compared by one box alone: no prediction is copied for its points.
    let singleBoxes = labelBoxes.map(\.single)
    func iou(_ label: Int, _ face: Int) -> Double? {
      if let single = singleBoxes[label] { return faceBoxes[face].map { single.iou(with: $0) } }
      return labelBoxes[label].iou(with: faces[face], in: faceBoxes[face])
    }
    let people = labels.indices.filter { labels[$0].category == 1 }
    let counted = people.filter { !labels[$0].isIgnored && !labels[$0].isCrowd }
    let matches =
      try people.count == 1 && counted.count == 1 && faces.count == 1
      && (labels[counted[0]].hasNoPosition || !facesHavePositions)
      ? [Match(label: counted[0], face: 0, iou: nil, basis: .only)]
      : Self.pairs(counted, Array(faces.indices), frame: frame, iou: iou)
    let found = Set(matches.map(\.label))
    let used = Set(matches.map(\.face))
    let left = counted.filter { !found.contains($0) }
    let free = faces.indices.filter { !used.contains($0) }
    let single = people.filter { labels[$0].isIgnored && !labels[$0].isCrowd }
    var ignored = Set(try Self.pairs(single, free, frame: frame, iou: iou).map(\.face))
    let crowds = people.filter { labels[$0].isCrowd }
    for face in free where !ignored.contains(face) {
      guard let box = faceBoxes[face], box.area > 0 else { continue }
      if crowds.contains(where: { box.intersection(with: labels[$0].box) >= 0.5 * box.area }) {
        ignored.insert(face)
      }
    }
    let unexplained = free.filter { !ignored.contains($0) }
    let unlocated = left.filter { !facesHavePositions || labels[$0].hasNoPosition }
    let isUndecided =
      !unexplained.isEmpty && (facesHavePositions ? unlocated.count > 1 : !people.isEmpty)
    self.init(
      matches: matches, missed: isUndecided ? left.filter { !unlocated.contains($0) } : left,
      unmatched: isUndecided ? [] : unexplained,
      ignored: isUndecided ? (ignored + unexplained).sorted() : ignored.sorted(),
      undecided: isUndecided ? unlocated : [], facesHavePositions: facesHavePositions)
  }

  /// The same for only some of the labels; faces of the others count neither way.
  package func restricted(to isKept: (_ label: Int) -> Bool) -> FaceMatching {
    FaceMatching(
      matches: matches.filter { isKept($0.label) }, missed: missed.filter(isKept),
      unmatched: unmatched,
      ignored: (ignored + matches.filter { !isKept($0.label) }.map(\.face)).sorted(),
      undecided: undecided.filter(isKept), facesHavePositions: facesHavePositions)
  }

  /// The same face in two frames, later position to earlier: pairs of IoU .50 or more of their boxes.
  ///
  /// Throws where too many overlap; `frame` is named then.
  package static func continuations(
    of faces: [FacePrediction], from earlier: [FacePrediction], frame: Int
  ) throws(MetricError) -> [Int: Int] {
    let (boxes, before) = (faces.map(\.finiteBox), earlier.map(\.finiteBox))
    let matches = try pairs(Array(faces.indices), Array(earlier.indices), frame: frame) {
      guard let box = boxes[$0], let other = before[$1] else { return nil }
      return box.iou(with: other)
    }
    return Dictionary(uniqueKeysWithValues: matches.map { ($0.label, $0.face) })
  }

  /// In the order of `rows`, the pairs of IoU .50 or more; rows and columns are positions of which `iou` knows the boxes.
  private static func pairs(
    _ rows: [Int], _ columns: [Int], frame: Int, iou: (_ row: Int, _ column: Int) -> Double?
  ) throws(MetricError) -> [Match] {
    let overlaps = try PairWeights(rows: rows.count, columns: columns.count, frame: frame) {
      iou(rows[$0], columns[$1]).map { $0 >= 0.5 ? $0 : 0 } ?? 0
    }
    return MaximumAssignment.columns(overlaps).enumerated().compactMap { row, column in
      column.map {
        Match(
          label: rows[row], face: columns[$0], iou: overlaps[row, $0], basis: .overlap)
      }
    }
  }
}

extension FacePrediction {
  /// The tight box around the points, or the tracker's own; nil without either or where it is not finite.
  var finiteBox: BoundingBox? { box.flatMap { $0.isWellFormed ? $0 : nil } }
}

/// The boxes by which a label is compared with predictions.
package struct MatchingBoxes: Sendable {
  /// The tight box of the labelled points, or the label's own.
  package let box: BoundingBox
  /// The label's own box where a part of the points is not labelled, as of the hidden half of a face; nil elsewhere.
  package let own: BoundingBox?
  /// The points, a third or more of them, of a label that lacks some; nil elsewhere.
  let part: Landmarks?

  /// The box where no other box and no points are compared; nil elsewhere.
  var single: BoundingBox? { own == nil && part == nil ? box : nil }

  /// That of the two that overlaps a predicted box more.
  package func nearest(to face: BoundingBox) -> BoundingBox {
    guard let own, own.iou(with: face) > box.iou(with: face) else { return box }
    return own
  }

  /// The larger IoU of the two with a predicted box.
  package func iou(with face: BoundingBox) -> Double { nearest(to: face).iou(with: face) }

  /// The labelled and the predicted box that overlap the most: the face's own, or that around those of its points that
  /// the label has, where the label lacks some. Nil for a face without a finite box.
  func pair(
    with face: FacePrediction, in box: BoundingBox?
  ) -> (label: BoundingBox, face: BoundingBox)? {
    guard let box else { return nil }
    let whole = (label: nearest(to: box), face: box)
    guard let part, let scheme = face.scheme,
      let table = LandmarkCorrespondence.between(scheme, part.scheme),
      let labelled = BoundingBox(around: part.labelled)
    else { return whole }
    let same = zip(table.points(of: face), part.visibility).filter { $1 != .notLabelled }.map(\.0)
    let known = same.compactMap { $0 }.filter { $0.x.isFinite && $0.y.isFinite }
    guard known.count == same.count, let tight = BoundingBox(around: known), tight.isWellFormed,
      labelled.iou(with: tight) > whole.label.iou(with: box)
    else { return whole }
    return (labelled, tight)
  }

  /// The largest IoU with a predicted face, by `pair`.
  func iou(with face: FacePrediction, in box: BoundingBox?) -> Double? {
    pair(with: face, in: box).map { $0.label.iou(with: $0.face) }
  }
}

extension FaceLabel {
  /// The tight box of the scheme with the most labelled points if half or more have labels, else the label's.
  ///
  /// The box of eyes, nose and mouth, as of `five`, is a third of the face's: it is compared only with boxes of the same
  /// kind, where predictions have such points and no box, and then before all others.
  package func matchingBoxes(hasInner: Bool) -> MatchingBoxes {
    var best: (points: [Point], isWhole: Bool) = ([], true)
    let inner =
      hasInner
      ? landmarks.filter { !$0.scheme.spansFace && 2 * $0.labelled.count >= $0.scheme.count } : []
    for scheme in inner.isEmpty ? landmarks.filter(\.scheme.spansFace) : inner {
      let labelled = scheme.labelled
      if labelled.count > best.points.count, 2 * labelled.count >= scheme.scheme.count {
        best = (labelled, labelled.count == scheme.scheme.count)
      }
    }
    let partial = landmarks.filter {
      inner.isEmpty && $0.scheme.spansFace && $0.visibility.contains(.notLabelled)
    }
    let part = partial.max { $0.labelled.count < $1.labelled.count }
      .flatMap { 3 * $0.labelled.count >= $0.scheme.count ? $0 : nil }
    guard let tight = BoundingBox(around: best.points) else {
      return MatchingBoxes(box: box, own: nil, part: part)
    }
    let isPart = !best.isWhole && inner.isEmpty && box.isWellFormed && box.area > 0
    return MatchingBoxes(box: tight, own: isPart ? box : nil, part: part)
  }

  /// The first of `matchingBoxes`.
  package func matchingBox(hasInner: Bool) -> BoundingBox {
    matchingBoxes(hasInner: hasInner).box
  }
}

extension [FacePrediction] {
  /// Whether a face has only the box of eyes, nose and mouth.
  package var haveInnerPoints: Bool { contains(where: \.hasBoxOfInnerPoints) }
}

extension FaceMatching {
  /// The labels that count, in their order, each with the position of its prediction; nil where missed.
  package var labelledFaces: [(label: Int, face: Int?)] {
    let found: [(label: Int, face: Int?)] = matches.map { ($0.label, $0.face) }
    return (found + missed.map { ($0, nil) }).sorted { $0.label < $1.label }
  }
}
