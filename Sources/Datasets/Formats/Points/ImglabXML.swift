internal import FaceCore
package import Foundation
package import Platform

/// The XML of dlib's imglab: images with boxes, and named parts per box.
package struct ImglabXML: DatasetFormat {
  package let name = "imglab"
  package let summary = "dlib imglab XML: boxes, ignore flags, and parts such as 00 to 67 (ibug68)"
  package let settings = ImportSetting.ofPoints
  /// Parts have names.
  package let decidesPoints = true

  package init() {}

  /// An XML file whose beginning has imglab's `<dataset>` element.
  package func recognises(_ source: URL) -> String? {
    SourceFiles.head(of: source, type: "xml")?.contains("<dataset") == true
      ? "an XML file with a <dataset> element" : nil
  }

  /// Reads each XML file; image names are relative to it.
  package func read(
    _ sources: [URL], options: ImportOptions, into sink: FrameSink
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = []
    var labels = 0
    var others: [String: Int] = [:]
    for source in sources {
      let document = ImglabDocument()
      try document.read(source)
      guard document.sawImages else {
        throw FileError.wrongData(
          "cannot read \(source.relativePath): expected imglab XML with an <images> element, "
            + "found none")
      }
      labels += document.labels
      others.merge(document.others) { $0 + $1 }
      var parts = try ImglabParts(
        document.images.flatMap { $0.boxes.map(\.parts) }, options, in: source.relativePath)
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      for image in document.images {
        var frame = ImportedFrame(image.file, in: folder, faces: image.boxes.map(\.face))
        for (index, box) in image.boxes.enumerated() {
          frame.faces[index].landmarks = parts.landmarks(box.parts).map { [$0] } ?? []
          if options.isPredictions {
            frame.faces[index].score = box.face.attributes["detection_score"]
          }
        }
        frame.statedSize = image.size
        try sink(frame)
      }
      remarks += parts.remarks.map {
        sources.count > 1 ? $0.about(source.lastPathComponent) : $0
      }
    }
    remarks.drop(labels, "text labels of boxes left out")
    remarks.drop("attributes of boxes left out: \(others.mostFrequent)", if: !others.isEmpty)
    return remarks
  }
}

/// Collects the contents of an imglab file during parsing.
private final class ImglabDocument: XMLDocument {
  struct Image {
    var file: String
    /// Size that the file states; nil if it does not.
    var size: ImageSize?
    var boxes: [(face: FaceLabel, parts: [String: Point])] = []
  }

  private(set) var images: [Image] = []
  private(set) var labels = 0
  /// Counts of attributes of boxes that are no numbers, by name.
  private(set) var others: [String: Int] = [:]
  private(set) var sawImages = false
  var failure: (text: String, line: Int)?
  private var isInImage = false
  private var face: FaceLabel?
  private var parts: [String: Point] = [:]

  /// Attributes of a box that are no numbers of their own.
  private static let known: Set<String> = ["left", "top", "width", "height", "ignore"]

  func start(_ element: String, _ attributes: [String: String], line: Int) {
    switch element {
    case "images": sawImages = true
    case "image": startImage(attributes, line)
    case "box": startBox(attributes, line)
    case "part": addPart(attributes, line)
    case "label": labels += 1
    default: break
    }
  }

  func text(_ text: String) {}

  func end(_ element: String, line: Int) {
    if element == "image" { isInImage = false }
    guard element == "box", let finished = face, !images.isEmpty else { return }
    images[images.count - 1].boxes.append((finished, parts))
    face = nil
    parts = [:]
  }

  private func startImage(_ attributes: [String: String], _ line: Int) {
    guard let file = attributes["file"], !file.isEmpty else {
      return fail("expected <image file='...'>, found no file", line)
    }
    let size = ImageSize(
      stated: attributes["width"].flatMap { Int($0) }, attributes["height"].flatMap { Int($0) })
    images.append(Image(file: file, size: size))
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
    for (name, text) in attributes where !Self.known.contains(name) {
      if let number = Double(text), number.isFinite, DatasetLayout.isTableName(name) {
        face?.attributes[name] = number
      } else {
        others[name, default: 0] += 1
      }
    }
    parts = [:]
  }

  private func addPart(_ attributes: [String: String], _ line: Int) {
    guard face != nil else { return fail("expected <part> inside <box>", line) }
    guard let x = attributes["x"].flatMap(Double.init), x.isFinite,
      let y = attributes["y"].flatMap(Double.init), y.isFinite
    else { return fail("expected numbers in x and y of <part>", line) }
    let name = attributes["name"] ?? ""
    // imglab itself writes 07; others write 7.
    let key = Int(name).map { "\($0)" } ?? name
    guard parts.updateValue(Point(x: x, y: y), forKey: key) == nil else {
      return fail("expected each part once in a box, found part \(name) twice", line)
    }
  }
}
