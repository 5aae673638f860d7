import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

extension PointSetTests {
  private func imglab(
    _ points: [Point], names: [String], _ options: ImportOptions = ImportOptions()
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    let parts = zip(names, points).map { "<part name='\($0)' x='\($1.x)' y='\($1.y)'/>" }
    let text = ImglabTests.document(
      "<image file='a.jpg'>\(ImglabTests.box)\(parts.joined())</box></image>")
    return try readAll(ImglabXML(), [try folder.write(text, to: "faces.xml")], options)
  }

  @Test func `imglab's parts are known by their numbers, from 0 or 1, and by their names`() throws {
    let face = FacePoints.ibug68()
    try expect(
      imglab(face, names: (1...68).map { "\($0)" }), .ibug68, face,
      "1 sets of 68 parts, 1 to 68, are taken as ibug68")
    let dlib = FacePoints.dlib5()
    try expect(
      imglab(dlib, names: (0..<5).map { "0\($0)" }), .dlib5, dlib,
      "1 sets of 5 parts, 0 to 4, are taken as dlib5, as the faces show")
    try expect(
      imglab(Self.five, names: ["right_eye", "left_eye", "nose", "right_mouth", "left_mouth"]),
      .five, Self.five)
    let jaw = Array(face.prefix(5))
    let error = #expect(throws: FileError.self) { try imglab(jaw, names: (0..<5).map { "0\($0)" }) }
    #expect(error?.description.contains("--scheme NAME") == true)
    let stated = try imglab(jaw, names: (0..<5).map { "0\($0)" }, options(scheme: "ibug68"))
    #expect(stated.frames[0].faces[0].landmarks.first?.labelled == jaw)
    #expect(throws: FileError.self) { try imglab(jaw, names: ["a", "b", "c", "d", "e"]) }
    let table = try imglab(
      jaw, names: ["a", "b", "c", "d", "e"],
      options(
        points:
          #"{"schema": "facegauge.points", "version": 1, "scheme": "ibug68", "points": {"3": "d"}}"#
      ))
    #expect(table.frames[0].faces[0].landmarks.first?.labelled == [jaw[3]])
  }

  @Test func `a part of the 68 that is numbered from 00 is refused`() throws {
    func document(_ numbers: [Int]) throws -> URL {
      let face = zip(numbers, FacePoints.ibug68().dropFirst(17)).map {
        "<part name='\($0)' x='\($1.x)' y='\($1.y)'/>"
      }
      let box = "\(ImglabTests.box)\(face.joined())</box>"
      let images = ["a", "b", "c"].map { "<image file='\($0).jpg'>\(box)</image>" }
      return try folder.write(ImglabTests.document(images.joined()), to: "faces.xml")
    }
    let error = #expect(throws: FileError.self) {
      try readAll(ImglabXML(), [try document(Array(0..<51))], options())
    }
    #expect(error?.description.contains("found 51, 0 to 50, that fit no face there") == true)
    let own = try readAll(ImglabXML(), [try document(Array(17..<68))], options())
    #expect(own.frames.map(\.faces.count) == [1, 1, 1])
    let stated = try readAll(ImglabXML(), [try document(Array(0..<51))], options(scheme: "ibug68"))
    #expect(stated.frames.count == 3)
  }

  @Test func `keypoints of COCO at places whose flags are all 0 are counted`() throws {
    let numbers = Self.five.map { "\($0.x), \($0.y), 0" }.joined(separator: ", ")
    let json = try folder.write(
      #"{"images": [{"id": 1, "file_name": "a.jpg"}], "categories": [{"id": 1, "name": "face"}], "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "keypoints": [\#(numbers)]}]}"#,
      to: "a.json")
    let read = try readAll(COCOJSON(), [json], options(scheme: "five"))
    #expect(read.frames[0].faces.map(\.landmarks.isEmpty) == [true])
    #expect(
      read.remarks.contains { $0.hasPrefix("lost: 1 sets of keypoints left out, whose flags") })
  }

  @Test func `keypoints of COCO of which none is labelled need no order`() throws {
    let none = Array(repeating: "0, 0, 0", count: 5).joined(separator: ", ")
    let face = #""image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "keypoints": [\#(none)]"#
    let labels = try folder.write(
      #"{"images": [{"id": 1, "file_name": "a.jpg"}], "categories": [{"id": 1, "name": "face"}], "annotations": [{\#(face)}]}"#,
      to: "labels.json")
    let results = try folder.write(#"[{\#(face), "score": 0.5}]"#, to: "results.json")
    for sources in [[labels], [results, labels]] {
      let read = try readAll(COCOJSON(), sources)
      #expect(read.frames[0].faces.map(\.landmarks.isEmpty) == [true])
      #expect(!read.remarks.contains { $0.hasPrefix("lost: ") }, "\(read.remarks)")
    }
  }

  private func pts(
    _ points: [Point], _ options: ImportOptions
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try folder.write(points.map { "\($0.x) \($0.y)" }.joined(separator: "\n"), to: "set/a.pts")
    try folder.write(Sample.png(9, 9), to: "set/a.png")
    return try readAll(PointsFolder(), [folder.file("set")], options)
  }

  @Test func `.pts files have the points of every scheme`() throws {
    for scheme in LandmarkScheme.all where scheme.count > 6 {
      let points = (0..<scheme.count).map { Point(x: Double($0), y: Double($0 * $0 % 50)) }
      let read = try pts(points, options())
      #expect(read.frames[0].faces[0].landmarks.map(\.scheme) == [scheme])
    }
    try expect(pts(FacePoints.dlib5(), options()), .dlib5, FacePoints.dlib5())
    #expect(throws: FileError.self) { try pts(Array(FacePoints.ibug68().prefix(5)), options()) }
    try expect(pts(Self.five, options(scheme: "five")), .five, Self.five)
    let error = #expect(throws: FileError.self) { try pts(Self.five, options(scheme: "ibug68")) }
    #expect(
      error?.line(from: folder)
        == "cannot read set/a.pts: expected 68 points of ibug68 (--scheme), found 5")
  }

  @Test func `the mesh without irises is one of the scheme that is stated`() throws {
    let points = (0..<468).map { Point(x: Double($0), y: Double($0 * $0 % 50)) }
    let read = try pts(points, options(scheme: "mediapipe478"))
    let set = try #require(read.frames[0].faces.first?.landmarks.first)
    #expect(set.scheme == .mediapipe478 && set.labelled == points)
    #expect(
      read.remarks.contains("1 sets of 468 points are taken as mediapipe478, as stated (--scheme)"))
    #expect(throws: FileError.self) { try pts(points, options(scheme: "ibug68")) }
  }

  @Test func `a point at -1, -1 is not labelled, and the box is around the rest`() throws {
    var points = FacePoints.ibug68()
    let rest = Array(points[9...])
    for index in 0..<9 { points[index] = Point(x: -1, y: -1) }
    let read = try pts(points, options(base: 1))
    let face = try #require(read.frames[0].faces.first)
    let set = try #require(face.landmarks.first)
    #expect(set.labelled.count == 59 && set.visibility[8] == .notLabelled)
    let moved = rest.map { Point(x: $0.x - 1, y: $0.y - 1) }
    #expect(face.box == BoundingBox(around: moved))
    #expect(read.remarks.contains("9 points at -1, -1 are not labelled"))
    let parts = try imglab(points, names: (0..<68).map { "\($0)" })
    #expect(parts.frames[0].faces[0].landmarks.map(\.labelled) == [rest])
    let own = try coco([points], names: nil)
    #expect(own.frames[0].faces[0].landmarks.map(\.labelled) == [rest])
    let none = try pts(Array(repeating: Point(x: -1, y: -1), count: 68), options(base: 1))
    #expect(none.frames.map(\.faces.count) == [0])
    let list = points.map { "[\($0.x), \($0.y)]" }.joined(separator: ", ")
    let states = Array(repeating: "2", count: 68).joined(separator: ", ")
    let json = try folder.write(
      #"{"schema": "facegauge.labels", "version": 1, "images": [{"name": "a", "file": "a.jpg", "faces": [{"box": [0, 0, 9, 9], "landmarks": {"ibug68": {"points": [\#(list)], "visible": [\#(states)]}}}]}]}"#,
      to: "own.json")
    let labels = try readAll(LabelsJSON(), [json])
    #expect(labels.frames[0].faces[0].landmarks.map(\.labelled) == [rest])
  }

  private func voc(
    _ nested: String, _ options: ImportOptions
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    let text =
      "<annotation><filename>a.jpg</filename><object><name>face</name>\(nested)<bndbox><xmin>1"
      + "</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>"
    return try readAll(PascalVOC(), [try folder.write(text, to: "a.xml")], options)
  }

  @Test func `numbers among the attributes of Pascal VOC are read, and others counted`() throws {
    func attribute(_ name: String, _ value: String) -> String {
      "<attribute><name>\(name)</name><value>\(value)</value></attribute>"
    }
    let list = [("rotation", "0.5"), ("mask", "true"), ("glasses", "False"), ("mood", "glad")]
    let read = try voc(
      "<attributes>\(list.map(attribute).joined())\(attribute("a/b", "1"))</attributes>"
        + "<part><name>hand</name><bndbox><xmin>1</xmin></bndbox></part><occluded>1</occluded>",
      options())
    #expect(
      read.frames[0].faces[0].attributes == [
        "rotation": 0.5, "mask": 1, "glasses": 0, "occluded": 1,
      ])
    #expect(read.frames[0].faces[0].landmarks.isEmpty)
    #expect(
      read.remarks.suffix(2) == [
        "lost: 1 parts of objects left out",
        "lost: unsupported elements of objects left out: attribute a/b (1), attribute mood (1)",
      ])
  }

  @Test func `elements of an image of Pascal VOC that are left out are counted`() throws {
    func remarks(_ elements: String) throws -> [String] {
      let text =
        "<annotation verified=\"yes\"><folder>f</folder><filename>a.jpg</filename><source><database>"
        + "d</database></source><size><width>9</width><height>9</height></size>"
        + "<segmented>0</segmented>\(elements)</annotation>"
      let read = try readAll(PascalVOC(), [try folder.write(text, to: "a.xml")], options())
      return read.remarks.filter { $0.hasPrefix("lost:") }
    }
    #expect(try remarks("<owner><name>n</name></owner><path>/a.jpg</path><note/>") == [])
    #expect(
      try remarks("<weather><rain>1</rain></weather><night>1</night>")
        == ["lost: unsupported elements of images left out: night (1), weather (1)"])
  }

  @Test(arguments: ["<score>0.25</score>", "<confidence> 0.25</confidence>"])
  func `the score of an object of Pascal VOC is that of a prediction`(element: String) throws {
    var predictions = try options()
    predictions.isPredictions = true
    let read = try voc(element, predictions)
    #expect(read.frames[0].faces[0].score == 0.25)
    #expect(!read.remarks.contains { $0.hasPrefix("lost:") })
    let labels = try voc(element, options())
    #expect(labels.frames[0].faces[0].score == nil)
    #expect(Array(labels.frames[0].faces[0].attributes.values) == [0.25])
    let word = try voc("<confidence>high</confidence>", predictions)
    #expect(word.frames[0].faces[0].score == nil)
    #expect(
      word.remarks.contains("lost: unsupported elements of objects left out: confidence (1)"))
  }

  @Test func `nested points of Pascal VOC are read, and what else is nested is counted`() throws {
    func element(_ name: String, _ point: Point) -> String {
      "<\(name)><x>\(point.x)</x><y>\(point.y)</y></\(name)>"
    }
    let numbered = Self.five.enumerated().map { index, point in
      "<x\(index + 1)>\(point.x)</x\(index + 1)><y\(index + 1)>\(point.y)</y\(index + 1)>"
    }
    let lm = try voc("<lm>\(numbered.joined())<blur>0.4</blur></lm><has_lm>1</has_lm>", options())
    try expect(lm, .five, Self.five, "1 sets of 5 points are taken as five, as the faces show")
    #expect(
      lm.remarks.contains("lost: unsupported elements of objects left out: has_lm (1), lm blur (1)")
    )
    let names = ["right_eye", "left_eye", "nose", "right_mouth", "left_mouth"]
    let nested = zip(names, Self.five).map { element($0, $1) }.joined()
    try expect(
      voc("<landmarks>\(nested)</landmarks>", options()), .five, Self.five,
      "1 sets of 5 points are taken as five, by their names")
    let parts = zip(names, Self.five).map {
      element("part", $1).replacing("<part>", with: "<part><name>\($0)</name>")
    }
    try expect(voc(parts.joined(), options()), .five, Self.five)
    let outline = try voc("<polygon>\(numbered.joined())</polygon>", options())
    #expect(outline.frames[0].faces[0].landmarks.isEmpty)
    #expect(
      outline.remarks.contains("lost: unsupported elements of objects left out: polygon (1)"))
    let strange = try voc("<pose3d><yaw>1</yaw></pose3d>" + element("tip", Self.five[0]), options())
    #expect(strange.remarks.contains("lost: 1 points of objects left out"))
    #expect(
      strange.remarks.contains("lost: unsupported elements of objects left out: pose3d (1)"))
  }

  private func yolo(
    _ points: [Point], yaml: String?, _ options: ImportOptions
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    let row =
      "0 0.5 0.5 0.5 0.5 " + points.map { "\($0.x / 256) \($0.y / 256)" }.joined(separator: " ")
    try folder.write(row, to: "yolo/a.txt")
    try folder.write(Sample.png(256, 256), to: "yolo/a.png")
    if let yaml { try folder.write(yaml, to: "yolo/data.yaml") }
    return try readAll(YOLOText(), [folder.file("yolo")], options)
  }

  @Test func `YOLO's kpt_shape and kpt_names tell number and order`() throws {
    let places = Self.names[0].places
    let points = places.map { Self.five[$0] }
    let list = Self.names[0].names
    for names in [
      "[\(list.joined(separator: ", "))]",
      "\n  0:\n" + list.map { "    - \($0)" }.joined(separator: "\n"),
    ] {
      try expect(
        yolo(points, yaml: "kpt_shape: [5, 2]\nkpt_names: \(names)\nnames: [face]\n", options()),
        .five, Self.five, "1 sets of 5 points are taken as five, by their names")
    }
    let all = FacePoints.ibug68()
    let few = [36, 45, 30, 48, 54, 8, 19].map { all[$0] }
    #expect(throws: FileError.self) {
      try yolo(few, yaml: "kpt_shape: [7, 2]\nnames: [face]", options())
    }
    let read = try yolo(
      few, yaml: "kpt_shape: [7, 2]\nnames: [face]",
      options(
        points: """
          {"schema": "facegauge.points", "version": 1, "scheme": "ibug68",
           "points": {"36": 0, "45": 1, "30": 2}}
          """))
    let set = try #require(read.frames[0].faces[0].landmarks.first)
    #expect(set.labelled.count == 3 && set.visibility[36] == .visible)
  }

  @Test func `a format that states a scheme is read in another order where the user says so`()
    throws
  {
    let points = Self.orders[1].places.map { Self.five[$0] }
    let list = points.map { "[\($0.x), \($0.y)]" }.joined(separator: ", ")
    let json = try folder.write(
      #"{"schema": "facegauge.labels", "version": 1, "images": [{"name": "a", "file": "a.jpg", "faces": [{"box": [0, 0, 9, 9], "landmarks": {"five": {"points": [\#(list)], "visible": [2, 2, 2, 2, 1]}}}]}]}"#,
      to: "own.json")
    let plan = DatasetImport(
      format: LabelsJSON(), sources: [json],
      options: try options(scheme: "five-left-first"), isStrict: true)
    var labelsOnly = plan
    labelsOnly.options.isLabelsOnly = true
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: false)
    let remarks = try labelsOnly.run(into: writer, advance: { _ in }, isInterrupted: { false })
    #expect(
      remarks.map(\.text).contains(
        "1 sets of 5 points are taken as five-left-first, as stated (--scheme)"))
    let set = try #require(
      try DatasetReader(folder.file("a.h5")).labels(0..<1)[0][0].landmarks.first)
    #expect(set.points == Self.five && set.visibility[3] == .occluded)
    #expect(LabelsJSON().settings.isSuperset(of: [.scheme, .points]))
    #expect(!FER2013().settings.contains(.scheme))
  }

  static let tables: [(text: String, message: String)] = [
    (
      #"{"schema": "facegauge.points", "version": 2, "scheme": "five", "points": {"0": 0}}"#,
      "'version' in map.json: expected 1, found 2"
    ),
    (
      #"{"schema": "facegauge.points", "version": 1, "scheme": "my5", "points": {"0": 0}}"#,
      "'scheme' in map.json: expected one of "
        + LandmarkScheme.all.map(\.name).joined(separator: ", ") + ", found \"my5\""
    ),
    (
      #"{"schema": "facegauge.points", "version": 1, "scheme": "five", "points": {"5": 0}}"#,
      "'points.5' in map.json: expected a point of five, 0 to 4 or a name such as right_eye, "
        + "left_eye, nose, right_mouth, left_mouth, found another"
    ),
    (
      #"{"schema": "facegauge.points", "version": 1, "scheme": "five", "points": {"0": 0, "right_eye": 1}}"#,
      "'points.right_eye' in map.json: expected each point of five once, found 0 too"
    ),
    (
      #"{"schema": "facegauge.points", "version": 1, "scheme": "five", "points": {"0": 1, "1": 1}}"#,
      "'points.1' in map.json: expected each point of the source once, found that of 0"
    ),
  ]

  @Test(arguments: tables.indices)
  func `a table of points that is wrong is one line`(index: Int) throws {
    let (text, message) = Self.tables[index]
    let error = #expect(throws: FileError.self) { try options(points: text) }
    #expect(error?.description == "cannot read \(message)")
  }
}
