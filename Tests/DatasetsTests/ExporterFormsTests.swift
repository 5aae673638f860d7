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
    #expect(try results(right, images: shifted).remarks.isEmpty)
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
    #expect(try results([row(2, 20)], images: plain).remarks.isEmpty)
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
    let upright = try labels(#"{"occluded": false, "rotation": 0.0}"#)
    #expect(
      upright.frames[0].faces.map(\.box) == [BoundingBox(x: 10, y: 20, width: 40, height: 80)])
    #expect(
      upright.remarks == ["lost: unsupported keys of annotations left out: attributes (1)"])
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
}
