internal import FaceCore
internal import Foundation
internal import Platform

/// Collects the images of a CVAT file during parsing.
final class CVATDocument: XMLHandler {
  /// A box, or points with the tight box around them.
  struct Shape {
    var label: String
    var box: BoundingBox
    var points: [Point]?
    var attributes: [String: Double] = [:]
  }

  /// An image with its shapes.
  struct Image {
    var name: String
    var size: ImageSize?
    var subset: String?
    var shapes: [Shape] = []
  }

  private(set) var images: [Image] = []
  private var boxLabels: [String] = []
  private var pointLabels: [String] = []
  /// Labels of boxes, or of points where there are no boxes, in the order of their first occurrence.
  var labels: [String] { boxLabels.isEmpty ? pointLabels : boxLabels }
  /// Counts of other shapes and of attributes that are no numbers, by name.
  private(set) var others: [String: Int] = [:]
  private(set) var failure: (text: String, line: Int)?
  private var path: [String] = []
  private var content = ""
  private var attribute = ""
  private var hasShape = false

  /// Other shapes of CVAT, which are left out.
  private static let shapes: Set<String> = [
    "polygon", "polyline", "ellipse", "cuboid", "mask", "skeleton", "tag",
  ]

  func start(_ element: String, _ attributes: [String: String], line: Int) {
    path.append(element)
    content = ""
    guard path.count < 64 else { return fail("expected fewer nested elements", line) }
    guard path[0] == "annotations" else {
      return fail("expected <annotations>, found <\(element)>", line)
    }
    if path == ["annotations", "track"] {
      return fail(
        "expected <image>, found <track> of CVAT for video (export the task as 'MOT 1.1' for "
          + "'import mot', or as 'CVAT for images 1.1')", line)
    }
    if path == ["annotations", "image"] { return startImage(attributes, line) }
    guard path.count > 2, path[1] == "image", !images.isEmpty else { return }
    if path.count == 3 { startShape(element, attributes, line) }
    if path.count == 4, element == "attribute" { attribute = attributes["name"] ?? "" }
  }

  private func startImage(_ attributes: [String: String], _ line: Int) {
    guard let name = attributes["name"], !name.isEmpty else {
      return fail("expected <image name='...'>, found no name", line)
    }
    var image = Image(name: name, subset: attributes["subset"])
    if let width = attributes["width"].flatMap(Int.init),
      let height = attributes["height"].flatMap(Int.init), width > 0, height > 0
    {
      image.size = ImageSize(width: width, height: height)
    }
    images.append(image)
  }

  private func startShape(_ element: String, _ attributes: [String: String], _ line: Int) {
    hasShape = false
    guard attributes["outside"] != "1" else { return }
    guard element == "box" || element == "points" else {
      if Self.shapes.contains(element) { others["<\(element)>", default: 0] += 1 }
      return
    }
    let label = attributes["label"] ?? ""
    var shape = Shape(label: label, box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
    if element == "box" {
      let edges = ["xtl", "ytl", "xbr", "ybr", "rotation"].map { key in
        attributes[key].flatMap(Double.init) ?? (key == "rotation" ? 0 : .nan)
      }
      shape.box = Self.box(edges)
      guard edges.allSatisfy(\.isFinite), shape.box.isWellFormed else {
        return fail("expected numbers xtl to xbr and ytl to ybr in <box>, found others", line)
      }
    } else {
      let points = (attributes["points"] ?? "").split(separator: ";").map { pair in
        pair.split(separator: ",").map {
          Double($0.trimmingCharacters(in: .whitespaces)) ?? .nan
        }
      }
      guard points.allSatisfy({ $0.count == 2 && $0[0].isFinite && $0[1].isFinite }),
        let tight = BoundingBox(around: points.map { Point(x: $0[0], y: $0[1]) })
      else { return fail("expected points x,y;x,y in <points>, found others", line) }
      shape.points = points.map { Point(x: $0[0], y: $0[1]) }
      shape.box = tight
    }
    if let occluded = attributes["occluded"].flatMap(Double.init), occluded.isFinite {
      shape.attributes["occluded"] = occluded
    }
    if element == "box" {
      if !boxLabels.contains(label) { boxLabels.append(label) }
    } else if !pointLabels.contains(label) {
      pointLabels.append(label)
    }
    images[images.count - 1].shapes.append(shape)
    hasShape = true
  }

  /// The box of edges, or the tight box around it where it is turned by degrees about its centre.
  private static func box(_ edges: [Double]) -> BoundingBox {
    let (width, height) = (edges[2] - edges[0], edges[3] - edges[1])
    guard edges[4] != 0, width >= 0, height >= 0 else {
      return BoundingBox(x: edges[0], y: edges[1], width: width, height: height)
    }
    let angle = edges[4] * .pi / 180
    let (sine, cosine) = (abs(sin(angle)), abs(cos(angle)))
    let outer = (width * cosine + height * sine, width * sine + height * cosine)
    return BoundingBox(
      x: edges[0] + (width - outer.0) / 2, y: edges[1] + (height - outer.1) / 2, width: outer.0,
      height: outer.1)
  }

  func text(_ text: String) {
    guard content.utf8.count < 1 << 16 else { return }
    content += text
  }

  func end(_ element: String, line: Int) {
    defer { path.removeLast() }
    guard path.count == 4, path[1] == "image", element == "attribute", hasShape, !images.isEmpty
    else { return }
    let image = images.count - 1
    let word = content.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    let value = ["true": 1, "false": 0][word] ?? Double(word)
    if let value, value.isFinite, DatasetLayout.isTableName(attribute) {
      images[image].shapes[images[image].shapes.count - 1].attributes[attribute] = value
    } else {
      others["attribute \(attribute)", default: 0] += 1
    }
  }

  func syntaxError(line: Int) { fail("expected XML, found a syntax error", line) }

  var isStopped: Bool { failure != nil }

  private func fail(_ text: String, _ line: Int) {
    if failure == nil { failure = (text, line) }
  }
}
