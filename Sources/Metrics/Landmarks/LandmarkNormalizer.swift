package import FaceCore

/// The length, in pixels and of the label alone, that an error of points is divided by.
package enum LandmarkNormalizer: String, CaseIterable, Sendable {
  /// Between the outer corners of the eyes; five points have none.
  case interocular
  /// Between the means of each eye's points; of five points these are the eye centres.
  case interpupil
  /// √(width · height) of the tight box of the labelled points.
  case box
  /// The diagonal of the tight box of the labelled points.
  case diagonal

  /// The length in pixels; nil where the label lacks a point that it needs, or where it is 0.
  package func pixels(of label: Landmarks) -> Double? {
    let length: Double
    switch self {
    case .interocular:
      guard let layout = LandmarkLayout.of(label.scheme),
        let leftCorner = layout.leftOuterCorner, let rightCorner = layout.rightOuterCorner,
        let left = label.center(of: [leftCorner]), let right = label.center(of: [rightCorner])
      else { return nil }
      length = left.distance(to: right)
    case .interpupil:
      guard let layout = LandmarkLayout.of(label.scheme),
        let left = label.center(of: layout.leftEye), let right = label.center(of: layout.rightEye)
      else { return nil }
      length = left.distance(to: right)
    case .box, .diagonal:
      guard let box = BoundingBox(around: label.labelled) else { return nil }
      length =
        self == .box
        ? box.area.squareRoot()
        : Point(x: box.x, y: box.y).distance(to: Point(x: box.maxX, y: box.maxY))
    }
    return length > 0 && length.isFinite ? length : nil
  }

  var phrase: String {
    switch self {
    case .interocular: "distance of the outer eye corners"
    case .interpupil: "distance of the means of each eye's points"
    case .box: "√(width · height) of the labelled points' tight box"
    case .diagonal: "diagonal of the labelled points' tight box"
    }
  }
}

extension Landmarks {
  /// The mean of some points; nil unless all have labels.
  fileprivate func center(of indices: [Int]) -> Point? {
    guard indices.allSatisfy({ visibility[$0] != .notLabelled }) else { return nil }
    return Point(meanOf: indices.map { points[$0] })
  }

  /// The points with the outer eye corners at (−0.5, 0) and (0.5, 0); empty where the label lacks a corner.
  var inFrameOfEyeCorners: [Point] {
    guard let layout = LandmarkLayout.of(scheme),
      let leftCorner = layout.leftOuterCorner, let rightCorner = layout.rightOuterCorner,
      let left = center(of: [leftCorner]), let right = center(of: [rightCorner])
    else { return [] }
    let (dx, dy) = (right.x - left.x, right.y - left.y)
    let square = dx * dx + dy * dy
    return points.map { point in
      let (x, y) = (point.x - (left.x + right.x) / 2, point.y - (left.y + right.y) / 2)
      return Point(x: (x * dx + y * dy) / square, y: (y * dx - x * dy) / square)
    }
  }
}
