import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// YOLO's columns after box and points, its classes, white space and splits.
@Suite struct YOLOColumnTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let box = "0.5 0.5 0.25 0.5"

  private func yolo(
    _ files: [String], isPredictions: Bool = true, categories: [String] = []
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    for (index, text) in files.enumerated() {
      try folder.write(Sample.png(40, 20), to: "s/\(index).png")
      try folder.write(text, to: "s/\(index).txt")
    }
    var options = ImportOptions(categories: categories)
    options.isPredictions = isPredictions
    options.pointOrder = PointOrder.named("five")
    return try readAll(YOLOText(), [folder.file("s")], options)
  }

  /// The columns after the box of each file, and what they are: score, identity.
  static let columns: [(files: [[String]], scores: [Double?], identities: [Int?])] = [
    ([["", ""]], [nil, nil], [nil, nil]),
    ([["0.9", "0.5"]], [0.9, 0.5], [nil, nil]),
    ([["1", "1"]], [1, 1], [nil, nil]),
    ([["1", "0"]], [1, 0], [nil, nil]),
    ([["1"], ["2"]], [nil, nil], [1, 2]),
    ([["0", "1"], ["0", "1"]], [nil, nil, nil, nil], [0, 1, 0, 1]),
    ([["0", "0"], ["1", "1"]], [0, 0, 1, 1], [nil, nil, nil, nil]),
    ([["-1"], ["1"]], [nil, nil], [nil, 1]),
    ([["0"], ["1"]], [0, 1], [nil, nil]),
    ([["0 0.9", "1 0.8"], ["0 0.7"]], [0.9, 0.8, 0.7], [0, 1, 0]),
    ([["1"], ["0.5"]], [1, 0.5], [nil, nil]),
    ([["0.9 1"], ["0.8 2"]], [0.9, 0.8], [1, 2]),
    ([["0.9 1", "0.8 1"]], [0.9, 0.8], [1, 1]),
    ([["7 0.9"], ["8 0.8"]], [0.9, 0.8], [7, 8]),
    ([["0.9 7"], ["0.8"]], [0.9, 0.8], [7, nil]),
    ([["7"], [""]], [nil, nil], [7, nil]),
    ([["87.5", "3"]], [87.5, 3], [nil, nil]),
  ]

  @Test(arguments: columns.indices, ["", " 0.1 0.2" + " 0.3 0.4" + " 0.5 0.6 0.7 0.8 0.9 0.9"])
  func `all rows tell whether the last columns are confidences or tracks`(
    index: Int, points: String
  ) throws {
    let (files, scores, identities) = Self.columns[index]
    let read = try yolo(
      files.map { rows in rows.map { "0 \(Self.box)\(points) \($0)\n" }.joined() })
    let faces = read.frames.flatMap(\.faces)
    #expect(faces.map(\.score) == scores)
    #expect(faces.map(\.identity) == identities)
    #expect(faces.allSatisfy { $0.landmarks.isEmpty == points.isEmpty })
    #expect(
      read.remarks.contains { $0.hasSuffix("taken as identities of tracks") }
        == identities.contains { $0 != nil })
  }

  @Test func `the third numbers of a result's points are confidences, of labels flags`() throws {
    let points = (0..<5).map { "0.1 0.2 0.\($0)" }.joined(separator: " ")
    let tracked = try yolo(["0 \(Self.box) \(points) 7\n0 \(Self.box) \(points) 8\n"])
    #expect(
      tracked.frames[0].faces.map { $0.landmarks[0].visibility }
        == Array(repeating: Array(repeating: .visible, count: 5), count: 2))
    #expect(tracked.frames[0].faces.map(\.identity) == [7, 8])
    let flags = ["2", "1", "0", "2", "2"].map { "0.1 0.2 \($0)" }.joined(separator: " ")
    for isPredictions in [false, true] {
      let read = try yolo(["0 \(Self.box) \(flags)\n"], isPredictions: isPredictions)
      #expect(
        read.frames[0].faces[0].landmarks[0].visibility
          == [.visible, .occluded, .notLabelled, .visible, .visible])
    }
  }

  @Test(arguments: [
    "0\t0.5\t0.5\t0.25\t0.5\n", "0.0 0.5 0.5 0.25 0.5\n", " 0  0.5 \t0.5 0.25 0.5 \r\n\t\r\n",
  ])
  func `any white space separates, and a class may have a fraction of 0`(text: String) throws {
    let read = try yolo([text], isPredictions: false)
    #expect(
      read.frames[0].faces == [FaceLabel(box: BoundingBox(x: 15, y: 5, width: 10, height: 10))])
    #expect(YOLOText().recognises(folder.file("s")) != nil)
  }

  @Test func `the only class of files without names is the face`() throws {
    let read = try yolo(["3 \(Self.box)\n", "3 \(Self.box)\n"])
    #expect(read.frames.flatMap(\.faces).map(\.category) == [1, 1])
    #expect(read.remarks.contains("the only class, 3, is taken as faces"))
    let several = try yolo(["3 \(Self.box)\n", "0 \(Self.box)\n"], categories: ["all"])
    #expect(several.frames.flatMap(\.faces).map(\.category) == [1, 1])
    let chosen = try yolo(["3 \(Self.box)\n", "0 \(Self.box)\n"], categories: ["3"])
    #expect(chosen.frames.flatMap(\.faces).map(\.category) == [1, 4])
    #expect(throws: FileError.self) { try yolo(["3 \(Self.box)\n", "0 \(Self.box)\n"]) }
  }

  @Test func `faces of several classes keep the names of their classes`() throws {
    try folder.write("names: [with_mask, without_mask, cat]\n", to: "s/data.yaml")
    let rows = (0..<3).map { "\($0) \(Self.box)\n" }.joined()
    let read = try yolo([rows], categories: ["with_mask", "without_mask"])
    #expect(read.frames[0].faces.map(\.category) == [1, 1, 3])
    #expect(read.frames[0].faces.map(\.categoryName) == ["with_mask", "without_mask", nil])
  }

  @Test func `folders named train, valid and test are splits`() throws {
    for (name, split) in [("a", "train"), ("b", "valid"), ("c", "test"), ("d", "other")] {
      try folder.write(Sample.png(40, 20), to: "s/\(split)/images/\(name).png")
      try folder.write("0 \(Self.box)\n", to: "s/\(split)/labels/\(name).txt")
      try folder.write(
        "<annotation><filename>\(name).png</filename></annotation>", to: "v/\(split)/\(name).xml")
    }
    for read in [
      try readAll(YOLOText(), [folder.file("s")]),
      try readAll(PascalVOC(), [folder.file("v")]),
    ] {
      #expect(
        read.frames.map(\.splits).sorted { $0.count < $1.count }.map(\.count) == [0, 1, 1, 1])
      #expect(Set(read.frames.flatMap(\.splits)) == ["train", "valid", "test"])
      #expect(read.remarks.contains("folders are splits: test (1), train (1), valid (1)"))
    }
  }

  @Test func `an image may have the name of a list, whose file then holds its labels`() throws {
    for name in ["a", "test", "train"] {
      try folder.write(Sample.png(40, 20), to: "s/images/\(name).png")
      try folder.write("0 \(Self.box)\n", to: "s/labels/\(name).txt")
    }
    try folder.write("images/a.png\nimages/train.png\n", to: "s/train.txt")
    let read = try readAll(YOLOText(), [folder.file("s")])
    #expect(read.frames.map(\.name) == ["a", "test", "train"].map { "images/\($0).png" })
    #expect(read.frames.map(\.faces.count) == [1, 1, 1])
    #expect(read.remarks.allSatisfy { !$0.contains("label file") })
  }

  @Test func `output of which no file has an image's name is no output without faces`() throws {
    try folder.write(Sample.png(40, 20), to: "s/images/train/a.png")
    try folder.write("0 \(Self.box) 0.5\n", to: "p/labels/a.txt")
    var options = ImportOptions(imageFolder: folder.file("s/images"))
    options.isPredictions = true
    let error = #expect(throws: FileError.self) {
      try readAll(YOLOText(), [folder.file("p")], options)
    }
    #expect(
      error?.line(from: folder)
        == "cannot import p: expected text files with the names of its 1 images, next to them "
        + "or in labels instead of images, found 1 of other names (without --images they are "
        + "joined to the frames of the dataset)")
    options.imageFolder = folder.file("s/images/train")
    #expect(try readAll(YOLOText(), [folder.file("p")], options).frames[0].faces.count == 1)
  }

  @Test func `what Roboflow writes of its export is no label file`() throws {
    try folder.write(Sample.png(40, 20), to: "s/train/images/a.png")
    try folder.write("0 \(Self.box)\n", to: "s/train/labels/a.txt")
    for name in ["dataset", "roboflow"] { try folder.write("x\n", to: "s/README.\(name).txt") }
    let remarks = try readAll(YOLOText(), [folder.file("s")]).remarks
    #expect(remarks.allSatisfy { !$0.contains("label file") })
  }

  /// Boxes of five images, as fractions of corners, and what order would put them inside.
  static let orders:
    [(row: @Sendable (Double, Double, Double, Double) -> [Double], remark: String?)] = [
      ({ [($0 + $2) / 2, ($1 + $3) / 2, $2 - $0, $3 - $1] }, nil),
      ({ [$0, $1, $2, $3] }, "class x1 y1 x2 y2 (--repair corner --repair corners)"),
      (
        { [$0, $1, $2 - $0, $3 - $1] },
        "class x y width height with x and y of the corner (--repair corner)"
      ),
      (
        { [0.9, ($0 + $2) / 2, ($1 + $3) / 2, $2 - $0, $3 - $1] },
        "class confidence x y width height (write them as class x y width height confidence)"
      ),
    ]

  @Test(arguments: orders.indices)
  func `boxes that leave their images tell the order of the numbers`(index: Int) throws {
    let corners = [
      (0.1, 0.1, 0.4, 0.6), (0.2, 0.1, 0.6, 0.9), (0.05, 0.2, 0.5, 0.7), (0.6, 0.5, 0.9, 0.95),
      (0.3, 0.3, 0.9, 0.8), (0.1, 0.5, 0.3, 0.9),
    ]
    let (row, remark) = Self.orders[index]
    let rows = corners.map { box in
      "0 " + row(box.0, box.1, box.2, box.3).map { "\($0)" }.joined(separator: " ")
    }
    let remarks = try yolo(rows).remarks.filter { $0.contains("reach outside of their images") }
    #expect(remarks.count == (remark == nil ? 0 : 1))
    if let remark { #expect(remarks.first?.hasSuffix("if rows were \(remark)") == true) }
  }
}
