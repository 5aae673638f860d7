import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// What exporters of labels write that their formats do not ask for.
@Suite struct ExporterFormsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let box = "0.5 0.5 0.25 0.5"

  // MARK: COCO

  private func results(
    _ rows: [String], images: String, categories: String = #"[{"id": 1, "name": "face"}]"#,
    annotations: String = ""
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    let labels =
      #"{"images": \#(images), "categories": \#(categories), "annotations": [\#(annotations)]}"#
    return try readAll(
      COCOJSON(),
      [
        try folder.write("[\(rows.joined(separator: ","))]", to: "results.json"),
        try folder.write(labels, to: "labels.json"),
      ])
  }

  /// A result at x.
  private func row(_ id: Int, _ x: Int, _ more: String = "") -> String {
    #"{"image_id": \#(id), "category_id": 1, "bbox": [\#(x), 2, 3, 4], "score": 0.5\#(more)}"#
  }

  private let shifted = #"[{"id": 1, "file_name": "2.jpg"}, {"id": 2, "file_name": "3.jpg"}]"#

  @Test func `results that name their files are of these`() throws {
    let rows = [row(2, 20, #", "file_name": "2.jpg""#), row(3, 30, #", "file_name": "3.jpg""#)]
    let read = try results(rows, images: shifted)
    #expect(read.frames.map { $0.faces.map(\.box.x) } == [[20], [30]])
    #expect(
      read.remarks.contains(
        "2 results have a file_name whose image has another id: the name is taken"))
    let right = [row(1, 20, #", "file_name": "2.jpg""#)]
    let asStated = try results(right, images: shifted).remarks
    #expect(!asStated.contains { $0.contains("file_name") })
  }

  @Test func `ids that more names have than images are names`() throws {
    let read = try results([row(2, 20), row(3, 30)], images: shifted)
    #expect(read.frames.map { $0.faces.map(\.box.x) } == [[20], [30]])
    #expect(
      read.remarks.contains(
        "image ids of 2 results are names of images, and of 1 ids: names are taken"))
    // Ids that both have are ids, with a word.
    let both = try results([row(2, 20)], images: shifted)
    #expect(both.frames.map { $0.faces.map(\.box.x) } == [[], [20]])
    #expect(both.remarks.contains { $0.hasPrefix("image ids of the results are ids of the") })
    let plain = #"[{"id": 1, "file_name": "1.jpg"}, {"id": 2, "file_name": "2.jpg"}]"#
    let ofIds = try results([row(2, 20)], images: plain).remarks
    #expect(!ofIds.contains { $0.contains("image ids") })
  }

  @Test func `categories of results that count from 1 are those of labels from 0`() throws {
    let categories = #"[{"id": 0, "name": "face"}, {"id": 1, "name": "mask"}]"#
    let labels = [0, 1].map {
      #"{"id": \#($0), "image_id": 1, "category_id": \#($0), "bbox": [1, 2, 3, 4]}"#
    }.joined(separator: ",")
    let mask = #"{"image_id": 1, "category_id": 2, "bbox": [9, 2, 3, 4], "score": 0.5}"#
    let read = try results(
      [row(1, 5), mask], images: shifted, categories: categories, annotations: labels)
    let faces = read.frames[0].faces.filter { $0.category == 1 }
    #expect(faces.map(\.box.x) == [5])
    // Without the last one nothing tells.
    let one = try results(
      [row(1, 5)], images: shifted, categories: categories, annotations: labels)
    #expect(one.frames[0].faces.filter { $0.category == 1 }.isEmpty)
  }

  @Test func `boxes that CVAT turns by an attribute get the tight box around them`() throws {
    func labels(_ attributes: String) throws -> (frames: [ImportedFrame], remarks: [String]) {
      let text = """
        {"images": [{"id": 1, "file_name": "a.jpg"}], "categories": [{"id": 1, "name": "face"}],
         "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 20, 40, 80],
           "attributes": \(attributes)}]}
        """
      return try readAll(COCOJSON(), [try folder.write(text, to: "labels.json")])
    }
    let turned = try labels(#"{"rotation": 90.0, "track_id": 7}"#)
    let box = try #require(turned.frames[0].faces.first?.box)
    #expect(abs(box.x + 10) < 1e-9 && abs(box.y - 40) < 1e-9)
    #expect(abs(box.width - 80) < 1e-9 && abs(box.height - 40) < 1e-9)
    #expect(turned.frames[0].faces[0].identity == 7)
    #expect(turned.remarks == ["1 boxes with a rotation, as CVAT's, get their tight boxes"])
    let slanted = try labels(#"{"rotation": 45.0}"#)
    #expect(slanted.frames[0].faces.map(\.area) == [3200])
    let upright = try labels(#"{"occluded": false, "rotation": 0.0}"#)
    #expect(
      upright.frames[0].faces.map(\.box) == [BoundingBox(x: 10, y: 20, width: 40, height: 80)])
    #expect(
      upright.remarks == ["lost: unsupported keys of annotations left out: attributes (1)"])
  }

  @Test func `a tracker's box counts where its points are of eyes, nose and mouth alone`() throws {
    try folder.write(Sample.jpeg(9, 9), to: "a.jpg")
    let labels = try folder.write(coco(["a.jpg"]), to: "labels.json")
    _ = try importing(COCOJSON(), labels)
    let points = "[1, 1, 1, 3, 1, 1, 2, 2, 1, 2, 3, 1, 1, 2, 1, 3, 2, 1]"
    let results = try folder.write(
      #"[{"image_id": 0, "category_id": 1, "bbox": [0, 0, 8, 8], "score": 0.5, "keypoints": "#
        + points + "}]", to: "results.json")
    let plan = PredictionsImport(
      format: COCOJSON(), sources: [results, labels], options: ImportOptions(), isStrict: false)
    let summary = try plan.run(
      for: DatasetReader(folder.file("out.h5")), sha256: "ab", into: folder.file("p.h5"),
      replacing: true, advance: { _ in }, isInterrupted: { false })
    #expect(summary.faces == 1)
    let read = try PredictionsReader(folder.file("p.h5")).predictions(0..<1)
    let face = try #require(read[0].faces.first)
    #expect(face.scheme == .blazeface6)
    #expect(face.box == BoundingBox(x: 0, y: 0, width: 8, height: 8))
  }

  // MARK: Pascal VOC

  private func voc(_ name: String, _ attributes: String = "") -> String {
    """
    <annotation><filename>\(name)</filename><object><name>face</name><bndbox><xmin>10</xmin>
    <ymin>20</ymin><xmax>50</xmax><ymax>100</ymax></bndbox>\(attributes)</object></annotation>
    """
  }

  @Test func `objects with a rotation get the tight box around them`() throws {
    let attribute =
      "<attributes><attribute><name>rotation</name><value>90.0</value></attribute></attributes>"
    let file = try folder.write(voc("a.jpg", attribute), to: "a.xml")
    let read = try readAll(PascalVOC(), [file], ImportOptions(indexBase: 0))
    let box = try #require(read.frames[0].faces.first?.box)
    #expect(abs(box.x + 10) < 1e-9 && abs(box.y - 40) < 1e-9)
    #expect(abs(box.width - 80) < 1e-9 && abs(box.height - 40) < 1e-9)
  }

  @Test func `edges of VOC that are fractions count from 0, and those before pixel 1 are named`()
    throws
  {
    func edges(_ left: String, _ top: String, _ right: String, _ bottom: String) -> String {
      "<object><name>face</name><bndbox><xmin>\(left)</xmin><ymin>\(top)</ymin>"
        + "<xmax>\(right)</xmax><ymax>\(bottom)</ymax></bndbox></object>"
    }
    let objects = edges("0.25", "0.5", "0.5", "0.75") + edges("0", "3", "10", "12")
    let text = "<annotation><filename>a.jpg</filename>\(objects)</annotation>"
    let read = try readAll(PascalVOC(), [try folder.write(text, to: "a.xml")], ImportOptions())
    let boxes = read.frames[0].faces.map(\.box)
    #expect(boxes.first == BoundingBox(x: 0.25, y: 0.5, width: 0.25, height: 0.25))
    #expect(boxes.last == BoundingBox(x: -1, y: 2, width: 11, height: 10))
    #expect(read.remarks.contains { $0.hasPrefix("1 boxes begin before pixel 1") })
  }

  // MARK: YOLO

  @Test(arguments: [
    "names: {0: person, 1: face}", "names: {0: 'person', 1: \"face\"}",
    "names: ['person',\n        'face']", "names: [\n  person,\n  face\n]\nnc: 2",
    "names:\n  0: person # bodies\n  1: face  # faces", "names:\n  '0': person\n  '1': face",
    "names :\n- person\n- face", "\"names\":\n  - person\n  - face",
    "names:\n  1: face\n  0: person", "names: # of classes\n  0: person\n  1: face\nnc: 2",
  ])
  func `classes have the names of data yaml in any of its forms`(names: String) throws {
    try folder.write(Sample.png(40, 20), to: "s/a.png")
    try folder.write("0 \(Self.box)\n1 \(Self.box)\n1 \(Self.box)\n", to: "s/a.txt")
    try folder.write("train: images\n\(names)\n", to: "s/data.yaml")
    let read = try readAll(YOLOText(), [folder.file("s")])
    #expect(read.frames[0].faces.map(\.category) == [2, 1, 1])
    #expect(read.remarks.contains("class 1 'face' is taken as faces"))
  }

  // MARK: Names of images

  /// The names of the frames that an import makes, with its remarks.
  private func importing(
    _ format: any DatasetFormat, _ source: URL, images: URL? = nil
  ) throws -> (names: [String], remarks: [String]) {
    let url = folder.file("out.h5")
    let writer = try DatasetWriter(url, name: "out", replacing: true)
    let plan = DatasetImport(
      format: format, sources: [source], options: ImportOptions(imageFolder: images),
      isStrict: false)
    let remarks = try plan.run(into: writer, advance: { _ in }, isInterrupted: { false })
    let reader = try DatasetReader(url)
    return (try reader.frames(0..<reader.frameCount).map(\.name), remarks.map(\.text))
  }

  private func coco(_ names: [String]) -> String {
    let images = names.enumerated().map { #"{"id": \#($0), "file_name": "\#($1)"}"# }
    let faces = names.indices.map {
      #"{"id": \#($0), "image_id": \#($0), "category_id": 1, "bbox": [1, 2, 3, 4]}"#
    }
    return
      #"{"images": [\#(images.joined(separator: ","))], "categories": [{"id": 1, "name": "face"}], "#
      + #""annotations": [\#(faces.joined(separator: ","))]}"#
  }

  @Test(arguments: [
    #"images\\a b.jpg"#, "images/A B.JPG", "images/a%20b.jpg", "images/a b.png", "images/a b",
    #"..\\..\\media\\upload\\4\\a b.jpg"#, "/data/upload/a b.jpg",
  ])
  func `images are found under another spelling of their names`(name: String) throws {
    try folder.write(Sample.jpeg(9, 9), to: "set/images/a b.jpg")
    let labels = try folder.write(coco([name]), to: "set/result.json")
    let found = try ImportSources([folder.file("set")])
    let read = try importing(COCOJSON(), labels, images: found.imageFolder)
    #expect(read.names == ["images/a b.jpg"] || read.names == ["a b.jpg"])
    #expect(read.remarks.contains { $0.hasPrefix("1 images are found under another spelling") })
  }

  @Test(arguments: ["caf\u{E9}.jpg", "caf\u{FFFD}.jpg"])
  func `images whose names are in Latin-1 are found by their bytes`(name: String) throws {
    // The private character stands for the byte E9 of the path.
    let image = "caf\u{EFE9}.jpg"
    try folder.file(image).write(Sample.jpeg(9, 9))
    let labels = try folder.write(coco([name]), to: "labels.json")
    #expect(try importing(COCOJSON(), labels).names == [image])
  }

  @Test func `an image that has labels of its own is not taken for a missing one`() throws {
    try folder.write(Sample.jpeg(9, 9), to: "a.jpg")
    for names in [["a.jpg", "a.png"], ["a.png", "a.jpg"], ["x/a.jpg", "a.jpg"]] {
      let labels = try folder.write(coco(names), to: "labels.json")
      let error = #expect(throws: FileError.self) { try importing(COCOJSON(), labels) }
      #expect(error?.kind == .notFound)
    }
    let labels = try folder.write(coco(["x/a.jpg", "y/a.jpg"]), to: "labels.json")
    #expect(throws: FileError.self) { try importing(COCOJSON(), labels) }
  }

  @Test(arguments: ["a", "DSC_7.jpg", #"images\a.jpg"#, "a.png"])
  func `images of VOC files have the stated name or that of the file`(name: String) throws {
    try folder.write(Sample.jpeg(9, 9), to: "s/images/a.jpg")
    try folder.write(Sample.jpeg(9, 9), to: "s/images/b.jpg")
    try folder.write(voc(name), to: "s/Annotations/a.xml")
    let read = try importing(PascalVOC(), folder.file("s"))
    #expect(read.names == ["a.jpg"])
    #expect(read.remarks.contains { $0.hasPrefix("1 images are found under another spelling") })
  }

  @Test func `what macOS adds to archives is no image, and a folder of others says so`() throws {
    try folder.write(Sample.jpeg(9, 9), to: "s/a.jpg")
    try folder.write("\u{0}\u{5}", to: "s/__MACOSX/._a.jpg")
    #expect(try readAll(ImageFolder(), [folder.file("s")]).frames.map(\.name) == ["a.jpg"])
    try folder.write("x", to: "p/IMG_1.HEIC")
    let error = #expect(throws: FileError.self) { try ImportSources([folder.file("p")]) }
    #expect(error?.description.contains("expected JPEG or PNG images, found IMG_1.HEIC") == true)
  }

  // MARK: Outlines and files alone

  private static let square = "0.25 0.25 0.75 0.25 0.75 0.75 0.25 0.75"

  @Test func `outlines of segments and turned boxes become their tight boxes`() throws {
    try folder.write(Sample.png(40, 20), to: "s/a.png")
    let rows = ["0 \(Self.square)", "0 \(Self.square) 0.5 0.875 0.3 0.125", "0 \(Self.box)"]
    try folder.write(rows.joined(separator: "\n"), to: "s/a.txt")
    let read = try readAll(YOLOText(), [folder.file("s")])
    #expect(
      read.frames[0].faces.map(\.box) == [
        BoundingBox(x: 10, y: 5, width: 20, height: 10),
        BoundingBox(x: 10, y: 2.5, width: 20, height: 15),
        BoundingBox(x: 15, y: 5, width: 10, height: 10),
      ])
    #expect(read.remarks.contains { $0.hasPrefix("2 outlines of segments or turned boxes") })
    let pose = [String](repeating: "0.5 0.4 0.9", count: 17).joined(separator: " ")
    try folder.write("0 \(Self.box) \(pose) 0.75", to: "s/a.txt")
    #expect(throws: FileError.self) { try readAll(YOLOText(), [folder.file("s")]) }
    try folder.write(rows.joined(separator: "\n"), to: "s/a.txt")
    try folder.write("train: .\nkpt_shape: [5, 2]\nnames: [face]\n", to: "s/data.yaml")
    #expect(throws: FileError.self) { try readAll(YOLOText(), [folder.file("s")]) }
  }

  @Test func `a tracker's files need no images`() throws {
    try folder.write("0 \(Self.box) 0.875\n", to: "p/labels/a.b.txt")
    var options = ImportOptions(isLabelsOnly: true)
    options.isPredictions = true
    let read = try readAll(YOLOText(), [folder.file("p")], options)
    #expect(read.frames.map(\.name) == ["labels/a.b.jpg"])
    #expect(read.frames[0].isRelative && read.frames[0].statedSize == nil)
    let box = try #require(read.frames[0].faces.first?.box)
    #expect(box == BoundingBox(x: 0.375, y: 0.25, width: 0.25, height: 0.5))
    #expect(read.frames[0].faces[0].score == 0.875)
    #expect(throws: FileError.self) { try readAll(YOLOText(), [folder.file("p")]) }
    try folder.write("1 1\n5 1\n3 3\n2 5\n4 5\n", to: "q/a.pts")
    options.pointOrder = PointOrder.named("five")
    let points = try readAll(PointsFolder(), [folder.file("q")], options)
    #expect(points.frames.map(\.name) == ["a.jpg"])
  }

  // MARK: Other tools

  @Test(arguments: ["oriented_rectangle", "rotation", "quadrilateral"])
  func `turned rectangles of LabelMe are their tight boxes`(kind: String) throws {
    let text = """
      {"imagePath": "a.jpg", "flags": {}, "shapes": [{"label": "face", "shape_type": "\(kind)",
        "points": [[2, 0], [4, 2], [2, 4], [0, 2]]}]}
      """
    let read = try readAll(LabelMeJSON(), [try folder.write(text, to: "a.json")])
    #expect(read.frames[0].faces.map(\.box) == [BoundingBox(x: 0, y: 0, width: 4, height: 4)])
  }

  @Test func `of a short task of Label Studio the first annotation counts`() throws {
    func row(_ id: Int, _ x: Int) -> String {
      """
      {"image": "/data/upload/1/\(id).jpg", "id": \(id), "annotator": \(x), "label": [{"x": \(x),
       "y": 10, "width": 10, "height": 10, "rectanglelabels": ["face"], "original_width": 100,
       "original_height": 100}]}
      """
    }
    let file = try folder.write("[\(row(1, 5)), \(row(2, 6)), \(row(1, 7))]", to: "min.json")
    let read = try readAll(LabelStudioJSON(), [file])
    #expect(read.frames.map { $0.faces.map(\.box.x) } == [[5], [6]])
    #expect(read.remarks.contains { $0.hasPrefix("lost: 1 annotations left out") })
  }

  @Test func `a draft takes the box's size, not the image's, and the column that names faces`()
    throws
  {
    let sizes = try folder.write(
      "image,width,height,bbox_x,bbox_y,bbox_width,bbox_height\na.jpg,640,480,10,20,30,40\n",
      to: "sizes.csv")
    let draft = try ColumnDraft(sizes).mapping.columns
    #expect(draft["width"] == "bbox_width" && draft["height"] == "bbox_height")
    #expect(draft["image-width"] == "width" && draft["image-height"] == "height")
    let short = try folder.write(
      "image,x,y,w,h,width,height\na.jpg,10,20,30,40,640,480\n", to: "short.csv")
    #expect(try ColumnDraft(short).mapping.columns["width"] == "w")
    try folder.write(Sample.png(40, 20), to: "b.png")
    for (numbers, form) in [("[20, 5, 38, 18]", "xyxy"), ("[20, 5, 18, 13]", "xywh")] {
      let one = try folder.write("image,bbox\nb.png,\"\(numbers)\"\n", to: "one.csv")
      #expect(try ColumnDraft(one).mapping.columns["form"] == form)
    }
    let names = try folder.write(
      "image,xmin,ymin,xmax,ymax,confidence,class,name\na.jpg,1,2,3,4,0.5,0,person\n"
        + "a.jpg,1,2,3,4,0.5,1,face\n", to: "names.csv")
    let named = try ColumnDraft(names).mapping.columns
    #expect(named["label"] == "name" && named["expression"] == nil)
  }
}
