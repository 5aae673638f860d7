import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// CVAT's XML, made here.
@Suite struct CVATTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(
    _ images: String, categories: [String] = [], isPredictions: Bool = false
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    let file = try folder.write(
      "<?xml version=\"1.0\"?>\n<annotations>\n<version>1.1</version>\n\(images)</annotations>\n",
      to: "annotations.xml")
    var options = ImportOptions(categories: categories)
    options.isPredictions = isPredictions
    return try readAll(CVATXML(), [file], options)
  }

  private static func box(
    _ edges: [Double], label: String = "face", more: String = "", inside: String = ""
  ) -> String {
    "<box label=\"\(label)\" occluded=\"1\" xtl=\"\(edges[0])\" ytl=\"\(edges[1])\" xbr=\"\(edges[2])\" "
      + "ybr=\"\(edges[3])\"\(more)>\(inside)</box>\n"
  }

  private static func image(_ name: String, _ shapes: String, more: String = "") -> String {
    "<image id=\"0\" name=\"\(name)\" width=\"64\" height=\"48\"\(more)>\n\(shapes)</image>\n"
  }

  @Test func `boxes have labels, attributes and the size of their image`() throws {
    let shapes =
      Self.box([1, 2, 11, 22], inside: "<attribute name=\"blur\">2</attribute>")
      + Self.box(
        [0, 0, 5, 5], label: "hand", inside: "<attribute name=\"race\">unknown</attribute>")
      + Self.box([0, 0, 5, 5], more: " outside=\"1\"")
      + "<polygon label=\"face\" points=\"31,12;33,14;35,16\"></polygon>"
    let read = try read(
      Self.image("deep/a.jpg", shapes, more: " subset=\"train\"") + Self.image("b.jpg", ""))
    #expect(read.frames.map(\.name) == ["deep/a.jpg", "b.jpg"])
    #expect(read.frames.map(\.splits) == [["train"], []])
    #expect(
      read.frames.map(\.statedSize) == Array(repeating: ImageSize(width: 64, height: 48), count: 2))
    #expect(read.frames[0].image.file == folder.file("deep/a.jpg"))
    let faces = read.frames[0].faces
    #expect(faces.map(\.category) == [1, 2, 1])
    #expect(faces[2].box == BoundingBox(x: 31, y: 12, width: 4, height: 4))
    #expect(faces[0].box == BoundingBox(x: 1, y: 2, width: 10, height: 20))
    #expect(faces[0].attributes == ["occluded": 1, "blur": 2])
    #expect(
      read.remarks == [
        "pixels count from 0, as in CVAT", "of 2 labels 'face' is a face",
        "1 polygons, circles, ellipses and masks are taken as their tight boxes",
        "1 images of subset train are split train", "lost: left out: attribute race (1)",
      ])
    #expect(CVATXML().recognises(folder.file("annotations.xml")) != nil)
    #expect(PascalVOC().recognises(folder.file("annotations.xml")) == nil)
    #expect(
      try DatasetImport.detectFormat(of: [folder.file("annotations.xml")]).format.name == "cvat")
  }

  @Test func `ellipses and masks are their tight boxes, and a cuboid is left out`() throws {
    let read = try read(
      Self.image(
        "a.jpg",
        "<ellipse label=\"face\" cx=\"30\" cy=\"20\" rx=\"10\" ry=\"4\" rotation=\"90\"></ellipse>"
          + "<mask label=\"face\" rle=\"1, 3\" left=\"5\" top=\"6\" width=\"7\" height=\"8\"></mask>"
          + "<cuboid label=\"face\"></cuboid>"))
    let boxes = read.frames[0].faces.map(\.box)
    #expect(abs(boxes[0].width - 8) < 1e-9 && abs(boxes[0].height - 20) < 1e-9)
    #expect(boxes[1] == BoundingBox(x: 5, y: 6, width: 7, height: 8))
    #expect(read.remarks.contains("lost: left out: <cuboid> (1)"))
  }

  @Test func `a turned box gets the tight box around it`() throws {
    let read = try read(
      Self.image("a.jpg", Self.box([10, 20, 30, 60], more: " rotation=\"90\"")))
    let box = read.frames[0].faces[0].box
    for (value, expected) in zip([box.x, box.y, box.width, box.height], [0.0, 30, 40, 20]) {
      #expect(abs(value - expected) < 1e-9)
    }
    let slanted = try self.read(
      Self.image("a.jpg", Self.box([10, 20, 30, 60], more: " rotation=\"45\"")))
    #expect(slanted.frames[0].faces[0].area == 800)
  }

  @Test func `a label of its own for each box takes about as long as one for all`() throws {
    func time(_ label: (Int) -> String) throws -> Duration {
      let images = (0..<400).map { image in
        let boxes = (0..<100).map { Self.box([1, 2, 11, 22], label: label(100 * image + $0)) }
        return Self.image("\(image).jpg", boxes.joined())
      }
      return try ContinuousClock().measure { _ = try read(images.joined()) }
    }
    let one = try time { _ in "face" }
    let each = try time { $0 == 0 ? "face" : "a face of the person of the number \($0)" }
    #expect(each < one * 8, "\(each), and \(one)")
  }

  @Test func `points lie in no box whose turn is beyond all numbers`() throws {
    let points = "<points label=\"marks\" points=\"12,12;14,12;13,13;12,14;14,14\"></points>\n"
    let read = try read(
      Self.image("a.jpg", Self.box([0, 0, 40, 40], more: " rotation=\"1e308\"") + points))
    #expect(read.frames[0].faces.map(\.landmarks.count) == [0, 1])
    #expect(read.frames[0].faces[0].box.isWellFormed == false)
  }

  @Test func `points belong to the smallest box around them, or make a face`() throws {
    let inner = "<points label=\"marks\" points=\"12,12;14,12;13,13;12,14;14,14\"></points>\n"
    let outer = "<points label=\"marks\" points=\"50,2;54,2;52,4;51,6;53,6\"/>\n"
    let three = "<points label=\"marks\" points=\"1,1;2,2;3,3\"/>\n"
    let read = try read(
      Self.image(
        "a.jpg", Self.box([0, 0, 40, 40]) + inner + Self.box([10, 10, 20, 20]) + outer + three))
    let faces = read.frames[0].faces
    #expect(faces.map { $0.landmarks.map(\.scheme) } == [[], [.five], [.five]])
    #expect(faces[2].box == BoundingBox(x: 50, y: 2, width: 4, height: 4))
    #expect(faces.map(\.category) == [1, 1, 1])
    #expect(
      read.remarks.suffix(3) == [
        "2 sets of 5 points are taken as five, as the faces show",
        "1 sets of points outside of boxes get their tight boxes",
        "lost: left out: sets of 3 points (1)",
      ])
  }

  @Test func `points of a group belong to its box`() throws {
    let points =
      "<points label=\"face\" points=\"12,12;14,12;13,13;12,14;14,14\" group_id=\"7\"></points>\n"
    func box(_ edges: [Double], group: Int) -> String {
      Self.box(edges).replacing("<box ", with: "<box group_id=\"\(group)\" ")
    }
    for group in [7, 0] {
      let image = Self.image(
        "a.jpg", box([0, 0, 40, 40], group: group) + box([10, 10, 20, 20], group: 8) + points)
      let faces = try read(image).frames[0].faces
      #expect(faces.map { $0.landmarks.isEmpty } == (group == 7 ? [false, true] : [true, false]))
    }
  }

  @Test func `an attribute score is the score of a tracker's output`() throws {
    let shape = Self.box([1, 2, 3, 4], inside: "<attribute name=\"score\">0.25</attribute>")
    let image = Self.image("a.jpg", shape)
    #expect(try read(image, isPredictions: true).frames[0].faces[0].score == 0.25)
    #expect(try read(image).frames[0].faces[0].score == nil)
  }

  @Test func `several labels are faces if they are named`() throws {
    let image = Self.image(
      "a.jpg", Self.box([1, 2, 3, 4], label: "mask") + Self.box([1, 2, 3, 4], label: "bare"))
    let faces = try read(image, categories: ["all"]).frames[0].faces
    #expect(faces.map(\.category) == [1, 1] && faces.map(\.categoryName) == ["mask", "bare"])
    #expect(throws: FileError.self) { try read(image) }
  }

  static let errors: [(text: String, message: String)] = [
    (
      "<track id=\"0\" label=\"face\"><box frame=\"0\"/></track>",
      ", line 4: expected numbers xtl to xbr and ytl to ybr in <box>, found others"
    ),
    (
      "<track id=\"0\"><points points=\"1,2\"/></track>",
      ", line 4: expected <points frame='...'> in <track>, found no frame"
    ),
    ("", ": expected <image> or <track> elements of CVAT, found none"),
    ("<image id=\"0\"/>", ", line 4: expected <image name='...'>, found no name"),
    (
      image("a.jpg", box([3, 2, 1, 4])),
      ", line 5: expected numbers xtl to xbr and ytl to ybr in <box>, found others"
    ),
    (
      image("a.jpg", "<box label=\"face\" xtl=\"1\"/>"),
      ", line 5: expected numbers xtl to xbr and ytl to ybr in <box>, found others"
    ),
    (
      image("a.jpg", "<points label=\"face\" points=\"1,2;3\"/>"),
      ", line 5: expected points x,y;x,y in <points>, found others"
    ),
    ("<image id=\"0\" name=\"a.jpg\">", ", line 4: expected XML, found a syntax error"),
  ]

  @Test(arguments: errors.indices)
  func `what is wrong in CVAT's XML is one line with its position`(index: Int) throws {
    let (text, message) = Self.errors[index]
    let error = #expect(throws: FileError.self, "\(message)") { try read(text) }
    #expect(error?.line(from: folder) == "cannot read annotations.xml\(message)")
    #expect(error?.kind == .wrongData)
  }
}
