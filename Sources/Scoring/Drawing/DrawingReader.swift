internal import Datasets
internal import FaceCore
internal import Foundation
internal import Platform

/// Reads the parts of a drawing session; every doubt throws, with its position in the file.
enum DrawingReader {
  /// A plane, and its own x and z axes where it has a transform.
  struct Position {
    var plane: Plane
    var axes: (x: SIMD3<Double>, z: SIMD3<Double>)?
  }

  /// Largest coordinate of a position in metres, and largest pixel.
  private static let farthest = 1e6
  /// Minimum distance from a point of the reference to the plane's own surface, in metres.
  private static let tolerance = 0.001

  static func plane(_ node: JSONNode) throws(FileError) -> Position {
    try node.requireKeys(optional: ["point", "normal", "transform", "center", "extent"])
    if let transform = node["transform"].given {
      guard !node["point"].isGiven, !node["normal"].isGiven else {
        throw node.wrong("either a transform, or a point and a normal", found: "both")
      }
      let columns = try columns(transform)
      return Position(
        plane: Plane(point: columns[3], normal: columns[1], extent: try extent(of: node, columns)),
        axes: (columns[0], columns[2]))
    }
    for key in ["center", "extent"] where node[key].isGiven {
      throw node[key].wrong("a transform with it", found: "none")
    }
    guard node["point"].isGiven, node["normal"].isGiven else {
      throw node.wrong("a transform, or a point and a normal", found: "neither")
    }
    let point = try numbers(node["point"], count: 3)
    let normal = try numbers(node["normal"], count: 3)
    let square = normal.reduce(0) { $0 + $1 * $1 }
    guard square > 1e-12 else { throw node["normal"].wrong("a direction of a length over 1e-6") }
    return Position(
      plane: Plane(
        point: SIMD3(point[0], point[1], point[2]), normal: SIMD3(normal[0], normal[1], normal[2])))
  }

  /// The rectangle of a plane anchor; nil for an endless plane.
  private static func extent(
    of node: JSONNode, _ columns: [SIMD3<Double>]
  ) throws(FileError) -> Plane.Extent? {
    guard let extent = node["extent"].given else {
      guard !node["center"].isGiven else {
        throw node["center"].wrong("an extent with it", found: "none")
      }
      return nil
    }
    try extent.requireKeys(["width", "height"], optional: ["rotationOnYAxis"])
    let sides = try ["width", "height"].map { (key) throws(FileError) in
      let side = try extent[key].number("a length in metres")
      guard side > 0, side <= farthest else { throw extent[key].wrong("a length over 0") }
      return side
    }
    let turn = try extent["rotationOnYAxis"].given?.number("an angle in radians") ?? 0
    let center =
      try node["center"].given.map { (node) throws(FileError) in
        try numbers(node, count: 3)
      } ?? [0, 0, 0]
    let offset = columns[0] * center[0] + columns[1] * center[1] + columns[2] * center[2]
    return Plane.Extent(
      center: columns[3] + offset, width: columns[0] * cos(turn) - columns[2] * sin(turn),
      height: columns[0] * sin(turn) + columns[2] * cos(turn),
      reach: SIMD2(sides[0], sides[1]) / 2)
  }

  /// Points in the world; two numbers are along the plane's axes.
  static func reference(_ node: JSONNode, on position: Position) throws(FileError) -> [SIMD3<
    Double
  >] {
    let count = position.axes == nil ? 3 : 2
    var points: [SIMD3<Double>] = []
    for entry in try node.items(2...DrawingSession.maxEntries, of: "points") {
      let numbers = try numbers(entry, count: count)
      guard let axes = position.axes else {
        let point = SIMD3(numbers[0], numbers[1], numbers[2])
        let (across, normal) = (point - position.plane.point, position.plane.normal)
        let (rise, square) = ((across * normal).sum(), (normal * normal).sum())
        guard abs(rise) <= Self.tolerance * square.squareRoot() else {
          throw entry.wrong(
            "a point of the plane",
            found: "a point \((1000 * abs(rise) / square.squareRoot()).plainText) mm away from it")
        }
        points.append(point)
        continue
      }
      points.append(position.plane.point + axes.x * numbers[0] + axes.z * numbers[1])
    }
    guard points.contains(where: { ((($0 - points[0]) * ($0 - points[0])).sum() > 1e-12) }) else {
      throw node.wrong("a path of more than 1e-6 m", found: "the same point in all entries")
    }
    return points
  }

  /// Frames, with fingertips in pixels of the captured image, or in points of a display.
  static func frames(
    _ node: JSONNode, _ display: DisplayMapping?
  ) throws(FileError) -> [DrawingSession.Frame] {
    var frames: [DrawingSession.Frame] = []
    var last = -Double.infinity
    for entry in try node.items(0...DrawingSession.maxEntries, of: "frames") {
      try entry.requireKeys(["timestamp", "camera", "fingertip"])
      let expected = last.isFinite ? "a time over \(last.plainText)" : "a time"
      let time = try entry["timestamp"].number(expected)
      guard time > last else { throw entry["timestamp"].wrong(expected) }
      last = time
      let camera = try camera(entry["camera"])
      let fingertip = try entry["fingertip"].unlessNull.map { (node) throws(FileError) in
        let position = try numbers(node, count: 2)
        let point = Point(x: position[0], y: position[1])
        return display?.pixel(at: point) ?? point
      }
      frames.append(.init(camera: camera, fingertip: fingertip))
    }
    return frames
  }

  private static func camera(_ node: JSONNode) throws(FileError) -> PinholeCamera {
    try node.requireKeys(["transform", "intrinsics"])
    let columns = try columns(node["transform"])
    let intrinsics = try node["intrinsics"].items(3...3, of: "columns")
      .map { (column) throws(FileError) in try numbers(column, count: 3) }
    guard intrinsics[0][0] > 0, intrinsics[1][1] > 0,
      intrinsics[0][1] == 0, intrinsics[0][2] == 0, intrinsics[1][0] == 0, intrinsics[1][2] == 0,
      intrinsics[2][2] == 1
    else {
      throw node["intrinsics"].wrong(
        "3 columns [fx, 0, 0], [0, fy, 0], [cx, cy, 1] with fx and fy over 0")
    }
    return PinholeCamera(
      position: columns[3], right: columns[0], up: columns[1], back: columns[2],
      focalLength: SIMD2(intrinsics[0][0], intrinsics[1][1]),
      principalPoint: Point(x: intrinsics[2][0], y: intrinsics[2][1]))
  }

  /// The upper three numbers of each column of a rigid transform.
  private static func columns(_ node: JSONNode) throws(FileError) -> [SIMD3<Double>] {
    let columns = try node.items(4...4, of: "columns")
      .map { (column) throws(FileError) in try numbers(column, count: 4) }
    guard RigidTransform(columns: columns) != nil else {
      throw node.wrong("4 columns of 4 numbers, a rotation and in the last column the position")
    }
    return columns.map { SIMD3($0[0], $0[1], $0[2]) }
  }

  static func numbers(_ node: JSONNode, count: Int) throws(FileError) -> [Double] {
    let numbers = try node.numbers(count: count)
    guard numbers.allSatisfy({ abs($0) <= Self.farthest }) else {
      throw node.wrong("\(count) numbers from -1e6 to 1e6", found: "others")
    }
    return numbers
  }
}
