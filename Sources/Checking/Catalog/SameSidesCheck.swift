internal import FaceCore
package import Records

/// Predictions that are the labels: equal to the last bit, as no tracker's are.
package enum SameSidesCheck: FindingCheck {
  package static let names = ["sides.same"]

  /// Equal faces, at least; fewer are an example made by hand.
  private static let leastFaces = 20
  /// Their share of the compared faces, at least: trackers of one object may be given a box again after a loss.
  private static let leastShare = 0.2
  /// Different numbers that are no whole ones, at least; 0, 1 and whole pixels agree by chance.
  private static let leastNumbers = 6
  /// Two boxes of whole pixels agree by chance now and then where they are smaller; nearly all do not.
  private static let smallestSide = 32.0
  private static let leastShareOfSmall = 0.9

  package static func findings(in sample: JoinedSample) -> [Finding] {
    var (compared, same, small) = (0, 0, 0)
    var frames: [Int] = []
    // Trackers of one object are given the box of the first frame, and keep it where nothing moves.
    var given: [Int: [BoundingBox]] = [:]
    for joined in sample.frames where joined.isVideo && !joined.labels.isEmpty {
      let sequence = joined.frame.sequence
      if given[sequence] == nil { given[sequence] = joined.labels.map(\.box) }
    }
    for pair in sample.pairs {
      let (joined, label, face) = sample.faces(of: pair)
      guard let isSame = isSame(label, face, of: joined.size) else { continue }
      if isBox(face), given[joined.frame.sequence]?.contains(label.box) == true { continue }
      compared += 1
      guard isSame else { continue }
      same += 1
      if isSmall(label, face) { small += 1 }
      if frames.last != pair.frame { frames.append(pair.frame) }
    }
    let isChance =
      Double(same - small) < leastShare * Double(compared)
      && Double(same) < leastShareOfSmall * Double(compared)
    guard same >= leastFaces, !isChance else { return [] }
    let share = Double(same) / Double(compared)
    return [
      Finding(
        "sides.same", .suspect,
        same == compared
          ? "The predictions are the labels: all \(same) faces are equal to the last bit."
          : "\(same) of \(compared) predicted faces are the labels to the last bit.",
        statistic: "share of predicted faces that equal their label to the last bit", before: share,
        n: compared,
        remedy: "Import the tracker's own output with --of; what was imported was made from the "
          + "labels, or the labels from it.",
        frames: sample.named(frames))
    ]
  }

  /// Whether all that both sides have is equal; nil where they share nothing that cannot be equal by chance.
  private static func isSame(_ label: FaceLabel, _ face: FacePrediction, of size: ImageSize)
    -> Bool?
  {
    let parts = [
      coefficients(label, face), points(label, face), pose(label, face), attributes(label, face),
    ].compactMap(\.self)
    if !parts.isEmpty { return parts.allSatisfy(\.self) }
    return isBox(face) ? boxes(label, face, of: size) : nil
  }

  /// Whether a box is all that is predicted.
  private static func isBox(_ face: FacePrediction) -> Bool {
    face.points.isEmpty && face.blendshapes == nil && face.pose == nil && face.expression == nil
      && face.attributes.isEmpty
  }

  private static func coefficients(_ label: FaceLabel, _ face: FacePrediction) -> Bool? {
    guard let own = label.blendshapes, let other = face.blendshapes else { return nil }
    return equal(zip(own, other).filter { !$0.isNaN && !$1.isNaN })
  }

  private static func pose(_ label: FaceLabel, _ face: FacePrediction) -> Bool? {
    guard let own = label.pose?.matrix, let other = face.pose?.matrix else { return nil }
    return equal(own.indices.map { (own[$0], other[$0]) }.filter { !$0.isNaN && !$1.isNaN })
  }

  private static func attributes(_ label: FaceLabel, _ face: FacePrediction) -> Bool? {
    equal(
      label.attributes.compactMap { name, value in
        face.attributes[name].map { (Float(value), Float($0)) }
      })
  }

  private static func points(_ label: FaceLabel, _ face: FacePrediction) -> Bool? {
    guard let own = label.landmarks.first(where: { $0.scheme == face.scheme }),
      own.points.count == face.points.count
    else { return nil }
    let pairs = own.points.indices.filter {
      own.visibility[$0] != .notLabelled && !face.points[$0].x.isNaN
    }
    guard pairs.count >= 5 else { return nil }
    return pairs.allSatisfy {
      Float(own.points[$0].x) == face.points[$0].x && Float(own.points[$0].y) == face.points[$0].y
    }
  }

  private static func boxes(_ label: FaceLabel, _ face: FacePrediction, of size: ImageSize) -> Bool?
  {
    guard let box = face.box, label.box.area > 0,
      label.box
        != BoundingBox(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    else { return nil }
    return zip(numbers(label.box), numbers(box)).allSatisfy { Float($0) == Float($1) }
  }

  private static func numbers(_ box: BoundingBox) -> [Double] {
    [box.x, box.y, box.width, box.height]
  }

  /// Whether all that is equal is a small box of whole pixels.
  private static func isSmall(_ label: FaceLabel, _ face: FacePrediction) -> Bool {
    isBox(face) && min(label.box.width, label.box.height) < smallestSide
      && numbers(label.box).allSatisfy { $0 == $0.rounded() }
  }

  /// Whether pairs are equal; nil where too few of them are numbers that differ.
  private static func equal(_ pairs: [(Float, Float)]) -> Bool? {
    let measured = Set(pairs.map(\.0).filter { $0 != $0.rounded() })
    guard measured.count >= leastNumbers else { return nil }
    return pairs.allSatisfy { $0 == $1 }
  }
}
