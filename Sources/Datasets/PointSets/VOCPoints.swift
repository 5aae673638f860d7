internal import FaceCore
internal import Platform

/// What an element below an object of Pascal VOC's XML holds.
struct VOCElement {
  /// Whether it has attributes, which nothing is read from.
  var hasAttributes = false
  /// Texts of the elements in it that hold nothing else, by name.
  var texts: [String: [String]] = [:]
  /// Points of the elements in it.
  var points: [VOCPoints.Named] = []
  /// Names of what cannot be read of the elements in it.
  var rest: Set<String> = []

  /// The points that the element is or has, and the names of its other texts.
  func taken(as name: String) -> (points: [VOCPoints.Named], rest: [String]) {
    func number(_ key: String) -> Double? {
      guard let values = texts[key], values.count == 1 else { return nil }
      return Double(values[0]).flatMap { $0.isFinite ? $0 : nil }
    }
    if let x = number("x"), let y = number("y") {
      let own = texts["name"]?.first ?? name
      return (
        points + [(own, Point(x: x, y: y))], texts.keys.filter { !["x", "y", "name"].contains($0) }
      )
    }
    var found = points
    var used: Set<String> = []
    for index in 0..<1000 {
      guard let x = number("x\(index)"), let y = number("y\(index)") else {
        if index == 0 { continue }
        break
      }
      found.append(("\(index)", Point(x: x, y: y)))
      used.formUnion(["x\(index)", "y\(index)"])
    }
    return (found, texts.keys.filter { !used.contains($0) })
  }
}

/// Which points those of the objects of Pascal VOC's XML are.
struct VOCPoints {
  /// A point and its name.
  typealias Named = (name: String, point: Point)

  /// Elements whose points are an outline, and no points of a face.
  static let outlines: Set<String> = ["polygon", "segmentation", "mask", "polyline", "contour"]

  /// More points than any scheme has.
  private static let most = 1000

  private let options: ImportOptions
  private var names: [String: [String]] = [:]
  private var faces: [String: [[Named]]] = [:]
  private var decision: PointReading.Decision?
  private var face = ""
  private var (sets, leftOut, missing) = (0, 0, 0)

  init(_ options: ImportOptions) {
    self.options = options
  }

  /// Looks at the points of an object before any is taken.
  mutating func sample(_ points: [Named], of object: String) {
    guard !points.isEmpty else { return }
    for point in points.prefix(Self.most)
    where names[object]?.contains(point.name) != true && names[object]?.count ?? 0 < Self.most {
      names[object, default: []].append(point.name)
    }
    if faces[object]?.count ?? 0 < PointReading.sample { faces[object, default: []].append(points) }
  }

  /// Decides for the objects that are faces.
  mutating func decide(face: String, in file: String) throws(FileError) {
    self.face = face
    let (names, known) = (names[face] ?? [], faces[face] ?? [])
    let isEachOnce = known.allSatisfy { Set($0.map(\.name)).count == $0.count }
    guard !names.isEmpty, isEachOnce else { return }
    decision = try PointReading(options).decide(
      PointReading.Sets(
        file: file, count: names.count, names: names, faces: known.map(ordered)))
  }

  private func ordered(_ points: [Named]) -> [Point?] {
    let base = options.indexBase(of: points.flatMap { [$0.point.x, $0.point.y] })
    return (names[face] ?? []).map { name in
      points.first { $0.name == name }.flatMap {
        Point.unlessMissing(x: $0.point.x, y: $0.point.y, base: base)
      }
    }
  }

  /// The points of an object; nil for none.
  mutating func landmarks(_ points: [Named], of object: String) -> Landmarks? {
    guard !points.isEmpty else { return nil }
    guard let decision, object == face else {
      leftOut += points.count
      return nil
    }
    sets += 1
    missing += points.count { Point.unlessMissing(x: $0.point.x, y: $0.point.y) == nil }
    return decision.order.landmarks(ordered(points))
  }

  /// What was assumed and left out.
  var remarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    if let decision, sets > 0 {
      remarks.assume("\(sets) sets of \(names[face]?.count ?? 0) points \(decision.text)")
    }
    remarks.assume(missing, "points at -1, -1 are not labelled")
    remarks.drop(leftOut, "points of objects left out")
    return remarks
  }
}
