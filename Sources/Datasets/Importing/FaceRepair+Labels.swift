package import FaceCore
internal import Foundation

extension FaceRepair {
  /// What a repair works on, by the words of messages.
  enum Subject: String {
    case coordinates = "boxes or points"
    case points
    case boxes = "boxes that are not those around the points"
    case sides = "points or coefficients"
    case coefficients
    case numbers = "coefficients or scores"
    case scores
    case angles
  }

  /// What the repair works on.
  var subject: Subject {
    switch self {
    case .fractions, .scale, .letterbox, .centerCrop, .longerSide, .shorterSide, .exchangedAxes,
      .fromBelow, .fromRight, .move:
      .coordinates
    case .points: .points
    case .corners, .edges, .center, .corner: .boxes
    case .sides: .sides
    case .slots, .mixedPercent: .coefficients
    case .percent: .numbers
    case .degrees, .radians, .negated, .exchangedAngles: .angles
    case .scoresFalling: .scores
    }
  }

  /// Whether the repair needs the image's size.
  var needsSize: Bool {
    switch self {
    case .fractions, .letterbox, .centerCrop, .longerSide, .shorterSide, .fromBelow, .fromRight:
      true
    case .points(let inner): inner.needsSize
    default: false
    }
  }

  /// The factor of angles that are read in another unit than they are written in.
  var angleFactor: Double {
    switch self {
    case .degrees: .pi / 180
    case .radians: 180 / .pi
    default: 1
    }
  }

  /// Whether a face has what the repair works on.
  ///
  /// A pose counts for a unit of angles only where its format makes it of angles.
  func works(on face: FaceLabel, ofAngles: Bool = false) -> Bool {
    let hasShapes = face.blendshapes != nil
    return switch subject {
    case .coordinates: !face.box.isNone || !face.landmarks.isEmpty
    case .points: !face.landmarks.isEmpty
    case .boxes: !face.box.isNone && !face.hasBoxOfPoints
    case .sides: hasShapes || !face.landmarks.isEmpty
    case .coefficients:
      self == .mixedPercent ? Self.highest(face) > Self.highestFraction : hasShapes
    case .numbers: hasShapes || face.score != nil
    case .scores: face.score != nil
    case .angles:
      angleFactor == 1
        ? face.pose != nil || !Self.headAngles.isDisjoint(with: face.attributes.keys)
        : face.pose != nil && ofAngles || Self.hasAngles(face)
    }
  }

  /// A face in our convention; `size` is the image's. Points of a scheme whose sides are unknown stay as they are.
  ///
  /// The format has applied a unit of angles to the pose already: a rotation does not tell the angles it was made of.
  package func label(_ face: FaceLabel, in size: ImageSize) -> FaceLabel {
    guard works(on: face, ofAngles: true) else { return face }
    var face = face
    switch subject {
    case .coordinates, .boxes: place(&face, in: size)
    case .points:
      guard case .points(let inner) = self else { break }
      let (box, area) = (face.box, face.area)
      inner.place(&face, in: size)
      (face.box, face.area) = (box, area)
    case .sides: exchangeSides(&face)
    case .coefficients:
      if case .slots(let count) = self { Self.shift(&face, by: count) }
      if self == .mixedPercent {
        face.blendshapes = face.blendshapes.map { shapes in shapes.map { $0 / 100 } }
      }
    case .numbers:
      face.blendshapes = face.blendshapes.map { shapes in shapes.map { $0 / 100 } }
      face.score = face.score.map { $0 / 100 }
    case .scores: face.score = face.score.map { 1 - $0 }
    case .angles: turn(&face)
    }
    return face
  }

  private func place(_ face: inout FaceLabel, in size: ImageSize) {
    if !face.box.isNone {
      let isOfBox = abs(face.area - face.box.area) <= 1e-6 * abs(face.box.area)
      face.box = box(face.box, in: size)
      face.area = isOfBox ? face.box.area : face.area * areaFactor(in: size)
    }
    let depthFactor =
      switch self {
      case .fractions: Double(size.width)
      case .scale(let x, _): x
      default: scaling(of: size)?.factor ?? 1.0
      }
    for index in face.landmarks.indices {
      for (position, state) in face.landmarks[index].visibility.enumerated()
      where state != .notLabelled {
        let own = face.landmarks[index].points[position]
        face.landmarks[index].points[position] = point(own, in: size)
      }
      if depthFactor != 1 {
        face.landmarks[index].depths = face.landmarks[index].depths?.map { $0 * depthFactor }
      }
    }
  }

  private func areaFactor(in size: ImageSize) -> Double {
    switch self {
    case .fractions: Double(size.width) * Double(size.height)
    case .scale(let x, let y): x * y
    default: scaling(of: size).map { $0.factor * $0.factor } ?? 1
    }
  }

  private func exchangeSides(_ face: inout FaceLabel) {
    for (index, set) in face.landmarks.enumerated() {
      guard let others = set.scheme.otherSides else { continue }
      face.landmarks[index].points = others.map { set.points[$0] }
      face.landmarks[index].visibility = others.map { set.visibility[$0] }
      face.landmarks[index].depths = set.depths.map { depths in others.map { depths[$0] } }
    }
    face.blendshapes = face.blendshapes.map { shapes in Blendshape.otherSides.map { shapes[$0] } }
  }

  /// The highest coefficient of a face; below all numbers without any.
  static func highest(_ face: FaceLabel) -> Float {
    (face.blendshapes ?? []).reduce(-.infinity) { max($0, $1) }
  }

  private static func shift(_ face: inout FaceLabel, by count: Int) {
    face.blendshapes = face.blendshapes.map { shapes in
      shapes.indices.map { shapes.indices.contains($0 + count) ? shapes[$0 + count] : .nan }
    }
  }

  private func turn(_ face: inout FaceLabel) {
    if angleFactor != 1 {
      for name in face.attributes.keys where FaceLabel.isAngle(attribute: name) {
        face.attributes[name]? *= angleFactor
      }
      return
    }
    let own = face.attributes
    for prefix in ["head", ""] {
      for axis in ["Yaw", "Pitch", "Roll"] {
        let name = prefix.isEmpty ? axis.lowercased() : prefix + axis
        guard let value = own[name] else { continue }
        switch self {
        case .negated(let axes) where axes.contains(axis.lowercased()):
          face.attributes[name] = -value
        case .exchangedAngles where axis != "Roll":
          let other = axis == "Yaw" ? "Pitch" : "Yaw"
          face.attributes[name] = nil
          face.attributes[name] = own[prefix.isEmpty ? other.lowercased() : prefix + other]
        default: continue
        }
      }
    }
    face.pose = face.pose.map(turned)
  }

  /// The pose with the other angles, in the same place and of the same scale.
  private func turned(_ pose: HeadPose) -> HeadPose {
    guard let rotation = Rotation(pose) else { return pose }
    let angles = HeadAngles(rotation)
    var (pitch, yaw, roll) = (angles.pitch, angles.yaw, angles.roll)
    if case .negated(let axes) = self {
      if axes.contains("pitch") { pitch = -pitch }
      if axes.contains("yaw") { yaw = -yaw }
      if axes.contains("roll") { roll = -roll }
    } else {
      swap(&pitch, &yaw)
    }
    let rows = HeadRotation.rows(
      zip(0..<3, [pitch, yaw, roll]).map { (axis: $0, radians: -$1 * .pi / 180) })
    var turned = pose
    for (index, row) in rows.enumerated() {
      let (x, y, z) = (
        pose.matrix[4 * index], pose.matrix[4 * index + 1], pose.matrix[4 * index + 2]
      )
      let scale = Double(x * x + y * y + z * z).squareRoot()
      for column in 0..<3 { turned.matrix[4 * index + column] = Float(row[column] * scale) }
    }
    return turned
  }

  /// Whether a face has angles among its attributes.
  static func hasAngles(_ face: FaceLabel) -> Bool {
    face.attributes.keys.contains { FaceLabel.isAngle(attribute: $0) }
  }

  private static let headAngles = Set(FaceLabel.headAngleNames.joined())
}

extension BoundingBox {
  /// Whether it stands for a face without a box.
  var isNone: Bool { x == 0 && y == 0 && width == 0 && height == 0 }

  /// Whether it is another box to a hundredth of a pixel.
  func isNearly(_ other: BoundingBox) -> Bool {
    [x - other.x, y - other.y, width - other.width, height - other.height]
      .allSatisfy { abs($0) < 0.01 }
  }
}

extension FaceLabel {
  /// Whether the box is the one around labelled points.
  fileprivate var hasBoxOfPoints: Bool {
    landmarks.contains { BoundingBox(around: $0.labelled)?.isNearly(box) ?? false }
  }
}
