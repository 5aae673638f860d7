internal import Platform

/// Whether the boxes of rows reach outside of their images as no others of the same numbers do.
struct YOLOBoxOrder {
  private var count = 0
  private var outside = 0
  /// How many rows are inside with their numbers in another order.
  private var (corners, corner, late) = (0, 0, 0)

  /// Fewer boxes tell nothing.
  private static let least = 5
  /// How far boxes at an edge of the image reach beyond it, in fractions of its side.
  private static let slack = 0.02

  /// Counts a row by the numbers after its class.
  mutating func add(_ numbers: [Double]) {
    guard numbers.count > 3, numbers[2] > 0, numbers[3] > 0 else { return }
    func isInside(_ x: Double, _ y: Double, _ right: Double, _ bottom: Double) -> Bool {
      min(x, y) >= -Self.slack && max(right, bottom) <= 1 + Self.slack && right > x && bottom > y
    }
    func isInside(centres n: ArraySlice<Double>) -> Bool {
      let n = Array(n)
      return isInside(n[0] - n[2] / 2, n[1] - n[3] / 2, n[0] + n[2] / 2, n[1] + n[3] / 2)
    }
    count += 1
    if !isInside(centres: numbers[..<4]) { outside += 1 }
    if isInside(numbers[0], numbers[1], numbers[2], numbers[3]) { corners += 1 }
    if isInside(numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3]) {
      corner += 1
    }
    if numbers.count == 5, isInside(centres: numbers[1...]) { late += 1 }
  }

  /// The order in which nearly all boxes would be inside; nil where most are as they are, or none does.
  var remark: ImportRemark? {
    guard count >= Self.least, 5 * outside > count else { return nil }
    let orders = [
      (corners, "class x1 y1 x2 y2 (--repair corner --repair corners)"),
      (corner, "class x y width height with x and y of the corner (--repair corner)"),
      (
        late,
        "class confidence x y width height (write them as class x y width height confidence)"
      ),
    ]
    guard let order = orders.first(where: { 50 * $0.0 >= 49 * count }) else { return nil }
    return .dropped(
      "\(outside) of \(count) boxes reach outside of their images, and would not if rows were \(order.1)"
    )
  }
}
