import FaceCore
import Testing

struct FaceRepairTests {
  private static let size = ImageSize(width: 200, height: 100)

  @Test(arguments: [
    "fractions", "scale=2", "scale=0.5x1.25", "exchange-axes", "from-below", "from-right",
    "move=-1,0.5", "corners", "centre", "exchange-sides", "slots=-1", "percent", "mixed-percent",
    "degrees",
    "radians", "negate=yaw+roll", "exchange-angles", "falling-scores", "letterbox=640",
    "longer-side=512", "shorter-side=480", "edges=trbl", "edges=lrtb", "centre-crop=224",
    "letterbox=1",
  ])
  func `the text form is read back`(text: String) throws {
    #expect(try #require(FaceRepair(text)).text == text)
    let name = text.split(separator: "=")[0]
    #expect(FaceRepair.all.contains { $0.name == name })
  }

  @Test(arguments: [
    "", "half", "scale", "scale=0", "scale=-1", "scale=1x2x3", "scale=nan", "move=1", "move=a,b",
    "corners=1", "slots=0", "slots=52", "negate=", "negate=up", "letterbox", "letterbox=0",
    "letterbox=2x3", "edges", "edges=ltrb", "points:", "points:corners", "points:points:scale=2",
  ])
  func `what is no repair is refused`(text: String) {
    #expect(FaceRepair(text) == nil)
  }

  /// The box (20, 10, 60, 40) as each convention writes it in an image of 200 × 100.
  @Test(arguments: [
    ("fractions", [0.1, 0.1, 0.3, 0.4]), ("scale=2", [10, 5, 30, 20]),
    ("exchange-axes", [10, 20, 40, 60]), ("from-below", [20, 50, 60, 40]),
    ("from-right", [120, 10, 60, 40]), ("move=1,-2", [19, 12, 60, 40]),
    ("corners", [20, 10, 80, 50]), ("centre", [50, 30, 60, 40]),
    ("edges=trbl", [10, 80, 50, 20]), ("edges=lrtb", [20, 80, 10, 50]),
    ("letterbox=100", [10, 30, 30, 20]), ("longer-side=100", [10, 5, 30, 20]),
    ("shorter-side=50", [10, 5, 30, 20]), ("centre-crop=50", [-15, 5, 30, 20]),
  ])
  func `a box of another convention becomes ours`(text: String, written: [Double]) throws {
    let repair = try #require(FaceRepair(text))
    let box = repair.box(
      BoundingBox(x: written[0], y: written[1], width: written[2], height: written[3]),
      in: Self.size)
    let found = [box.x, box.y, box.width, box.height]
    #expect(zip(found, [20, 10, 60, 40]).allSatisfy { abs($0 - $1) < 1e-9 }, "\(found)")
  }

  @Test(arguments: [
    ("fractions", 0.1, 0.1), ("scale=2x4", 10, 2.5), ("exchange-axes", 10, 20),
    ("from-below", 20, 90), ("from-right", 180, 10), ("move=1,-2", 19, 12), ("corners", 20, 10),
    ("letterbox=100", 10, 30), ("points:scale=2", 10, 5), ("points:fractions", 0.1, 0.1),
  ])
  func `a point of another convention becomes ours`(text: String, x: Double, y: Double) throws {
    let point = try #require(FaceRepair(text)).point(Point(x: x, y: y), in: Self.size)
    #expect(abs(point.x - 20) < 1e-9 && abs(point.y - 10) < 1e-9)
  }
}
