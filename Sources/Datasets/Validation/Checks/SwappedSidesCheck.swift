internal import FaceCore

/// Checks whether left and right points are swapped, as in a mirrored image whose points kept their numbers.
///
/// The corners of eyes and mouth are compared across the line from mouth to eyes; roll has no effect.
/// Beyond about 110° of yaw they swap sides without an error; nearer profiles are not reported.
struct SwappedSidesCheck: DatasetCheck {
  private var swapped = ChecklistLine(
    "landmarks-sides", .warning, holds: "left and right landmarks are on their sides",
    what: "face whose left and right landmarks are exchanged",
    of: "faces with labelled corners of eyes and mouth")
  var lines: [ChecklistLine] { [swapped] }

  mutating func look(at checked: CheckedFrame) {
    for (index, face) in checked.faces.enumerated() {
      for set in face.landmarks {
        guard let parts = FaceCorners.of(set.scheme)?.exchanged(in: set) else { continue }
        swapped.look()
        guard !parts.isEmpty else { continue }
        swapped.note(
          "\(checked.position), face \(index): \(parts.joined(separator: " and ")) of "
            + set.scheme.name)
        break
      }
    }
  }
}

/// The corners of eyes and mouth in a scheme; right and left are the subject's.
struct FaceCorners {
  let rightEye: Int
  let leftEye: Int
  let rightMouth: Int
  let leftMouth: Int

  /// The corners of a scheme, or nil if it has none.
  static func of(_ scheme: LandmarkScheme) -> FaceCorners? {
    switch scheme {
    case .ibug68: FaceCorners(rightEye: 36, leftEye: 45, rightMouth: 48, leftMouth: 54)
    case .wflw98: FaceCorners(rightEye: 60, leftEye: 72, rightMouth: 76, leftMouth: 82)
    case .cofw29: FaceCorners(rightEye: 8, leftEye: 9, rightMouth: 22, leftMouth: 23)
    case .five: FaceCorners(rightEye: 0, leftEye: 1, rightMouth: 3, leftMouth: 4)
    case .lapa106: FaceCorners(rightEye: 66, leftEye: 79, rightMouth: 84, leftMouth: 90)
    case .aflw21: FaceCorners(rightEye: 6, leftEye: 11, rightMouth: 17, leftMouth: 19)
    case .aflw19: FaceCorners(rightEye: 6, leftEye: 11, rightMouth: 15, leftMouth: 17)
    case .facepp83: FaceCorners(rightEye: 21, leftEye: 71, rightMouth: 37, leftMouth: 46)
    case .mediapipe478: FaceCorners(rightEye: 33, leftEye: 263, rightMouth: 61, leftMouth: 291)
    default: nil
    }
  }

  /// The outer corners of the subject's right and left eye; nil if one is not labelled.
  func eyes(in set: Landmarks) -> (right: Point, left: Point)? {
    guard set.visibility[rightEye] != .notLabelled, set.visibility[leftEye] != .notLabelled else {
      return nil
    }
    return (set.points[rightEye], set.points[leftEye])
  }

  /// The parts with left and right swapped; nil if a corner is not labelled.
  func exchanged(in set: Landmarks) -> [String]? {
    let corners = [rightEye, leftEye, rightMouth, leftMouth]
    guard corners.allSatisfy({ set.visibility[$0] != .notLabelled }) else { return nil }
    let points = corners.map { set.points[$0] }
    let up = Point(
      x: (points[0].x + points[1].x - points[2].x - points[3].x) / 2,
      y: (points[0].y + points[1].y - points[2].y - points[3].y) / 2)
    let scale = up.x * up.x + up.y * up.y
    guard scale > 0 else { return nil }
    func side(_ right: Point, _ left: Point) -> Double {
      (up.x * (left.y - right.y) - up.y * (left.x - right.x)) / scale
    }
    return [
      side(points[0], points[1]) < -0.5 ? "eyes" : nil,
      side(points[2], points[3]) < -0.3 ? "mouth" : nil,
    ].compactMap { $0 }
  }
}
