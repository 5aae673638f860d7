internal import FaceCore
internal import Metrics

/// Where one labelled or predicted face is, as far as conventions of coordinates matter.
struct Placement: Sendable, Hashable {
  /// The box that it is compared by.
  var box: BoundingBox
  /// Whether the box was given, so that a convention of boxes changes it; else it is that of the points.
  var ownsBox: Bool
  /// The means of the points of both eyes and of the mouth, which no exchange of left and right moves.
  var anchors: [Point]

  /// Places a label; nil where its box holds no finite numbers.
  init?(_ label: FaceLabel) {
    let landmarks = label.landmarks.first { LandmarkLayout.of($0.scheme) != nil }
    self.init(
      label.box, scheme: landmarks?.scheme,
      points: landmarks.map { known in
        zip(known.points, known.visibility).map { $1 == .notLabelled ? nil : $0 }
      } ?? [])
    let tight = landmarks.flatMap { BoundingBox(around: $0.labelled) }
    ownsBox = tight.map { !Self.areNear($0, label.box) } ?? true
  }

  /// Places a predicted face; nil without a box.
  init?(_ face: FacePrediction) {
    guard let box = face.box else { return nil }
    self.init(
      box, scheme: face.scheme,
      points: face.points.map {
        $0.x.isFinite && $0.y.isFinite ? Point(x: Double($0.x), y: Double($0.y)) : nil
      })
    ownsBox = box == face.ownBox
  }

  private init?(_ box: BoundingBox, scheme: LandmarkScheme?, points: [Point?]) {
    guard [box.x, box.y, box.width, box.height].allSatisfy(\.isFinite) else { return nil }
    (self.box, ownsBox) = (box, true)
    let parts = scheme.flatMap(LandmarkLayout.of)?.parts ?? [:]
    let means = [FacePart.eyes, .mouth].compactMap { part -> Point? in
      let known = (parts[part] ?? []).compactMap { points.indices.contains($0) ? points[$0] : nil }
      guard let all = parts[part], !all.isEmpty, known.count == all.count else { return nil }
      let sum = known.reduce(into: Point(x: 0, y: 0)) {
        $0.x += $1.x
        $0.y += $1.y
      }
      return Point(x: sum.x / Double(known.count), y: sum.y / Double(known.count))
    }
    anchors = means.count == 2 ? means : []
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
      case .corners, .center: if ownsBox { face.box = repair.box(face.box, in: size) }
      default: face.box = repair.box(face.box, in: size)
      }
      face.anchors = face.anchors.map { repair.point($0, in: size) }
    }
    return face
  }

  /// How far the eyes and the mouth are from a label's, in sizes of the label's box; nil without points of both.
  func distance(from label: Placement) -> Double? {
    guard !anchors.isEmpty, !label.anchors.isEmpty, label.box.area > 0 else { return nil }
    let sum = zip(anchors, label.anchors).reduce(0) {
      let (x, y) = ($1.0.x - $1.1.x, $1.0.y - $1.1.y)
      return $0 + (x * x + y * y).squareRoot()
    }
    return sum / Double(anchors.count) / label.box.area.squareRoot()
  }
}
