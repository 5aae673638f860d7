/// An unrotated rectangle in normalised coordinates, in the single precision that MediaPipe compares in.
struct UprightBox {
  /// Left edge.
  var xmin: Float
  /// Top edge.
  var ymin: Float
  var width: Float
  var height: Float

  /// Intersection over union in [0, 1]; touching edges meet, and rectangles without area share nothing.
  func iou(with other: UprightBox) -> Float {
    let (right, bottom) = (xmin + width, ymin + height)
    let (otherRight, otherBottom) = (other.xmin + other.width, other.ymin + other.height)
    if right < other.xmin || otherRight < xmin || bottom < other.ymin || otherBottom < ymin {
      return 0
    }
    let overlapWidth = min(right, otherRight) - max(xmin, other.xmin)
    let overlapHeight = min(bottom, otherBottom) - max(ymin, other.ymin)
    let shared = overlapWidth * overlapHeight
    let area = (right - xmin) * (bottom - ymin)
    let otherArea = (otherRight - other.xmin) * (otherBottom - other.ymin)
    let union = area + otherArea - shared
    return union > 0 ? shared / union : 0
  }
}
