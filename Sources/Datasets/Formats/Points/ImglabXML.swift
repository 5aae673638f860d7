internal import FaceCore
package import Foundation
package import Platform

/// The XML of dlib's imglab: images with boxes, and 68 named parts per box.
package struct ImglabXML: DatasetFormat {
  /// Name on the command line.
  package let name = "imglab"
  /// One-line summary of what it reads.
  package let summary = "dlib imglab XML: boxes, ignore flags, and parts named 00 to 67 (ibug68)"

  /// Makes the format.
  package init() {}

  /// An XML file whose beginning has imglab's `<dataset>` element.
  package func recognises(_ source: URL) -> String? {
    guard source.pathExtension.lowercased() == "xml",
      let head = SourceFiles.head(of: source), head.contains("<dataset")
    else { return nil }
    return "an XML file with a <dataset> element"
  }

  /// Reads each XML file; image names are relative to it.
  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(FileError) -> Void
  ) throws(FileError) -> [ImportRemark] {
    var drops = ImglabDocument.Drops()
    for source in sources {
      let document = ImglabDocument()
      let bytes = try SourceFiles.bytes(of: source)
      guard !bytes.isEmpty else {
        throw FileError(
          .wrongData, "cannot read \(source.relativePath): expected XML, found an empty file")
      }
      XMLReader.read(
        try XMLText.utf8(of: bytes, name: source.relativePath), for: document)
      if let line = document.syntaxErrorLine {
        throw FileError(
          .wrongData,
          "cannot read \(source.relativePath), line \(line): expected XML, found a syntax error"
        )
      }
      if let failure = document.failure {
        throw FileError(
          .wrongData,
          "cannot read \(source.relativePath), line \(document.failureLine): \(failure)")
      }
      guard document.sawImages else {
        throw FileError(
          .wrongData,
          "cannot read \(source.relativePath): expected imglab XML with an <images> element, "
            + "found none")
      }
      drops.add(document.drops)
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      for image in document.images {
        var frame = ImportedFrame(
          name: image.file, image: folder.appendingPathComponent(image.file), faces: image.faces)
        frame.statedSize = image.size
        try sink(frame)
      }
    }
    return drops.remarks
  }
}

/// Collects the contents of an imglab file during parsing.
private final class ImglabDocument: XMLHandler {
  struct Image {
    var file: String
    /// Size that the file states; nil if it does not.
    var size: ImageSize?
    var faces: [FaceLabel] = []
  }

  struct Drops {
    var otherParts = 0
    var labels = 0

    mutating func add(_ other: Drops) {
      otherParts += other.otherParts
      labels += other.labels
    }

    var remarks: [ImportRemark] {
      var remarks: [ImportRemark] = []
      if otherParts > 0 {
        remarks.append(.dropped("\(otherParts) parts with names other than 00 to 67 left out"))
      }
      if labels > 0 { remarks.append(.dropped("\(labels) text labels of boxes left out")) }
      return remarks
    }
  }

  private(set) var images: [Image] = []
  private(set) var drops = Drops()
  private(set) var sawImages = false
  private(set) var failure: String?
  private(set) var failureLine = 0
  /// Where the text stops being XML.
  private(set) var syntaxErrorLine: Int?
  private var isInImage = false
  private var face: FaceLabel?
  private var points: [Int: Point] = [:]

  func start(_ element: String, _ attributes: [String: String], line: Int) {
    switch element {
    case "images": sawImages = true
    case "image": startImage(attributes, line)
    case "box": startBox(attributes, line)
    case "part": addPart(attributes, line)
    case "label": drops.labels += 1
    default: break
    }
  }

  func text(_ text: String) {}

  func end(_ element: String, line: Int) {
    if element == "image" { isInImage = false }
    guard element == "box", var finished = face, !images.isEmpty else { return }
    if !points.isEmpty {
      let nowhere = Point(x: .nan, y: .nan)
      let scheme = LandmarkScheme.ibug68
      let positions = (0..<scheme.count).map { points[$0] ?? nowhere }
      let states = (0..<scheme.count).map { index -> PointVisibility in
        points[index] == nil ? .notLabelled : .visible
      }
      if let landmarks = Landmarks(scheme: scheme, points: positions, visibility: states) {
        finished.landmarks = [landmarks]
      }
    }
    images[images.count - 1].faces.append(finished)
    face = nil
    points = [:]
  }

  func syntaxError(line: Int) { syntaxErrorLine = line }

  var isStopped: Bool { failure != nil }

  private func startImage(_ attributes: [String: String], _ line: Int) {
    guard let file = attributes["file"], !file.isEmpty else {
      return fail("expected <image file='...'>, found no file", line)
    }
    var image = Image(file: file)
    if let width = attributes["width"].flatMap(Int.init),
      let height = attributes["height"].flatMap(Int.init), width > 0, height > 0
    {
      image.size = ImageSize(width: width, height: height)
    }
    images.append(image)
    isInImage = true
  }

  private func startBox(_ attributes: [String: String], _ line: Int) {
    guard isInImage else { return fail("expected <box> inside <image>", line) }
    guard face == nil else { return fail("expected no <box> inside <box>", line) }
    var numbers: [Double] = []
    for key in ["left", "top", "width", "height"] {
      guard let text = attributes[key], let number = Double(text), number.isFinite else {
        let found = attributes[key].map { "'\($0)'" } ?? "none"
        return fail("expected a number in \(key) of <box>, found \(found)", line)
      }
      numbers.append(number)
    }
    guard numbers[2] >= 0, numbers[3] >= 0 else {
      return fail(
        "expected a box of non-negative size, found \(numbers[2]) x \(numbers[3])", line)
    }
    face = FaceLabel(
      box: BoundingBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]),
      isIgnored: attributes["ignore"] == "1")
    points = [:]
  }

  private func addPart(_ attributes: [String: String], _ line: Int) {
    guard face != nil else { return fail("expected <part> inside <box>", line) }
    guard let x = attributes["x"].flatMap(Double.init), x.isFinite,
      let y = attributes["y"].flatMap(Double.init), y.isFinite
    else { return fail("expected numbers in x and y of <part>", line) }
    guard let name = attributes["name"], let index = Int(name), (0..<68).contains(index) else {
      drops.otherParts += 1
      return
    }
    guard points.updateValue(Point(x: x, y: y), forKey: index) == nil else {
      return fail("expected each part once in a box, found part \(name) twice", line)
    }
  }

  private func fail(_ message: String, _ line: Int) {
    guard failure == nil else { return }
    failure = message
    failureLine = line
  }
}
