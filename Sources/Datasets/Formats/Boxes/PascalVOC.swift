internal import FaceCore
package import Foundation
package import Platform

/// Pascal VOC's XML: an annotation file for each image, with named objects and their boxes.
package struct PascalVOC: DatasetFormat {
  package let name = "voc"
  package let summary = "Pascal VOC XML: one file per image, or their folder; boxes, points"
  package let settings = ImportSetting.ofPoints.union([.indexBase, .category])
  /// Points have names, or numbers.
  package let decidesPoints = true

  package init() {}

  /// An XML file with an `<annotation>` element, or a folder whose first XML file is one.
  package func recognises(_ source: URL) -> String? {
    guard source.isFolder else {
      return Self.isAnnotation(source) ? "an XML file with an <annotation> element" : nil
    }
    guard let files = try? SourceFiles.files(in: source, extensions: ["xml"]),
      let first = files.first, Self.isAnnotation(source.appendingPathComponent(first))
    else { return nil }
    return "a folder with \(files.count) XML files, the first with an <annotation> element"
  }

  private static func isAnnotation(_ file: URL) -> Bool {
    SourceFiles.head(of: file, type: "xml")?.contains(/<annotation[\s>]/) == true
  }

  /// Reads each file, a folder's in order of their names; all are read once before the first frame.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var files: [(file: URL, root: URL, splits: [String])] = []
    for source in sources {
      guard source.isFolder else {
        files.append((source, source.deletingLastPathComponent(), []))
        continue
      }
      let names = try SourceFiles.files(in: source, extensions: ["xml"])
      try SourceFiles.require(names, ".xml files", in: source)
      files += names.map { (source.appendingPathComponent($0), source, FolderSplit.names(of: $0)) }
    }
    var names: [String: Int] = [:]
    var points = VOCPoints(options)
    for (file, _, _) in files {
      for object in try Self.document(file).objects {
        names[object.name, default: 0] += 1
        points.sample(object.points, of: object.name)
      }
    }
    let known = COCOFile.Category.numbered(names.keys.sorted())
    var categories: FaceCategories?
    if known.count > 1 || !options.categories.isEmpty {
      categories = try FaceCategories(
        options.categories, of: known, used: Set(known.map(\.id)), in: sources[0].relativePath)
    }
    let ids = Dictionary(known.map { ($0.name, $0.id) }) { first, _ in first }
    try points.decide(
      face: categories?.faces.first?.name ?? known.first?.name ?? "", in: sources[0].relativePath)
    var counts = Counts()
    var sets = VOCImageSets()
    var nearby = NearbyImages()
    for (file, root, folders) in files {
      let listed = try sets.splits(of: file)
      let splits = folders.isEmpty ? listed : folders
      let document = try Self.document(file)
      var faces: [FaceLabel] = []
      for object in document.objects {
        let id = ids[object.name] ?? 1
        var face = try Self.face(
          object, categories?.number(of: id) ?? 1, options, file: file, &counts)
        categories?.name(&face, of: id)
        face.landmarks = points.landmarks(object.points, of: object.name).map { [$0] } ?? []
        faces.append(face)
        // One that says nothing of a face is left out, which the import counts.
        if face.box.area == 0, !face.isNothing { counts.flat += 1 }
      }
      counts.add(document)
      let (name, image) = Self.image(document.image, of: file, in: root, options, &nearby)
      var frame = ImportedFrame(name: name, image: image, faces: faces)
      frame.statedSize = document.size
      frame.splits = splits
      for split in splits { counts.splits[split, default: 0] += 1 }
      try sink(frame)
    }
    return Self.remarks(counts, known, categories, options) + sets.remarks + points.remarks
      + [nearby.remark].compactMap { $0 }
  }

  private struct Counts {
    var (difficult, flat, parts, turned, early) = (0, 0, 0, 0, 0)
    var others: [String: Int] = [:]
    var ofImages: [String: Int] = [:]
    var splits: [String: Int] = [:]

    mutating func add(_ document: VOCDocument) {
      parts += document.parts
      others.merge(document.others) { $0 + $1 }
      ofImages.merge(document.ofImages) { $0 + $1 }
    }
  }

  private static func document(_ file: URL) throws(FileError) -> VOCDocument {
    let document = VOCDocument()
    try document.read(file, limit: 16 << 20)
    guard !document.image.isEmpty else {
      throw FileError.wrongData(
        "cannot read \(file.relativePath): expected an <annotation> with a <filename>, found none")
    }
    return document
  }

  private static func face(
    _ object: VOCDocument.Object, _ category: Int, _ options: ImportOptions, file: URL,
    _ counts: inout Counts
  ) throws(FileError) -> FaceLabel {
    var edges: [Double] = []
    for key in ["xmin", "ymin", "xmax", "ymax"] {
      guard let number = object.numbers[key] else {
        throw FileError.wrongData(
          "cannot read \(file.relativePath), line \(object.line): expected a number in <\(key)>, "
            + "found none")
      }
      edges.append(number)
    }
    // With pixels from 1, as Pascal counts, the last pixel belongs to the box.
    let base = options.indexBase(of: edges)
    if base == 1, min(edges[0], edges[1]) < 1 { counts.early += 1 }
    let box = BoundingBox(
      x: edges[0] - base, y: edges[1] - base, width: edges[2] - edges[0] + base,
      height: edges[3] - edges[1] + base)
    guard box.isWellFormed else {
      throw FileError.wrongData(
        "cannot read \(file.relativePath), line \(object.line): expected xmin to xmax and ymin to "
          + "ymax, found \(edges.map(ExactText.of).joined(separator: " "))")
    }
    var face = FaceLabel(box: box, category: category)
    face.attributes = object.attributes
    if options.isPredictions {
      face.score = object.attributes["score"] ?? object.attributes["confidence"]
    }
    for key in ["truncated", "difficult", "occluded"] {
      if let value = object.numbers[key] { face.attributes[key] = value }
    }
    if face.attributes["difficult"] == 1 {
      face.isIgnored = true
      counts.difficult += 1
    }
    if let turn = object.attributes["rotation"], turn != 0 {
      // CVAT's box before it is turned, by degrees.
      face.box = ShapeFaces.box(around: box, turnedBy: turn)
      counts.turned += 1
    }
    return face
  }

  /// The image and its name, below `--images` or in the usual folders of Pascal VOC and others; of the name that the file
  /// states, or else of its own.
  private static func image(
    _ name: String, of file: URL, in root: URL, _ options: ImportOptions,
    _ nearby: inout NearbyImages
  ) -> (name: String, url: URL) {
    let own = file.deletingLastPathComponent()
    let above = own.deletingLastPathComponent()
    let positions =
      options.imageFolder.map { [$0] } ?? [own]
      + [above, root].flatMap { position in
        ["JPEGImages", "images", "."].map { position.appendingPathComponent($0) }
      }
    let files = positions.map { $0.appendingPathComponent(name) }
    if let there = files.first(where: \.isThere) { return (name, there) }
    guard !options.isLabelsOnly else { return (name, files[0]) }
    for word in [name, file.deletingPathExtension().lastPathComponent] {
      for position in positions {
        guard let path = nearby.path(of: word, in: position) else { continue }
        return (path, position.appendingPathComponent(path))
      }
    }
    return (name, files[0])
  }

  private static func remarks(
    _ counts: Counts, _ known: [COCOFile.Category], _ categories: FaceCategories?,
    _ options: ImportOptions
  ) -> [ImportRemark] {
    var remarks: [ImportRemark] = [
      .assumed(
        options.indexBase == 1
          ? "pixels count from 1 and the last one belongs to a box (--index-base)"
          : "pixels count from 0 and boxes end at xmax and ymax (--index-base)")
    ]
    if let remark = categories?.remark {
      remarks.append(remark)
    } else if let face = categories?.faces.first {
      remarks.assume("of \(known.count) names of objects '\(face.name.prefix(40))' is a face")
    } else if let only = known.first, only.name.lowercased() != "face" {
      remarks.assume("the only name of objects, '\(only.name.prefix(40))', is taken as faces")
    }
    remarks.assume(
      counts.early, "boxes begin before pixel 1, as where pixels count from 0 (--index-base 0)")
    remarks += FolderSplit.remarks(counts.splits)
    remarks.assume(counts.difficult, "difficult objects are to be ignored")
    remarks.assume(counts.flat, "boxes of width or height 0 are kept")
    remarks.assume(counts.turned, "boxes with a rotation, as CVAT's, get their tight boxes")
    remarks.drop(counts.parts, "parts of objects left out")
    remarks.drop(
      "unsupported elements of objects left out: \(counts.others.mostFrequent)",
      if: !counts.others.isEmpty)
    remarks.drop(
      "unsupported elements of images left out: \(counts.ofImages.mostFrequent)",
      if: !counts.ofImages.isEmpty)
    return remarks
  }
}

/// Collects the contents of an annotation file during parsing.
private final class VOCDocument: XMLDocument {
  /// An object with its numbers by element name.
  struct Object {
    var name = ""
    var numbers: [String: Double] = [:]
    var points: [VOCPoints.Named] = []
    /// Numbers of `<attributes>`, and `<score>` and `<confidence>`, by name.
    var attributes: [String: Double] = [:]
    var line = 0
  }

  private(set) var image = ""
  private var (width, height): (Int?, Int?)
  /// Size of the image; nil if it is not stated.
  var size: ImageSize? { ImageSize(stated: width, height) }
  private(set) var objects: [Object] = []
  private(set) var parts = 0
  /// Counts of unsupported elements of objects, by name.
  private(set) var others: [String: Int] = [:]
  /// Counts of unsupported elements of images that hold something, by name.
  private(set) var ofImages: [String: Int] = [:]
  var failure: (text: String, line: Int)?
  private var path: [String] = []
  private var content = ""
  /// What the open elements of an object hold.
  private var nested: [VOCElement] = []
  private var isAnnotation = false
  /// Whether the open element of the image holds something.
  private var holdsSomething = false

  /// The elements of an image that are read, or say nothing of faces.
  private static let known: Set<String> = [
    "filename", "size", "object", "folder", "path", "source", "segmented", "owner",
  ]

  /// Numbers of an object, by the path below it.
  private static let positions: [[String]: String] = [
    ["bndbox", "xmin"]: "xmin", ["bndbox", "ymin"]: "ymin", ["bndbox", "xmax"]: "xmax",
    ["bndbox", "ymax"]: "ymax", ["truncated"]: "truncated", ["difficult"]: "difficult",
    ["occluded"]: "occluded",
  ]

  /// Maximum objects of one file.
  private static let limit = 100_000

  func start(_ element: String, _ attributes: [String: String], line: Int) {
    path.append(element)
    content = ""
    if path.count == 1 { isAnnotation = element == "annotation" }
    guard isAnnotation else { return fail("expected <annotation>, found <\(element)>", line) }
    guard path.count < 64 else { return fail("expected fewer nested elements", line) }
    holdsSomething = path.count > 2 && holdsSomething || path.count > 1 && !attributes.isEmpty
    if path == ["annotation", "object"] {
      guard objects.count < Self.limit else {
        return fail("expected at most \(Self.limit) objects, found more", line)
      }
      objects.append(Object(line: line))
    }
    if path.count > 2, path[1] == "object" {
      nested.append(VOCElement(hasAttributes: !attributes.isEmpty))
    }
  }

  func text(_ text: String) {
    guard content.utf8.count < 1 << 16 else { return }
    content += text
  }

  func end(_ element: String, line: Int) {
    let value = content.trimmingCharacters(in: .whitespacesAndNewlines)
    defer {
      path.removeLast()
      content = ""
    }
    if !value.isEmpty, value.lowercased() != "unspecified" { holdsSomething = true }
    if path.count == 2, holdsSomething, !Self.known.contains(element) {
      ofImages[element, default: 0] += 1
    }
    if path == ["annotation", "filename"] { image = value }
    if path == ["annotation", "size", "width"] { width = Int(value) }
    if path == ["annotation", "size", "height"] { height = Int(value) }
    guard path.count > 2, path[1] == "object", !objects.isEmpty else { return }
    let position = Array(path[2...])
    let element = nested.popLast() ?? VOCElement()
    if position == ["name"] {
      objects[objects.count - 1].name = value
    } else if let key = Self.positions[position] {
      guard let number = Double(value), number.isFinite else {
        guard !value.isEmpty || position.count > 1 else { return }
        return fail("expected a number in <\(key)>, found '\(value.prefix(60))'", line)
      }
      objects[objects.count - 1].numbers[key] = number
    } else if position == ["score"] || position == ["confidence"], let score = Double(value),
      score.isFinite
    {
      objects[objects.count - 1].attributes[position[0]] = score
    } else if position[0] != "bndbox" {
      close(position, value, element)
    }
  }

  /// Takes points of an element and counts the rest.
  private func close(_ position: [String], _ value: String, _ element: VOCElement) {
    let name = position[position.count - 1]
    if name == "attribute", let key = element.texts["name"]?.first,
      let text = element.texts["value"]?.first
    {
      return add(text, ofAttribute: key)
    }
    if position.count > 1, element.texts.isEmpty, element.points.isEmpty {
      nested[nested.count - 1].texts[name, default: []].append(value)
      return
    }
    let isOutline = position.contains { VOCPoints.outlines.contains($0.lowercased()) }
    let taken = isOutline ? nil : element.taken(as: name)
    let points = taken?.points ?? []
    let rest = taken?.rest ?? Array(element.texts.keys)
    guard position.count == 1 else {
      nested[nested.count - 1].points += points
      for key in rest { nested[nested.count - 1].rest.insert(key) }
      return
    }
    objects[objects.count - 1].points += points
    if name == "part", points.isEmpty {
      parts += 1
    } else if !points.isEmpty {
      for key in element.rest.union(rest) { others["\(name) \(key)", default: 0] += 1 }
    } else if !element.texts.isEmpty || !element.rest.isEmpty || element.hasAttributes
      || !value.isEmpty && value.lowercased() != "unspecified"
    {
      others[name, default: 0] += 1
    }
  }

  /// Takes an attribute of an object that is a number, or true or false; counts others.
  private func add(_ text: String, ofAttribute name: String) {
    let words = ["true": 1.0, "false": 0.0]
    guard DatasetLayout.isTableName(name),
      let value = words[text.lowercased()] ?? Double(text), value.isFinite
    else {
      others["attribute \(name)", default: 0] += 1
      return
    }
    objects[objects.count - 1].attributes[name] = value
  }
}
