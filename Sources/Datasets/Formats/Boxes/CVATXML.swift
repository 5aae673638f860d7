internal import FaceCore
package import Foundation
package import Platform

/// The XML that CVAT exports as "CVAT for images 1.1": images with boxes and points of labels.
package struct CVATXML: DatasetFormat {
  /// Name on the command line.
  package let name = "cvat"
  /// One-line summary of what it reads.
  package let summary = "CVAT for images 1.1 XML: boxes and points of labels, with attributes"

  /// Makes the format.
  package init() {}

  /// The options that have an effect.
  package let settings = ImportSetting.ofPoints.union([.category])
  /// Points are known by their number and place.
  package let decidesPoints = true

  /// An XML file with an `<annotations>` element.
  package func recognises(_ source: URL) -> String? {
    guard source.pathExtension.lowercased() == "xml",
      SourceFiles.head(of: source)?.contains(/<annotations[\s>]/) == true
    else { return nil }
    return "an XML file with an <annotations> element"
  }

  /// Reads each file; image names are relative to it.
  package func read(
    _ sources: [URL], options: ImportOptions,
    into sink: (ImportedFrame) throws(FileError) -> Void
  ) throws(FileError) -> [ImportRemark] {
    var remarks: [ImportRemark] = [.assumed("pixels count from 0, as in CVAT")]
    var (own, others) = (0, [String: Int]())
    var table = PointTable(options, noun: "points")
    var splits: [String: Int] = [:]
    for source in sources {
      let document = try Self.document(source)
      let categories = try Self.categories(of: document, options, source)
      if let categories, !remarks.contains(categories.remark) { remarks.append(categories.remark) }
      others.merge(document.others) { $0 + $1 }
      let folder = options.imageFolder ?? source.deletingLastPathComponent()
      for points in document.images.lazy.flatMap(\.shapes).compactMap(\.points)
      where !table.isFull {
        table.sample(points)
      }
      for image in document.images {
        var faces: [FaceLabel] = []
        for shape in image.shapes where shape.points == nil {
          faces.append(Self.face(shape, document, categories?.choice, options))
        }
        for shape in image.shapes {
          guard let points = shape.points else { continue }
          guard
            options.pointOrder != nil || options.points != nil
              || !PointOrder.withCount(points.count).isEmpty,
            let set = try table.order(of: points, in: source.relativePath).landmarks(points)
          else {
            others["sets of \(points.count) points", default: 0] += 1
            continue
          }
          if let index = Self.box(around: shape.box, in: faces) {
            faces[index].landmarks = [set]
          } else {
            own += 1
            var face = Self.face(shape, document, categories?.choice, options)
            face.landmarks = [set]
            faces.append(face)
          }
        }
        var frame = ImportedFrame(
          name: image.name, image: folder.appendingPathComponent(image.name), faces: faces)
        frame.statedSize = image.size
        if let subset = image.subset, subset != "default", DatasetLayout.isTableName(subset) {
          frame.splits = [subset]
          splits[subset, default: 0] += 1
        }
        try sink(frame)
      }
    }
    remarks += table.remarks
    if own > 0 {
      remarks.append(.assumed("\(own) sets of points outside of boxes get their tight boxes"))
    }
    for (subset, count) in splits.sorted(by: { $0.key < $1.key }) {
      remarks.append(.assumed("\(count) images of subset \(subset) are split \(subset)"))
    }
    let list = others.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !list.isEmpty {
      remarks.append(
        .dropped(
          "left out: "
            + list.prefix(12).map { "\($0.key.prefix(40)) (\($0.value))" }.joined(separator: ", ")))
    }
    return remarks
  }

  private static func document(_ source: URL) throws(FileError) -> CVATDocument {
    let name = source.relativePath
    let bytes = try SourceFiles.bytes(of: source)
    let document = CVATDocument()
    guard !bytes.isEmpty else {
      throw FileError(.wrongData, "cannot read \(name): expected XML, found an empty file")
    }
    XMLReader.read(try XMLText.utf8(of: bytes, name: name), for: document)
    if let failure = document.failure {
      throw FileError(.wrongData, "cannot read \(name), line \(failure.line): \(failure.text)")
    }
    guard !document.images.isEmpty else {
      throw FileError(
        .wrongData, "cannot read \(name): expected <image> elements of CVAT, found none")
    }
    return document
  }

  /// The labels that are faces, with the remark on them; nil if no shape has a label.
  private static func categories(
    of document: CVATDocument, _ options: ImportOptions, _ source: URL
  ) throws(FileError) -> (choice: FaceCategories, remark: ImportRemark)? {
    let known = document.labels.enumerated().map {
      COCOFile.Category(id: $0.offset + 1, name: $0.element)
    }
    guard !known.isEmpty else { return nil }
    let choice = try FaceCategories(
      options.categories, of: known, used: Set(known.map(\.id)), in: source.relativePath)
    return (
      choice,
      choice.remark
        ?? .assumed("of \(known.count) labels '\(choice.faces[0].name.prefix(40))' is a face")
    )
  }

  private static func face(
    _ shape: CVATDocument.Shape, _ document: CVATDocument, _ choice: FaceCategories?,
    _ options: ImportOptions
  ) -> FaceLabel {
    var face = FaceLabel(box: shape.box)
    if let choice, let index = document.labels.firstIndex(of: shape.label) {
      face.category = choice.number(of: index + 1)
      face.expression = choice.expression(of: index + 1)
    }
    face.attributes = shape.attributes
    if options.isPredictions {
      face.score = shape.attributes["score"] ?? shape.attributes["confidence"]
    }
    face.takeFieldsOfCVAT()
    return face
  }

  /// The smallest box without points that holds the centre of others' box.
  private static func box(around inner: BoundingBox, in faces: [FaceLabel]) -> Int? {
    let (x, y) = (inner.x + inner.width / 2, inner.y + inner.height / 2)
    return faces.indices.filter { index in
      let box = faces[index].box
      return faces[index].landmarks.isEmpty && (box.x...box.x + box.width).contains(x)
        && (box.y...box.y + box.height).contains(y)
    }.min { faces[$0].box.area < faces[$1].box.area }
  }
}
