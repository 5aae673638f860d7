internal import Datasets
internal import FaceCore
internal import Platform
internal import Records

/// Reads the parts of a drawing session; every doubt throws, with its position in the file.
struct DrawingReader {
  /// The file's name for messages.
  let source: String

  /// Something in the file, and where.
  struct Value {
    let json: JSONValue
    let position: String

    init(_ json: JSONValue, _ position: String) {
      self.json = json
      self.position = position
    }
  }

  /// A plane, and its own x and z axes where it has a transform.
  struct Position {
    var plane: Plane
    var axes: (x: SIMD3<Double>, z: SIMD3<Double>)?
  }

  /// Largest coordinate of a position in metres, and largest pixel.
  private static let farthest = 1e6
  /// Minimum distance from a point of the reference to the plane's own surface, in metres.
  private static let tolerance = 0.001

  func plane(_ value: Value?) throws(RecordError) -> Position {
    let members = try object(value, required: [], optional: ["point", "normal", "transform"])
    if let transform = members["transform"] {
      guard members.count == 1 else {
        throw error(value, expected: "either a transform, or a point and a normal", found: "both")
      }
      let columns = try columns(transform)
      return Position(
        plane: Plane(point: columns[3], normal: columns[1]), axes: (columns[0], columns[2]))
    }
    let point = try numbers(members["point"], or: value, count: 3)
    let normal = try numbers(members["normal"], or: value, count: 3)
    let square = normal.reduce(0) { $0 + $1 * $1 }
    guard square > 1e-12 else {
      throw error(members["normal"], expected: "a direction of a length over 1e-6")
    }
    return Position(
      plane: Plane(
        point: SIMD3(point[0], point[1], point[2]), normal: SIMD3(normal[0], normal[1], normal[2])))
  }

  /// Points in the world; two numbers are along the plane's axes.
  func reference(_ value: Value?, on position: Position) throws(RecordError) -> [SIMD3<Double>] {
    let list = try list(value, minCount: 2)
    let count = position.axes == nil ? 3 : 2
    var points: [SIMD3<Double>] = []
    for entry in list {
      let numbers = try numbers(entry, or: value, count: count)
      guard let axes = position.axes else {
        let point = SIMD3(numbers[0], numbers[1], numbers[2])
        let (across, normal) = (point - position.plane.point, position.plane.normal)
        let (rise, square) = ((across * normal).sum(), (normal * normal).sum())
        guard abs(rise) <= Self.tolerance * square.squareRoot() else {
          throw error(
            entry, expected: "a point of the plane",
            found: "a point \((1000 * abs(rise) / square.squareRoot()).plainText) mm away from it")
        }
        points.append(point)
        continue
      }
      points.append(position.plane.point + axes.x * numbers[0] + axes.z * numbers[1])
    }
    guard points.contains(where: { ((($0 - points[0]) * ($0 - points[0])).sum() > 1e-12) }) else {
      throw error(
        value, expected: "a path of more than 1e-6 m", found: "the same point in all entries")
    }
    return points
  }

  func frames(
    _ value: Value?
  ) throws(RecordError) -> [(camera: PinholeCamera, fingertip: Point?)] {
    var frames: [(camera: PinholeCamera, fingertip: Point?)] = []
    var last = -Double.infinity
    for entry in try list(value, minCount: 0) {
      let members = try object(
        entry, required: ["timestamp", "camera", "fingertip"], optional: [])
      guard case .number(let time)? = members["timestamp"]?.json, time > last else {
        throw error(
          members["timestamp"], expected: last.isFinite ? "a time over \(last.plainText)" : "a time"
        )
      }
      last = time
      let camera = try camera(members["camera"])
      guard let fingertip = members["fingertip"] else { continue }
      if case .null = fingertip.json {
        frames.append((camera, nil))
      } else {
        let pixel = try numbers(fingertip, or: entry, count: 2)
        frames.append((camera, Point(x: pixel[0], y: pixel[1])))
      }
    }
    return frames
  }

  private func camera(_ value: Value?) throws(RecordError) -> PinholeCamera {
    let members = try object(value, required: ["transform", "intrinsics"], optional: [])
    let columns = try columns(members["transform"])
    var intrinsics: [[Double]] = []
    for column in try list(members["intrinsics"], minCount: 3) {
      intrinsics.append(try numbers(column, or: value, count: 3))
    }
    guard intrinsics.count == 3, intrinsics[0][0] > 0, intrinsics[1][1] > 0,
      intrinsics[0][1] == 0, intrinsics[0][2] == 0, intrinsics[1][0] == 0, intrinsics[1][2] == 0,
      intrinsics[2][2] == 1
    else {
      throw error(
        members["intrinsics"],
        expected: "3 columns [fx, 0, 0], [0, fy, 0], [cx, cy, 1] with fx and fy over 0")
    }
    return PinholeCamera(
      position: columns[3], right: columns[0], up: columns[1], back: columns[2],
      focalLength: SIMD2(intrinsics[0][0], intrinsics[1][1]),
      principalPoint: Point(x: intrinsics[2][0], y: intrinsics[2][1]))
  }

  /// The upper three numbers of each column of a rigid transform.
  private func columns(_ value: Value?) throws(RecordError) -> [SIMD3<Double>] {
    var columns: [[Double]] = []
    for column in try list(value, minCount: 4) {
      columns.append(try numbers(column, or: value, count: 4))
    }
    guard RigidTransform(columns: columns) != nil else {
      throw error(
        value,
        expected: "4 columns of 4 numbers, a rotation and in the last column the position")
    }
    return columns.map { SIMD3($0[0], $0[1], $0[2]) }
  }

  func text(_ value: Value) throws(RecordError) -> String {
    guard case .string(let text) = value.json, !text.isEmpty else {
      throw error(value, expected: "some text")
    }
    return text
  }

  func object(
    _ value: Value?, required: [String], optional: [String]
  ) throws(RecordError) -> [String: Value] {
    let known = required + optional
    guard let value, case .object(let members) = value.json else {
      throw error(value, expected: "an object with the keys \(known.joined(separator: ", "))")
    }
    if let unknown = members.keys.filter({ !known.contains($0) }).min() {
      throw error(
        value, expected: "only the keys \(known.joined(separator: ", "))",
        found: "the key \"\(unknown)\"")
    }
    if let missing = required.first(where: { members[$0] == nil }) {
      throw error(value, expected: "the key \"\(missing)\"", found: "none")
    }
    let inside = value.position.isEmpty ? "" : value.position + "."
    return Dictionary(
      uniqueKeysWithValues: members.map { ($0.key, Value($0.value, inside + $0.key)) })
  }

  private func list(_ value: Value?, minCount: Int) throws(RecordError) -> [Value] {
    guard let value, case .array(let entries) = value.json,
      (minCount...DrawingSession.maxEntries).contains(entries.count)
    else {
      throw error(value, expected: "a list of \(minCount) to \(DrawingSession.maxEntries) entries")
    }
    return entries.enumerated().map { Value($0.element, "\(value.position)[\($0.offset)]") }
  }

  private func numbers(
    _ value: Value?, or outer: Value?, count: Int
  ) throws(RecordError) -> [Double] {
    guard let value else {
      throw error(outer, expected: "a transform, or a point and a normal", found: "neither")
    }
    var numbers: [Double] = []
    if case .array(let entries) = value.json {
      for case .number(let number) in entries where abs(number) <= Self.farthest {
        numbers.append(number)
      }
      if numbers.count == count, entries.count == count { return numbers }
    }
    throw error(value, expected: "\(count) numbers from -1e6 to 1e6")
  }

  func error(_ value: Value?, expected: String, found: String? = nil) -> RecordError {
    RecordError(
      operation: .read, source: source, position: value?.position ?? "", expected: expected,
      found: found ?? value?.json.summary ?? "nothing")
  }
}
