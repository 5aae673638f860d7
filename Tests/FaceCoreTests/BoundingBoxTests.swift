import FaceCore
import Testing

@Suite struct BoundingBoxTests {
  @Test(
    arguments: [
      // Disjoint, touching, nested, half, shifted by hand, and the same.
      ([0, 0, 10, 10], [20, 0, 5, 5], 0, 0),
      ([0, 0, 10, 10], [10, 0, 10, 10], 0, 0),
      ([0, 0, 10, 10], [2, 2, 5, 4], 20, 0.2),
      ([0, 0, 10, 10], [0, 5, 10, 5], 50, 0.5),
      ([0, 0, 10, 10], [5, 5, 10, 10], 25, 25.0 / 175),
      ([-5, -5, 10, 10], [-5, -5, 10, 10], 100, 1),
      ([0, 0, 0, 10], [0, 0, 0, 10], 0, 0),
      ([0, 0, 10, 10], [5, 5, 0, 0], 0, 0),
    ] as [([Double], [Double], Double, Double)])
  func `overlap and IoU are those counted by hand, in either order`(
    a: [Double], b: [Double], shared: Double, iou: Double
  ) {
    let (first, second) = (box(a), box(b))
    #expect(first.intersection(with: second) == shared)
    #expect(second.intersection(with: first) == shared)
    #expect(first.iou(with: second) == iou)
    #expect(second.iou(with: first) == iou)
  }

  @Test func `edges and area follow from the sides`() {
    let sides = box([3, -4, 10, 20])
    #expect(sides.maxX == 13)
    #expect(sides.maxY == 16)
    #expect(sides.area == 200)
  }

  @Test(
    arguments: [
      ([0, 0, 0, 0], true), ([-1, -2, 3, 4], true), ([0, 0, -1, 4], false), ([0, 0, 1, -4], false),
      ([.nan, 0, 1, 1], false), ([0, .infinity, 1, 1], false), ([0, 0, .nan, 1], false),
      ([0, 0, 1, .infinity], false),
    ] as [([Double], Bool)])
  func `a box is well-formed where all is finite and no side negative`(
    sides: [Double], expected: Bool
  ) {
    #expect(box(sides).isWellFormed == expected)
  }

  @Test func `the box around points is tight`() {
    let points = [Point(x: 4, y: 9), Point(x: -1, y: 2), Point(x: 3, y: 12)]
    #expect(BoundingBox(around: points) == box([-1, 2, 5, 10]))
    #expect(BoundingBox(around: [points[0]]) == box([4, 9, 0, 0]))
    #expect(BoundingBox(around: [Point]()) == nil)
  }

  private func box(_ sides: [Double]) -> BoundingBox {
    BoundingBox(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
  }
}
