import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Folders of training, validation and test images stay splits, whatever the format of their labels.
@Suite struct SplitFolderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let parts = ["train", "valid", "test"]

  private func imported(
    _ source: String, as format: (any DatasetFormat)? = nil
  ) throws -> (splits: [String: [String]], remarks: [String]) {
    let found = try ImportSources([folder.file(source)], as: format)
    let url = folder.file("out.h5")
    let writer = try DatasetWriter(url, name: "out", replacing: true)
    var plan = DatasetImport(
      format: found.format, sources: found.sources,
      options: ImportOptions(imageFolder: found.imageFolder), isStrict: true)
    (plan.folders, plan.splits) = (found.folders, found.splits)
    let remarks = try plan.run(into: writer, advance: { _ in }, isInterrupted: { false })
    let dataset = try DatasetReader(url)
    #expect(dataset.withoutImageCount == 0)
    let names = try dataset.frames(0..<dataset.frameCount).map(\.name)
    let splits = try dataset.splits.map { split in
      (split.name, try dataset.split(split.name).map { names[$0] })
    }
    return (Dictionary(uniqueKeysWithValues: splits), remarks.map(\.text))
  }

  private func coco(_ name: String) -> String {
    COCOTests.document(
      #"{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}"#,
      images: #"[{"id": 1, "file_name": "\#(name)"}]"#,
      categories: #"[{"id": 1, "name": "face"}]"#)
  }

  @Test(arguments: [nil, COCOJSON()] as [(any DatasetFormat)?])
  func `a COCO file in each folder is a split`(format: (any DatasetFormat)?) throws {
    for part in Self.parts {
      try folder.write(Sample.png(9, 9), to: "set/\(part)/0.png")
      try folder.write(coco("0.png"), to: "set/\(part)/_annotations.coco.json")
    }
    let read = try imported("set", as: format)
    #expect(
      read.splits == ["train": ["train/0.png"], "valid": ["valid/0.png"], "test": ["test/0.png"]])
    #expect(read.remarks.contains("folders are splits: test (1), train (1), valid (1)"))
  }

  @Test func `a COCO file for each folder of images is a split`() throws {
    for part in ["train", "val"] {
      try folder.write(Sample.png(9, 9), to: "set/images/\(part)2017/\(part).png")
      try folder.write(coco("\(part).png"), to: "set/annotations/instances_\(part)2017.json")
    }
    #expect(
      try imported("set").splits == ["train": ["train/train.png"], "val": ["val/val.png"]])
  }

  @Test func `the labels of all splits tell which are faces, not those of each`() throws {
    for (part, labels) in [("train", ["face", "hand"]), ("val", ["hand", "ear"])] {
      try folder.write(Sample.png(9, 9), to: "set/\(part)/\(part).png")
      let boxes = labels.map {
        "<box label=\"\($0)\" xtl=\"1\" ytl=\"1\" xbr=\"5\" ybr=\"5\"></box>"
      }
      try folder.write(
        "<annotations><image name=\"\(part).png\" width=\"9\" height=\"9\">"
          + boxes.joined() + "</image></annotations>", to: "set/\(part)/annotations.xml")
    }
    #expect(try imported("set").splits == ["train": ["train/train.png"], "val": ["val/val.png"]])
    let faces = try DatasetReader(folder.file("out.h5")).labels(0..<2)
    #expect(faces.map { $0.map { $0.category == 1 } } == [[true, false], [false, false]])
    #expect(faces[0][1].category == faces[1][0].category)
  }

  @Test func `images are found though only the user knows which labels are faces`() throws {
    try folder.write(Sample.png(9, 9), to: "set/images/0.png")
    let rows = (1...2).map { #"{"image_id": 1, "category_id": \#($0), "bbox": [1, 2, 3, 4]}"# }
    try folder.write(
      COCOTests.document(
        rows.joined(separator: ","), images: #"[{"id": 1, "file_name": "0.png"}]"#,
        categories: #"[{"id": 1, "name": "head"}, {"id": 2, "name": "hand"}]"#),
      to: "set/annotations/labels.json")
    let found = try ImportSources([folder.file("set")])
    #expect(found.imageFolder?.lastPathComponent == "images")
  }

  @Test func `files of one split, or next to others, stay a question`() throws {
    for name in ["train/a.json", "train/b.json"] {
      try folder.write(Sample.png(9, 9), to: "set/train/0.png")
      try folder.write(coco("0.png"), to: "set/\(name)")
    }
    #expect(throws: FileError.self) { try ImportSources([folder.file("set")]) }
    try folder.write(coco("0.png"), to: "set/valid/a.json")
    try FileManager.default.removeItem(at: folder.file("set/train/b.json"))
    #expect(throws: FileError.self, "images of valid are not found") {
      try ImportSources([folder.file("set")])
    }
  }

  @Test func `one file whose images lie in folders of splits keeps them`() throws {
    for part in Self.parts { try folder.write(Sample.png(9, 9), to: "set/\(part)/\(part).png") }
    let rows = (1...3).map { #"{"image_id": \#($0), "category_id": 1, "bbox": [1, 2, 3, 4]}"# }
    let images = Self.parts.enumerated().map {
      #"{"id": \#($0.offset + 1), "file_name": "\#($0.element)/\#($0.element).png"}"#
    }
    try folder.write(
      COCOTests.document(
        rows.joined(separator: ","), images: "[\(images.joined(separator: ","))]",
        categories: #"[{"id": 1, "name": "face"}]"#), to: "set/labels.json")
    #expect(try Set(imported("set").splits.keys) == Set(Self.parts))
  }

  static let descriptions = [
    "train: images/one\nval: images/two\ntest: # none\nnames: [face]\n",
    "path: ../set\ntrain: [images/one]  # pictures\nval:\n  - images/two\nnames:\n  0: face\n",
    "path: /data/faces/set\ntrain: ../images/one/\nval: ./images/two\nnames: ['face']\n",
    "train: one.txt\nval: two.txt\nnames: [face]\n",
    "classes = 1\ntrain  = data/one.txt\nval = data/two.txt\nnames = data/obj.names\n",
  ]

  @Test(arguments: descriptions)
  func `a YOLO description says which images are which split`(text: String) throws {
    for (part, name) in [("one", "a"), ("two", "b")] {
      try folder.write(Sample.png(40, 20), to: "set/images/\(part)/\(name).png")
      try folder.write("0 0.5 0.5 0.2 0.2\n", to: "set/labels/\(part)/\(name).txt")
      if text.contains(".txt") {
        try folder.write("./images/\(part)/\(name).png\n", to: "set/\(part).txt")
      }
    }
    let name = text.contains("=") ? "obj.data" : "data.yaml"
    try folder.write(text, to: "set/\(name)")
    if text.contains(".txt") {
      try FileManager.default.removeItem(at: folder.file("set/two.txt"))
      try folder.write("images/two/b.png\n  \nimages\ngone.png\n", to: "set/two.txt")
    }
    for source in ["set", "set/\(name)"] {
      #expect(
        try imported(source).splits == ["train": ["images/one/a.png"], "val": ["images/two/b.png"]])
    }
  }

  @Test func `a YOLO description whose splits are the same folder has none`() throws {
    try folder.write(Sample.png(40, 20), to: "set/images/a.png")
    try folder.write("0 0.5 0.5 0.2 0.2\n", to: "set/labels/a.txt")
    let cases: [(text: String, splits: [String: [String]])] = [
      ("train: images\nval: images\n", [:]), ("train: images\n", ["train": ["images/a.png"]]),
    ]
    for (text, splits) in cases {
      try folder.write("\(text)names: [face]\n", to: "set/data.yaml")
      #expect(try imported("set").splits == splits)
    }
  }

  @Test func `the lists of Pascal VOC are splits`() throws {
    for name in ["a", "b", "c"] {
      try folder.write(Sample.png(9, 9), to: "set/VOC2012/JPEGImages/\(name).png")
      try folder.write(
        "<annotation><filename>\(name).png</filename><object><name>face</name><bndbox><xmin>1</xmin>"
          + "<ymin>1</ymin><xmax>5</xmax><ymax>5</ymax></bndbox></object></annotation>",
        to: "set/VOC2012/Annotations/\(name).xml")
    }
    let lists = "set/VOC2012/ImageSets/Main"
    try folder.write("a\nb\n", to: "\(lists)/train.txt")
    try folder.write("c\r\n", to: "\(lists)/val.txt")
    try folder.write("a\nb\nc\n", to: "\(lists)/trainval.txt")
    try folder.write("a 1\nb -1\n", to: "\(lists)/face_train.txt")
    let expected = ["train": ["a.png", "b.png"], "val": ["c.png"]]
    #expect(try imported("set").splits == expected)
    #expect(try imported("set/VOC2012/Annotations").splits == expected)
    try folder.write("c\ngone\n", to: "\(lists)/val.txt")
    let read = try readAll(PascalVOC(), [folder.file("set")])
    #expect(
      read.remarks.contains(
        "lost: 1 names of ImageSets/Main without an annotation file left out"))
    try folder.write("a\nempty\n", to: "\(lists)/default.txt")
    let listed = try readAll(PascalVOC(), [folder.file("set")])
    #expect(listed.frames.map(\.splits) == [["train"], ["train"], ["val"]])
    #expect(
      listed.remarks.contains(
        "lost: 2 names of ImageSets/Main without an annotation file left out"))
    let one = try readAll(PascalVOC(), [folder.file("set/VOC2012/Annotations/a.xml")])
    #expect(one.frames.map(\.splits) == [["train"]])
  }
}
