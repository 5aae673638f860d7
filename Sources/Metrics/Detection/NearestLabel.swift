package import FaceCore

/// Finds the label of one image that a box overlaps most, the last pixel belonging to both.
///
/// Labels are looked through in the order of their left edges, so that only near ones are compared.
struct NearestLabel {
  private let boxes: [BoundingBox]
  private let order: [Int]
  private let leftEdges: [Double]
  private let widest: Double

  /// Orders the labels' boxes.
  init(_ boxes: [BoundingBox]) {
    let order = boxes.indices.sorted { (boxes[$0].x, $0) < (boxes[$1].x, $1) }
    self.order = order
    self.boxes = order.map { boxes[$0] }
    leftEdges = self.boxes.map(\.x)
    widest = boxes.map(\.width).max() ?? 0
  }

  /// Position of the largest IoU, the first of equal ones; nil where it is 0 or under `minOverlap`.
  func label(of box: BoundingBox, minOverlap: Double) -> Int? {
    let (from, to) = (box.x - widest - 2, box.maxX + 2)
    var next = leftEdges.indices.partitioningIndex { leftEdges[$0] >= from }
    var best: (label: Int, overlap: Double)?
    while next < leftEdges.count, leftEdges[next] <= to {
      let overlap = box.inclusiveIoU(with: boxes[next])
      let label = order[next]
      if overlap > 0, overlap >= minOverlap,
        best.map({ overlap > $0.overlap || overlap == $0.overlap && label < $0.label }) ?? true
      {
        best = (label, overlap)
      }
      next += 1
    }
    return best?.label
  }
}

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
