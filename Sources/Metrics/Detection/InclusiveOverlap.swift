package import FaceCore

extension BoundingBox {
  /// IoU as VOC and WIDER count it: the last pixel belongs to the box, so each side is 1 longer.
  package func inclusiveIoU(with other: BoundingBox) -> Double {
    let width = min(maxX, other.maxX) - max(x, other.x) + 1
    let height = min(maxY, other.maxY) - max(y, other.y) + 1
    guard width > 0, height > 0 else { return 0 }
    let shared = width * height
    return shared / (inclusiveArea + other.inclusiveArea - shared)
  }

  private var inclusiveArea: Double { (maxX - x + 1) * (maxY - y + 1) }
}
