import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// MOT Challenge's and OTB's boxes, made here.
@Suite struct TrackBoxTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func mot(
    _ text: String, as name: String = "out.txt", isPredictions: Bool = false,
    categories: [String] = []
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    var options = ImportOptions(categories: categories)
    options.isPredictions = isPredictions
    return try readAll(MOTChallenge(), [folder.write(text, to: name)], options)
  }

  private func otb(
    _ text: String, as name: String = "S/groundtruth_rect.txt", labelsOnly: Bool = true
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(
      OTBSequence(), [folder.write(text, to: name)], ImportOptions(isLabelsOnly: labelsOnly))
  }

  @Test func `frames and pixels count from 1, a confidence of -1 is none`() throws {
    let read = try mot(
      "3,7,11,21,5,6,-1,-1,-1,-1\n1,7,1,1,5,6,0.5,-1,-1,-1\n1,-1,1.5,1,5,6,0,2,3,4\n")
    #expect(read.frames.map(\.number) == [0, 1, 2])
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 33_333, 66_667])
    #expect(read.frames.map { $0.faces.map(\.score) } == [[0.5, 0], [], [nil]])
    #expect(read.frames[0].faces.map(\.identity) == [7, nil])
    #expect(read.frames[0].faces[1].attributes == ["worldX": 2, "worldY": 3, "worldZ": 4])
    #expect(read.frames[2].faces[0].box == BoundingBox(x: 10, y: 20, width: 5, height: 6))
    #expect(read.frames.allSatisfy { $0.faces.allSatisfy { !$0.isIgnored } })
    #expect(
      read.remarks.last
        == "out: taken as a tracker's output, where a confidence of -1 is none")
  }

  @Test func `fractions count from 0, whatever the first pixel is`() throws {
    let read = try mot("1,7,0.5,0.25,0.125,0.5,0.5,-1,-1,-1\n2,7,11,21,5,6,0.5,-1,-1,-1\n")
    let boxes = read.frames.flatMap { $0.faces.map(\.box) }
    #expect(boxes.count == 2)
    #expect(boxes.first == BoundingBox(x: 0.5, y: 0.25, width: 0.125, height: 0.5))
    #expect(boxes.last == BoundingBox(x: 10, y: 20, width: 5, height: 6))
  }

  @Test func `in ground truth a confidence of 0 is to be ignored, nine fields have a class`() throws
  {
    let read = try mot("1,1,1,1,5,6,1,1,0.75\n1,2,1,1,5,6,0,12,1\n", as: "Seq/gt/gt.txt")
    #expect(read.frames[0].name == "Seq/1" && read.frames[0].begins?.name == "Seq")
    #expect(read.frames[0].faces.map(\.isIgnored) == [false, true])
    #expect(read.frames[0].faces.map(\.category) == [1, 12])
    #expect(read.frames[0].faces.map(\.score) == [nil, nil])
    #expect(read.frames[0].faces[0].attributes == ["visibility": 0.75])
    #expect(
      read.remarks.suffix(2) == [
        "Seq: taken as ground truth, where a confidence of 0 means to ignore the box: 1 boxes",
        "Seq: the class of a box is its category; faces are class 1, others are not (--category): 12 (1)",
      ])
  }

  @Test(arguments: [
    "1,1,1,1,5,6,0.5\n1,2,1,1,5,6,0\n", "1,1,1,1,5,6,0.5,1\n1,2,1,1,5,6,0,1\n",
    "1,1,1,1,5,6,0.5,1,-1\n1,2,1,1,5,6,0,1,-1\n", "1,1,1,1,5,6,0.5,0,0.5\n1,2,1,1,5,6,0,0,1\n",
    "1,1,1,1,5,6,0.5,-1,-1\n1,2,1,1,5,6,0,-1,-1\n",
    "1,1,1,1,5,6,0.5,-1,-1,-1\n1,2,1,1,5,6,0,-1,-1,-1\n",
    "1,1,1,1,5,6,0.5,3,1,-1\n1,2,1,1,5,6,0,3,1,-1,\n",
    "1 1 1 1 5 6 0.5 -1 -1 -1 \n1 2 1 1 5 6 0 -1 -1 -1 \n",
    "1\t1\t1\t1\t5\t6\t0.5\n1\t2\t1\t1\t5\t6\t0\n",
    "0,1,1,1,5,6,0.5,-1,-1,-1\n0,2,1,1,5,6,0,-1,-1,-1\n",
    "1.0,1.0,1,1,5,6,0.5,nan,-nan(ind),inf\n1.0,2.0,1,1,5,6,0,nan,nan,nan\n",
  ])
  func `a tracker's output has scores, whatever its columns, separators and first frame`(
    text: String
  ) throws {
    for name in ["out.txt", "gt.txt"] {
      let read = try mot(text, as: name, isPredictions: true)
      #expect(read.frames.map(\.number) == [0])
      #expect(read.frames[0].faces.map(\.score) == [0.5, 0])
      #expect(read.frames[0].faces.map(\.identity) == [1, 2])
      #expect(read.frames[0].faces.allSatisfy { $0.category == 1 && !$0.isIgnored })
      #expect(read.frames[0].faces[0].box == BoundingBox(x: 0, y: 0, width: 5, height: 6))
    }
    #expect(MOTChallenge().recognises(folder.file("out.txt")) != nil)
  }

  @Test func `ten columns have a class or the world`() throws {
    let classes = try mot("1,1,1,1,5,6,1,1,-1,-1\n2,2,1,1,5,6,1,3,0.5,-1\n", as: "gt/gt.txt")
    #expect(classes.frames.map { $0.faces.map(\.category) } == [[1], [3]])
    #expect(classes.frames.map { $0.faces[0].attributes } == [[:], ["visibility": 0.5]])
    for row in ["3,1.5,-1", "3,1,0", "2.5,1,-1"] {
      let world = try mot("1,1,1,1,5,6,1,1,-1,-1\n2,2,1,1,5,6,1,\(row)\n", as: "gt/gt.txt")
      #expect(world.frames.map { $0.faces.map(\.category) } == [[1], [1]])
      #expect(world.frames.map { $0.faces[0].attributes.count } == [3, 3], "\(row)")
    }
  }

  @Test(arguments: ["", ",1", ",1,-1"])
  func `a class of any category is one, in 8 to 10 columns`(more: String) throws {
    let read = try mot("1,1,1,1,5,6,1,1\(more)\n1,2,1,1,5,6,1,1203\(more)\n", as: "gt/gt.txt")
    #expect(read.frames[0].faces.map(\.category) == [1, 1203])
  }

  /// A search through all classes for each row took minutes.
  @Test(.timeLimit(.minutes(1)))
  func `many classes that are faces take time in proportion to the rows`() throws {
    let rows = (2...50_001).map { "1,\($0),1,1,5,6,1,\($0),1\n" }
    let read = try mot(rows.joined(), as: "gt/gt.txt", categories: ["all"])
    #expect(read.frames[0].faces.allSatisfy { $0.category == 1 })
    #expect(read.frames[0].faces.count == 50_000)
  }

  @Test func `an eighth column that is none of classes is counted as left out`() throws {
    let read = try mot("1,1,1,1,5,6,0.5,0.25\n1,2,1,1,5,6,0.5,1\n1,3,1,1,5,6,0.5,-1\n")
    #expect(read.frames[0].faces.map(\.category) == [1, 1, 1])
    #expect(
      read.remarks.filter { $0.hasPrefix("lost:") } == [
        "lost: out: 2 values of the eighth column left out, as not all are classes"
      ])
  }

  static let classes: [(used: [Int], chosen: [String], given: [Int]?, found: String)] = [
    ([3, 3], [], [1, 1], ""), ([0, 0], [], [1, 1], ""), ([1, 4], [], [1, 4], ""),
    ([0, 4], ["4"], [0, 1], ""), ([1, 4], ["4"], [4, 1], ""), ([0, 2], ["all"], [1, 1], ""),
    (
      [0, 2], [], nil,
      "named face, or --category with the name or number of the one that is, or 'all', found 0, 2"
    ),
    (
      [0, 1], [], nil,
      "named face, or --category with the name or number of the one that is, or 'all', found 0, 1"
    ),
    ([1, 2], ["7"], nil, "'7' (--category), found 1, 2"),
  ]

  @Test(arguments: classes.indices)
  func `the only class is the face, of several the named one, else class 1 of a challenge`(
    index: Int
  ) throws {
    let (used, chosen, given, found) = Self.classes[index]
    let text = used.map { "1,\($0),1,1,5,6,1,\($0),1\n" }.joined()
    if let given {
      let read = try mot(text, categories: chosen)
      return #expect(read.frames[0].faces.map(\.category) == given)
    }
    let error = #expect(throws: FileError.self) { try mot(text, categories: chosen) }
    #expect(error?.line(from: folder) == "cannot read out.txt: expected one category " + found)
  }

  @Test func `labels of CVAT name the classes`() throws {
    try folder.write("person\nface\n", to: "S/labels.txt")
    let read = try mot("1,1,1,1,5,6,1,1,1\n1,2,1,1,5,6,1,2,1\n", as: "S/gt.txt")
    #expect(read.frames[0].faces.map(\.category) == [2, 1])
    #expect(
      read.remarks.last
        == "S: the class of a box is its category; faces are class 2 'face', others are not "
        + "(--category): 1 (1)")
  }

  @Test func `where labels of CVAT name a face, a clip of hands has none`() throws {
    let rows = "1,1,1,1,5,6,1,1,1\n"
    func areFaces(_ frames: [ImportedFrame]) -> [[Bool]] {
      frames.map { $0.faces.map { $0.category == 1 } }
    }
    try folder.write("hand\nface\n", to: "S/labels.txt")
    #expect(try areFaces(mot(rows, as: "S/gt.txt").frames) == [[false]])
    try folder.write("hand\n", to: "T/labels.txt")
    #expect(try areFaces(mot(rows, as: "T/gt.txt").frames) == [[true]])
    let files = ["S/gt.txt", "T/gt.txt"].map(folder.file)
    #expect(try areFaces(readAll(MOTChallenge(), files).frames) == [[false], [false]])
  }

  @Test func `seqinfo tells name, rate, length and images`() throws {
    try folder.write(
      "[Sequence]\r\nname=MOT17-02\r\nimDir=img1\r\nframeRate=10\r\nseqLength=3\r\nimExt=.jpg\r\n",
      to: "Seq/seqinfo.ini")
    try folder.write("", to: "Seq/img1/000001.jpg")
    let read = try mot("2,1,1,1,5,6,1,1,1\n", as: "Seq/gt/gt.txt")
    #expect(read.frames.map(\.faces.count) == [0, 1, 0])
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 100_000, 200_000])
    #expect(read.frames[2].name == "MOT17-02/000003.jpg")
    #expect(read.frames[2].image.file?.path == folder.file("Seq/img1/000003.jpg").path)
    #expect(read.frames[0].begins?.framesPerSecond == 10)
    let error = #expect(throws: FileError.self) {
      try mot("4,1,1,1,5,6,1,1,1\n", as: "Seq/gt/gt.txt")
    }
    #expect(
      error?.line(from: folder)
        == "cannot read Seq/gt/gt.txt: expected frames up to 3, the seqLength of seqinfo.ini, found 4"
    )
    try folder.write("frameRate=0\n", to: "Seq/seqinfo.ini")
    let rate = #expect(throws: FileError.self) {
      try mot("1,1,1,1,5,6,1,1,1\n", as: "Seq/gt/gt.txt")
    }
    #expect(
      rate?.line(from: folder)
        == "cannot read Seq/seqinfo.ini: expected framerate of 0.001 to 100000, found '0'")
  }

  static let motErrors: [(text: String, message: String)] = [
    ("", "out.txt: expected boxes, found none"),
    ("1,1,1,1,5,6\n", "out.txt, line 1: expected 7 to 10 fields, found '6'"),
    ("1,1,1,1,5,6,1\n1,1,1,1,5,6,1,1\n", "out.txt, line 2: expected 7 fields, found '8'"),
    ("-1,1,1,1,5,6,1\n", "out.txt, line 1: expected a frame of 0 to 1048576, found '-1'"),
    ("9e9,1,1,1,5,6,1\n", "out.txt, line 1: expected a frame of 0 to 1048576, found '9e9'"),
    ("1,0.5,1,1,5,6,1\n", "out.txt, line 1: expected a whole id of -1 or more, found '0.5'"),
    (
      "1,1,1,1,-5,6,1\n", "out.txt, line 1: expected a box of non-negative size, found '1,1,-5,6'"
    ),
    ("1,1,1,1,5,nan,1\n", "out.txt, line 1: expected a number in column 6, found 'nan'"),
    (
      "1,1,1,1,5,6,1,0.5,1\n",
      "out.txt, line 1: expected a class of 0 to 2147483647, found '0.5'"
    ),
  ]

  @Test(arguments: motErrors.indices)
  func `what is wrong in MOT's text is one line with its position`(index: Int) throws {
    let (text, message) = Self.motErrors[index]
    let error = #expect(throws: FileError.self, "\(message)") { try mot(text) }
    #expect(error?.line(from: folder) == "cannot read \(message)")
    #expect(error?.kind == .wrongData)
  }

  @Test func `what several files have in common is found in one reading`() throws {
    let files = try ["A", "B"].map { name in
      try folder.write("1,1,1,1,5,6,1,1,-1\n", to: "\(name)/gt/gt.txt")
    }
    var names: [String] = []
    _ = try MOTChallenge().read(files, options: ImportOptions()) { frame in
      names.append(frame.name)
      try? FileManager.default.removeItem(at: files[1])
    }
    #expect(names == ["A/1", "B/1"])
  }

  @Test func `several files count their frames and classes alike, and one may be empty`() throws {
    let first = try folder.write("0,1,1,1,5,6,1,1,-1\n0,2,1,1,5,6,1,2,-1\n", to: "A/gt/gt.txt")
    let late = try folder.write("2,1,1,1,5,6,1,2,-1\n", to: "B/gt/gt.txt")
    let nobody = try folder.write("", to: "C/gt/gt.txt")
    try folder.write("seqLength=2\n", to: "C/seqinfo.ini")
    let read = try readAll(MOTChallenge(), [first, late, nobody], ImportOptions())
    #expect(read.frames.map(\.name) == ["A/1", "B/1", "B/2", "B/3", "C/1", "C/2"])
    #expect(read.frames.map { $0.faces.map(\.category) } == [[1, 2], [], [], [2], [], []])
    var options = ImportOptions()
    options.isPredictions = true
    try folder.write("1,1,1,1,5,6,0.5,-1,-1,-1\n", to: "a.txt")
    try folder.write("", to: "b.txt")
    let results = try readAll(
      MOTChallenge(), [folder.file("a.txt"), folder.file("b.txt")], options)
    #expect(results.frames.map(\.faces.count) == [1, 0])
    let unknown = #expect(throws: FileError.self) {
      try readAll(MOTChallenge(), [folder.file("a.txt"), folder.file("b.txt")], ImportOptions())
    }
    #expect(unknown?.line(from: folder) == "cannot read b.txt: expected boxes, found none")
  }

  @Test func `commas, tabs and spaces separate OTB's numbers, in one collection`() throws {
    for text in ["11,21,5,6\n12,22,5,6\n", "11\t21\t5\t6\r\n12 22  5 6\r\n"] {
      let read = try otb(text)
      #expect(
        read.frames.map { $0.faces.map(\.box) } == [
          [BoundingBox(x: 10, y: 20, width: 5, height: 6)],
          [BoundingBox(x: 11, y: 21, width: 5, height: 6)],
        ])
      #expect(read.frames.map(\.number) == [0, 1] && read.frames[0].faces[0].identity == 0)
    }
  }

  @Test func `a row of NaN or of no size is a frame without the target`() throws {
    let read = try otb("NaN,NaN,NaN,NaN\n0,0,0,0\n1,1,2,2\n")
    #expect(read.frames.map(\.faces.count) == [0, 0, 1])
    #expect(read.remarks.last == "S: 2 rows without a box are frames without a face")
  }

  @Test func `without cfg rows are of the first images, with it of its frames`() throws {
    for number in 1...4 { try folder.write("", to: "S/img/000\(number).jpg") }
    let guessed = try otb("1,1,2,2\n1,1,2,2\n", labelsOnly: false)
    #expect(guessed.frames.map(\.name) == ["S/0001.jpg", "S/0002.jpg"])
    #expect(
      guessed.remarks.suffix(2) == [
        "S: 2 rows taken to be of the first of 4 images",
        "lost: S: 2 of 4 images have no row of ground truth and are left out",
      ])
    try folder.write(#"{"startFrame": 3, "endFrame": 4}"#, to: "S/cfg.json")
    let told = try otb("1,1,2,2\n1,1,2,2\n", labelsOnly: false)
    #expect(told.frames.map(\.name) == ["S/0003.jpg", "S/0004.jpg"])
    #expect(told.frames.map(\.number) == [0, 1])
    let error = #expect(throws: FileError.self) { try otb("1,1,2,2\n") }
    #expect(
      error?.line(from: folder)
        == "cannot read S/cfg.json: expected startFrame and endFrame of 1 frames, the rows of ground "
        + "truth, found 3 to 4")
  }

  @Test func `two targets in a folder are two faces of its frames`() throws {
    try folder.write("1,1,2,2\n", to: "S/groundtruth_rect.1.txt")
    try folder.write("5,5,2,2\n", to: "S/groundtruth_rect.2.txt")
    let read = try readAll(
      OTBSequence(), [folder.file("S")], ImportOptions(isLabelsOnly: true))
    #expect(read.frames.map { $0.faces.map(\.identity) } == [[0, 1]])
  }

  @Test func `targets and tracks of different videos are different people`() throws {
    func identities(_ format: any DatasetFormat, _ names: [String]) throws -> [[Int?]] {
      _ = try DatasetImport(
        format: format, sources: names.map { folder.file($0) },
        options: ImportOptions(isLabelsOnly: true), isStrict: true
      ).run(
        into: DatasetWriter(folder.file("a.h5"), name: "a", replacing: true),
        advance: { _ in }, isInterrupted: { false })
      let reader = try DatasetReader(folder.file("a.h5"))
      return try reader.labels(0..<reader.frameCount).map { $0.map(\.identity) }
    }
    for name in ["S", "T"] {
      try folder.write("1,1,2,2\n2,2,2,2\n", to: "\(name)/groundtruth_rect.txt")
    }
    try folder.write("1,1,2,2\n3,2,2,2\n", to: "U/groundtruth_rect.txt")
    #expect(try identities(OTBSequence(), ["S", "T", "U"]) == [[0], [0], [1], [1], [2], [2]])
    let parts = [("one", 0.5), ("two", 0.5)].map {
      DatasetSplit.Part(name: $0.0, fraction: $0.1)
    }
    let output = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: true)
    let summary = try DatasetSplit(by: .subject, parts: parts).run(
      over: DatasetReader(folder.file("a.h5")), into: output, advance: { _ in },
      isInterrupted: { false })
    // The second is a copy of the first.
    #expect(summary.groups == 2)
    let row = "1,1,5,6,1,-1,-1,-1"
    try folder.write("1,7,\(row)\n1,8,\(row)\n", to: "A.txt")
    try folder.write("1,8,\(row)\n1,9,\(row)\n2,8,\(row)\n", to: "B.txt")
    #expect(try identities(MOTChallenge(), ["A.txt", "B.txt"]) == [[7, 8], [0, 9], [0]])
  }

  private static func result(_ run: String) -> String {
    "[{\"seqName\": \"S\", " + run + "}]"
  }

  static let otbErrors: [(name: String, text: String, message: String)] = [
    ("S/groundtruth_rect.txt", "\n", "S/groundtruth_rect.txt: expected boxes, found none"),
    (
      "S/groundtruth_rect.txt", "1,1,2,2\n1,1,2\n",
      "S/groundtruth_rect.txt, line 2: expected 4 numbers, found '1,1,2'"
    ),
    (
      "S/groundtruth_rect.txt", "1,1,inf,2\n",
      "S/groundtruth_rect.txt, line 1: expected 4 numbers, found '1,1,inf,2'"
    ),
    ("r.json", "[]", "r.json: expected a run, found none"),
    (
      "r.json", result(#""startFrame": 1, "resType": "ivtAff", "res": [[1, 2, 3, 4]]"#),
      "r.json: expected resType rect, found 'ivtAff'"
    ),
    (
      "r.json", result(#""startFrame": 1, "resType": "rect", "res": []"#),
      "r.json: expected boxes in 'res' from a frame of 0 to 1048576 on, found 0 from 1 on"
    ),
    (
      "r.json",
      result(#""startFrame": 9223372036854775807, "resType": "rect", "res": [[1, 2, 3, 4]]"#),
      "r.json: expected boxes in 'res' from a frame of 0 to 1048576 on, found 1 from "
        + "9223372036854775807 on"
    ),
    (
      "r.json", result(#""startFrame": 1, "resType": "rect", "res": [[1, 2, 3]]"#),
      "r.json: expected 4 numbers in 'res[0]', found 3"
    ),
    (
      "r.json",
      result(#""startFrame": 1, "resType": "rect", "res": [[1, 2, 3, 4]], "res": [[5, 6, 7, 8]]"#),
      "'[0]' in r.json: expected each key once, found 'res' twice"
    ),
  ]

  @Test(arguments: otbErrors.indices)
  func `what is wrong in OTB's files is one line with its position`(index: Int) throws {
    let (name, text, message) = Self.otbErrors[index]
    let error = #expect(throws: FileError.self, "\(message)") { try otb(text, as: name) }
    #expect(error?.line(from: folder) == "cannot read \(message)")
    #expect(error?.kind == .wrongData)
  }
}
