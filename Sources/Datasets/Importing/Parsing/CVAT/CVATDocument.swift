internal import FaceCore
internal import Foundation
internal import Platform

/// Collects the images of a CVAT file, or the tracks, during parsing.
final class CVATDocument: XMLDocument {
  /// A box, or points with the tight box around them.
  struct Shape {
    var label: String
    var box: BoundingBox
    /// Degrees by which the box is turned about its centre, clockwise.
    var rotation = 0.0
    var points: [Point]?
    /// Points of a skeleton by name; nil for a point that is outside.
    var joints: [String: (point: Point?, isHidden: Bool)]?
    var attributes: [String: Double] = [:]
    /// Whether it is the tight box of a polygon, an ellipse or a mask.
    var isOutline = false
    /// The number of its track.
    var track: Int?
    /// The number of its group; nil for none.
    var group: Int?

    /// How many numbers it has, about.
    var cost: Int { 1 + (points?.count ?? joints?.count ?? 0) }
  }

  /// An image with its shapes.
  struct Image {
    var name: String
    var size: ImageSize?
    var subset: String?
    var shapes: [Shape] = []
    /// The number of a recording's frame.
    var number: Int?
  }

  private(set) var images: [Image] = []
  private(set) var tracks: [CVATTrack] = []
  private(set) var tasks: [CVATTask] = []
  /// Labels of its shapes.
  private(set) var labels = Labels()
  /// Names of the points of skeletons, in the order of their first occurrence.
  private(set) var jointNames: [String] = []
  /// Counts of other shapes and of attributes that are no numbers, by name.
  private(set) var others: [String: Int] = [:]
  var failure: (text: String, line: Int)?
  private var path: [String] = []
  private var content = ""
  private var attribute = ""
  private var hasShape = false

  /// Labels of boxes, or of points where there are no boxes, in the order of their first occurrence.
  struct Labels {
    /// Different names and their positions.
    private struct Order {
      var names: [String] = []
      var positions: [String: Int] = [:]

      mutating func add(_ label: String) {
        guard positions[label] == nil else { return }
        positions[label] = names.count
        names.append(label)
      }
    }

    private var boxes = Order()
    private var points = Order()
    private var own: Order { boxes.names.isEmpty ? points : boxes }
    /// The labels.
    var names: [String] { own.names }

    /// The position of a label among `names`; nil where it is none of them.
    func position(of label: String) -> Int? { own.positions[label] }

    /// Adds the label of a shape.
    mutating func add(_ label: String, isOfBox: Bool) {
      if isOfBox { boxes.add(label) } else { points.add(label) }
    }

    /// Adds those of another file.
    mutating func add(_ other: Labels) {
      for label in other.boxes.names { boxes.add(label) }
      for label in other.points.names { points.add(label) }
    }
  }

  /// Other shapes of CVAT, which are left out.
  private static let shapes: Set<String> = ["polyline", "cuboid", "tag"]
  /// Those that are taken as their tight boxes.
  private static let outlines: Set<String> = ["polygon", "ellipse", "mask"]
  private static let mostJoints = 4096

  func start(_ element: String, _ attributes: [String: String], line: Int) {
    path.append(element)
    content = ""
    guard path.count < 64 else { return fail("expected fewer nested elements", line) }
    guard path[0] == "annotations" else {
      return fail("expected <annotations>, found <\(element)>", line)
    }
    if path == ["annotations", "image"] { return startImage(attributes, line) }
    if path == ["annotations", "track"] {
      hasShape = false
      return tracks.append(CVATTrack(attributes))
    }
    if path.count > 2, path[1] == "meta", ["task", "job"].contains(element) {
      return tasks.append(CVATTask())
    }
    guard path.count > 2, path[1] == "image" ? !images.isEmpty : path[1] == "track" else { return }
    if path.count == 3 { startShape(element, attributes, line) }
    if path.count == 4, element == "points", path[2] == "skeleton" { addJoint(attributes, line) }
    if element == "attribute" { attribute = attributes["name"] ?? "" }
  }

  private func startImage(_ attributes: [String: String], _ line: Int) {
    guard let name = attributes["name"], !name.isEmpty else {
      return fail("expected <image name='...'>, found no name", line)
    }
    let size = ImageSize(
      stated: attributes["width"].flatMap { Int($0) }, attributes["height"].flatMap { Int($0) })
    images.append(Image(name: name, size: size, subset: attributes["subset"]))
  }

  private func startShape(_ element: String, _ attributes: [String: String], _ line: Int) {
    hasShape = false
    let isOutside = attributes["outside"] == "1"
    let isOutline = Self.outlines.contains(element)
    guard isOutline || ["box", "points", "skeleton"].contains(element) else {
      if Self.shapes.contains(element), !isOutside { others["<\(element)>", default: 0] += 1 }
      return
    }
    guard path[1] == "track" || !isOutside else { return }
    let label = attributes["label"] ?? (path[1] == "track" ? tracks[tracks.count - 1].label : "")
    var shape = Shape(label: label, box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    shape.group = attributes["group_id"].flatMap(Int.init).flatMap { $0 == 0 ? nil : $0 }
    if element == "box" {
      let edges = ["xtl", "ytl", "xbr", "ybr", "rotation"].map { key in
        attributes[key].flatMap(Double.init) ?? (key == "rotation" ? 0 : .nan)
      }
      shape.box = BoundingBox(
        x: edges[0], y: edges[1], width: edges[2] - edges[0], height: edges[3] - edges[1])
      shape.rotation = edges[4]
      guard edges.allSatisfy(\.isFinite), shape.box.isWellFormed else {
        return fail("expected numbers xtl to xbr and ytl to ybr in <box>, found others", line)
      }
    } else if isOutline {
      guard let box = Self.tightBox(of: element, attributes), box.isWellFormed else {
        return fail("expected the numbers of a shape in <\(element)>, found others", line)
      }
      (shape.box, shape.isOutline) = (box, true)
    } else if element == "points" {
      guard let points = Self.points(attributes), let tight = BoundingBox(around: points) else {
        return fail("expected points x,y;x,y in <points>, found others", line)
      }
      (shape.points, shape.box) = (points, tight)
    } else {
      shape.joints = [:]
    }
    if let occluded = attributes["occluded"].flatMap(Double.init), occluded.isFinite {
      shape.attributes["occluded"] = occluded
    }
    labels.add(label, isOfBox: element == "box" || isOutline)
    hasShape = true
    guard path[1] == "track" else { return images[images.count - 1].shapes.append(shape) }
    guard let frame = attributes["frame"].flatMap(Int.init), (0...Int(Int32.max)).contains(frame)
    else { return fail("expected <\(element) frame='...'> in <track>, found no frame", line) }
    tracks[tracks.count - 1].states.append(.init(frame: frame, isOutside: isOutside, shape: shape))
  }

  /// Around a polygon, an ellipse turned about its centre, or a mask.
  private static func tightBox(
    of element: String, _ attributes: [String: String]
  ) -> BoundingBox? {
    func number(_ key: String) -> Double { attributes[key].flatMap(Double.init) ?? .nan }
    switch element {
    case "polygon": return points(attributes).flatMap { BoundingBox(around: $0) }
    case "ellipse":
      let turn = (attributes["rotation"].flatMap(Double.init) ?? 0) * .pi / 180
      return ShapeFaces.box(
        aroundEllipse: Point(x: number("cx"), y: number("cy")), radii: (number("rx"), number("ry")),
        angle: turn)
    default:
      return BoundingBox(
        x: number("left"), y: number("top"), width: number("width"), height: number("height"))
    }
  }

  private static func points(_ attributes: [String: String]) -> [Point]? {
    let points = (attributes["points"] ?? "").split(separator: ";").map { pair in
      pair.split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) ?? .nan }
    }
    guard points.allSatisfy({ $0.count == 2 && $0[0].isFinite && $0[1].isFinite }) else {
      return nil
    }
    return points.map { Point(x: $0[0], y: $0[1]) }
  }

  /// A point of a skeleton.
  private func addJoint(_ attributes: [String: String], _ line: Int) {
    guard hasShape else { return }
    guard let name = attributes["label"], let points = Self.points(attributes), points.count == 1
    else { return fail("expected <points label='...' points='x,y'> in <skeleton>", line) }
    if !jointNames.contains(name) {
      guard jointNames.count < Self.mostJoints else {
        return fail("expected at most \(Self.mostJoints) names of points in skeletons", line)
      }
      jointNames.append(name)
    }
    let joint = (
      point: attributes["outside"] == "1" ? nil : Optional(points[0]),
      isHidden: attributes["occluded"] == "1"
    )
    change { $0.joints?[name] = joint }
  }

  /// Changes the shape that was begun last.
  private func change(_ body: (inout Shape) -> Void) {
    if path[1] == "image" {
      let (image, shape) = (images.count - 1, images[images.count - 1].shapes.count - 1)
      body(&images[image].shapes[shape])
    } else {
      let (track, state) = (tracks.count - 1, tracks[tracks.count - 1].states.count - 1)
      body(&tracks[track].states[state].shape)
    }
  }

  func text(_ text: String) {
    guard content.utf8.count < 1 << 16 else { return }
    content += text
  }

  func end(_ element: String, line: Int) {
    defer { path.removeLast() }
    guard path.count > 3 else { return }
    let word = content.trimmingCharacters(in: .whitespacesAndNewlines)
    if path[1] == "meta", !tasks.isEmpty {
      let parent = path[path.count - 2]
      if ["task", "job", "original_size"].contains(parent) {
        tasks[tasks.count - 1].values[element] = String(word.prefix(1000))
      }
      return
    }
    guard path.count == 4, path[1] == "image" || path[1] == "track", element == "attribute",
      hasShape
    else { return }
    let value = ["true": 1, "false": 0][word.lowercased()] ?? Double(word)
    if let value, value.isFinite, DatasetLayout.isTableName(attribute) {
      change { $0.attributes[attribute] = value }
    } else {
      others["attribute \(attribute)", default: 0] += 1
    }
  }
}
