internal import FaceCore
package import Foundation
package import Platform

/// LabelMe's JSON: one file an image, with rectangles and points.
package struct LabelMeJSON: DatasetFormat {
  package let name = "labelme"
  package let summary = "LabelMe JSON: one file per image, or their folder; rectangles, points"
  package let settings = ImportSetting.ofPoints.union([.category])
  /// Points have names.
  package let decidesPoints = true

  package init() {}

  /// A JSON file with `shapes` of LabelMe, or a folder whose first JSON file is one.
  package func recognises(_ source: URL) -> String? {
    guard source.isFolder else {
      return Self.isAnnotation(source) ? "a JSON file with shapes of LabelMe" : nil
    }
    guard let files = try? SourceFiles.files(in: source, extensions: ["json"]),
      let first = files.first, Self.isAnnotation(source.appendingPathComponent(first))
    else { return nil }
    return "a folder with \(files.count) JSON files, the first with shapes of LabelMe"
  }

  private static func isAnnotation(_ file: URL) -> Bool {
    guard let head = SourceFiles.head(of: file, type: "json") else { return false }
    return head.contains(/"shapes"\s*:\s*\[/)
      && (head.contains("\"shape_type\"") || head.contains("\"imagePath\"")
        || head.contains("\"flags\""))
  }

  /// Reads each file, a folder's in order of their names; all are read once before the first frame.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var files: [(file: URL, root: URL, splits: [String])] = []
    var images: Set<String> = []
    for source in sources {
      guard source.isFolder else {
        files.append((source, source.deletingLastPathComponent(), []))
        continue
      }
      for path in try SourceFiles.files(in: source, extensions: ["json"]) {
        let file = source.appendingPathComponent(path)
        guard Self.isAnnotation(file) else { continue }
        files.append((file, source, FolderSplit.names(of: path)))
      }
      for path in try SourceFiles.files(in: source, extensions: SourceFiles.imageExtensions) {
        images.insert(source.appendingPathComponent(path).standardizedFileURL.path)
      }
    }
    var faces = ShapeFaces(options)
    for (file, _, _) in files { faces.sample(try Self.annotation(file, counting: nil).image) }
    let first = sources.map(\.relativePath).joined(separator: ", ")
    guard !files.isEmpty else {
      throw FileError.wrongData(
        "cannot read \(first): expected JSON files with shapes of LabelMe, found none")
    }
    try faces.decide(in: first)
    var splits: [String: Int] = [:]
    var others: [String: Int] = [:]
    for (file, root, names) in files {
      let (image, size) = try Self.annotation(file) { others[$0, default: 0] += 1 }
      let url = Self.position(of: image.name, beside: file, options)
      let folder = options.imageFolder ?? root
      images.remove(url.standardizedFileURL.path)
      var frame = ImportedFrame(
        name: Self.name(of: url, in: folder), image: url, faces: faces.labels(of: image))
      frame.statedSize = size
      frame.splits = names
      for name in names { splits[name, default: 0] += 1 }
      try sink(frame)
    }
    faces.others = others
    var remarks: [ImportRemark] = [.assumed("pixels count from 0, as in LabelMe")]
    remarks += faces.remarks + FolderSplit.remarks(splits)
    remarks.drop("\(images.count) images without a JSON file left out", if: !images.isEmpty)
    return remarks
  }

  /// The image that a file names, next to it or below the folder of images.
  private static func position(of name: String, beside file: URL, _ options: ImportOptions) -> URL {
    let folder = options.imageFolder ?? file.deletingLastPathComponent()
    let last = PathText(name).components.last.map { String($0) } ?? name
    let stem = file.deletingPathExtension().lastPathComponent
    let places = [name, last] + ["jpg", "jpeg", "png"].map { "\(stem).\($0)" }
    return places.map { folder.appendingPathComponent($0) }.first { $0.isThere }
      ?? folder.appendingPathComponent(last)
  }

  private static func name(of url: URL, in folder: URL) -> String {
    let (path, root) = (url.standardizedFileURL.path, folder.standardizedFileURL.path + "/")
    return path.hasPrefix(root) ? String(path.dropFirst(root.count)) : url.lastPathComponent
  }

  private static func annotation(
    _ file: URL, counting count: ((String) -> Void)?
  ) throws(FileError) -> (image: ShapeFaces.Image, size: ImageSize?) {
    let name = file.relativePath
    var json = JSONText(try SourceFiles.bytes(of: file, limit: 256 << 20), name: name)
    var image = ShapeFaces.Image(name: file.deletingPathExtension().lastPathComponent + ".jpg")
    var (width, height): (Int?, Int?)
    try json.members { (json, key) throws(FileError) in
      switch key {
      case "imagePath" where try json.kind() == .text:
        image.name = try json.text().replacing("\\", with: "/")
      case "imageWidth" where try json.kind() == .number: width = Int(exactly: try json.number())
      case "imageHeight" where try json.kind() == .number: height = Int(exactly: try json.number())
      case "shapes":
        try json.elements { (json) throws(FileError) in
          try shape(try JSONNode(next: &json), into: &image, counting: count)
        }
      default: try json.skip()
      }
    }
    try json.finish()
    return (image, ImageSize(stated: width, height, upTo: 65_535))
  }

  /// The kinds of shapes that are read; `rotation` and `quadrilateral` are X-AnyLabeling's, by their corners.
  private static let kinds: Set<String> = [
    "rectangle", "point", "polygon", "circle", "mask", "oriented_rectangle", "rotation",
    "quadrilateral",
  ]

  private static func shape(
    _ node: JSONNode, into image: inout ShapeFaces.Image, counting count: ((String) -> Void)?
  ) throws(FileError) {
    let kind = try node["shape_type"].unlessNull?.text() ?? "polygon"
    guard kinds.contains(kind) else {
      count?("<\(kind)>")
      return
    }
    let label = node["label"].ifText ?? ""
    let group = node["group_id"].ifNumber?.plainText
    var points: [Point] = []
    for item in try node["points"].items(1...(kind == "polygon" ? 1 << 20 : 8), of: "points") {
      let numbers = try item.numbers(count: 2)
      points.append(Point(x: numbers[0], y: numbers[1]))
    }
    guard kind != "point" else {
      image.marks.append(.init(label: label, point: points[0], group: group))
      return
    }
    guard points.count > 1, var box = BoundingBox(around: points) else {
      throw node["points"].wrong("two points or more of a \(kind)", found: "one")
    }
    if kind == "circle" {
      // The centre, and a point of the edge.
      let radius = hypot(points[1].x - points[0].x, points[1].y - points[0].y)
      box = ShapeFaces.box(aroundEllipse: points[0], radii: (radius, radius), angle: 0)
    }
    var shape = ShapeFaces.Box(
      label: label, box: box, group: group, score: node["score"].ifNumber,
      isOutline: kind != "rectangle")
    shape.attributes = attributes(of: node, counting: count)
    image.boxes.append(shape)
  }

  /// Flags and numbers of a shape by name, as LabelMe and X-AnyLabeling write them; counts texts.
  private static func attributes(
    of node: JSONNode, counting count: ((String) -> Void)?
  ) -> [String: Double] {
    var attributes: [String: Double] = [:]
    for key in ["flags", "attributes"] {
      guard case .object(let members)? = node[key].value else { continue }
      for (name, value) in members {
        switch value {
        case .bool(let holds) where DatasetLayout.isTableName(name):
          attributes[name] = holds ? 1 : 0
        case .number(let number) where DatasetLayout.isTableName(name): attributes[name] = number
        default: count?("attribute \(name)")
        }
      }
    }
    return attributes
  }
}
