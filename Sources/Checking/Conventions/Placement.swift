internal import FaceCore
internal import Metrics

/// Where one labelled or predicted face is, as far as conventions of coordinates matter.
struct Placement: Sendable, Hashable {
  /// The box that it is compared by.
  var box: BoundingBox
  /// Whether the box was given, so that a convention of boxes changes it; else it is that of the points.
  var ownsBox: Bool
  /// The middles of the image's left eye, of the right eye and of the mouth; none without all of them.
  var anchors: [Point]

  /// Places a label; nil where its box holds no finite numbers.
  init?(_ label: FaceLabel) {
    let landmarks = label.landmarks.first { LandmarkLayout.of($0.scheme) != nil }
    self.init(label.box, scheme: landmarks?.scheme, points: landmarks?.known ?? [])
    let tight = landmarks.flatMap { BoundingBox(around: $0.labelled) }
    ownsBox = tight.map { !Self.areNear($0, label.box) } ?? true
  }

  /// Places a predicted face; nil without a box.
  init?(_ face: FacePrediction) {
    guard let box = face.box else { return nil }
    self.init(box, scheme: face.scheme, points: face.known)
    ownsBox = box == face.ownBox
  }

  private init?(_ box: BoundingBox, scheme: LandmarkScheme?, points: [Point?]) {
    guard [box.x, box.y, box.width, box.height].allSatisfy(\.isFinite) else { return nil }
    (self.box, ownsBox) = (box, true)
    let layout = scheme.flatMap(LandmarkLayout.of)
    let parts = layout.map { [$0.leftEye, $0.rightEye, $0.parts[.mouth] ?? []] } ?? []
    let middles = parts.compactMap { part -> Point? in
      let known = part.compactMap { points.indices.contains($0) ? points[$0] : nil }
      return known.count == part.count ? Point(meanOf: known) : nil
    }
    anchors = middles.count == 3 ? middles : []
  }

  private static func areNear(_ one: BoundingBox, _ other: BoundingBox) -> Bool {
    let limit = 0.02 * max(one.width, one.height)
    return abs(one.x - other.x) <= limit && abs(one.y - other.y) <= limit
      && abs(one.maxX - other.maxX) <= limit && abs(one.maxY - other.maxY) <= limit
  }

  /// The face in another convention.
  func repaired(by repairs: [FaceRepair], in size: ImageSize) -> Placement {
    var face = self
    for repair in repairs {
      switch repair {
      case .corners, .edges, .center, .corner:
        if ownsBox { face.box = repair.box(face.box, in: size) }
      default: face.box = repair.box(face.box, in: size)
      }
      face.anchors = face.anchors.map { repair.point($0, in: size) }
    }
    return face
  }

  /// How far the eyes and the mouth are from a label's, in sizes of the label's box, as they are named and with left and
  /// right exchanged; nil without points of all, and of a label whose box a convention turns inside out.
  func distances(from label: Placement) -> (named: Double, exchanged: Double)? {
    guard anchors.count == 3, label.anchors.count == 3, label.box.isWellFormed, label.box.area > 0
    else { return nil }
    func mean(_ order: [Int]) -> Double {
      let sum = zip(order, label.anchors).reduce(0) { $0 + anchors[$1.0].distance(to: $1.1) }
      return sum / 3 / label.box.area.squareRoot()
    }
    return (mean([0, 1, 2]), mean([1, 0, 2]))
  }
}
