import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct PointSetTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func options(
    scheme: String? = nil, points: String? = nil, base: Int = 0
  ) throws -> ImportOptions {
    var options = ImportOptions(indexBase: base)
    options.pointOrder = try scheme.map { try #require(PointOrder.named($0)) }
    options.points = try points.map { try PointMapping(json: Array($0.utf8), source: "map.json") }
    return options
  }

  func expect(
    _ read: (frames: [ImportedFrame], remarks: [String]), _ scheme: LandmarkScheme,
    _ expected: [Point], _ remark: String? = nil, tolerance: Double = 1e-9
  ) throws {
    for frame in read.frames {
      let set = try #require(frame.faces.first?.landmarks.first)
      #expect(set.scheme == scheme)
      let shift = set.labelled[0].x - expected[0].x
      for (point, other) in zip(set.points, expected) {
        #expect(abs(point.x - shift - other.x) < tolerance && abs(point.y - other.y) < tolerance)
      }
    }
    #expect(!read.frames.isEmpty)
    if let remark { #expect(read.remarks.contains(remark), "\(read.remarks)") }
  }

  func coco(
    _ faces: [[Point]], names: [String]?, results: [[Point]]? = nil,
    _ options: ImportOptions = ImportOptions()
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    func numbers(_ points: [Point], _ flag: String = "2") -> String {
      "[" + points.map { "\($0.x),\($0.y),\(flag)" }.joined(separator: ",") + "]"
    }
    let images = faces.indices.map { #"{"id": \#($0), "file_name": "\#($0).jpg"}"# }
    let rows = faces.enumerated().map {
      #"{"image_id": \#($0.offset), "category_id": 1, "bbox": [0, 0, 9, 9], "keypoints": \#(numbers($0.element))}"#
    }
    let list = names.map {
      #", "keypoints": [\#($0.map { "\"\($0)\"" }.joined(separator: ","))]"#
    }
    let labels = try folder.write(
      #"""
      {"images": [\#(images.joined(separator: ","))], "annotations": [\#(rows.joined(separator: ","))],
       "categories": [{"id": 1, "name": "face"\#(list ?? "")}]}
      """#, to: "labels.json")
    guard let results else { return try readAll(COCOJSON(), [labels], options) }
    let found = results.enumerated().map {
      #"{"image_id": \#($0.offset), "category_id": 1, "score": 0.9, "keypoints": \#(numbers($0.element, "0.5"))}"#
    }
    let file = try folder.write("[\(found.joined(separator: ","))]", to: "results.json")
    return try readAll(COCOJSON(), [file, labels], options)
  }

  static let five = FacePoints.five()
  static let faces = [0, 7, 90].map { FacePoints.five(shift: $0) }
  /// Names of five points, and which of ours each is.
  static let names: [(names: [String], places: [Int], note: String)] = [
    (["nose", "left_eye", "right_eye", "left_mouth", "right_mouth"], [2, 1, 0, 4, 3], ""),
    (
      ["RightEye", "LeftEye", "NoseTip", "MouthRightCorner", "MouthLeftCorner"], [0, 1, 2, 3, 4], ""
    ),
    (["re", "le", "n", "rm", "lm"], [0, 1, 2, 3, 4], ""),
    (["mouth_l", "mouth_r", "nose", "eye_l", "eye_r"], [4, 3, 2, 1, 0], ""),
    (
      ["left_eye", "right_eye", "nose", "left_mouth", "right_mouth"], [0, 1, 2, 3, 4],
      ", whose left is the image's"
    ),
    (["lefteye", "righteye", "nose", "leftlip", "rightlip"], [1, 0, 2, 4, 3], ""),
  ]

  @Test(arguments: names.indices)
  func `COCO's names tell the order, and the faces whose left they mean`(index: Int) throws {
    let (names, places, note) = Self.names[index]
    let read = try coco(Self.faces.map { face in places.map { face[$0] } }, names: names)
    try expect(
      read, .five, Self.five, "3 sets of 5 keypoints are taken as five, by their names\(note)")
  }

  @Test func `results are in the order of the names, or in that of the faces`() throws {
    let names = Self.names[0].names
    let ordered = Self.faces.map { face in Self.names[0].places.map { face[$0] } }
    try expect(coco(ordered, names: names, results: ordered), .five, Self.five)
    try expect(
      coco(ordered, names: names, results: Self.faces), .five, Self.five,
      "3 sets of 5 keypoints are taken as five, as the faces show, and not in the order of the "
        + "names of their labels")
  }

  /// Orders of five points without names, and what they are taken as.
  static let orders: [(name: String, places: [Int])] = [
    ("five", [0, 1, 2, 3, 4]), ("five-left-first", [1, 0, 2, 4, 3]),
    ("five-left-mouth-first", [0, 1, 2, 4, 3]),
  ]

  @Test(arguments: orders.indices)
  func `five points without names are told by the faces, even by one`(index: Int) throws {
    let (name, places) = Self.orders[index]
    for faces in [Self.faces, [Self.five]] {
      let read = try coco(faces.map { face in places.map { face[$0] } }, names: nil)
      try expect(
        read, .five, Self.five,
        "\(faces.count) sets of 5 keypoints are taken as \(name), as the faces show")
    }
    try expect(
      coco([FacePoints.dlib5()], names: nil), .dlib5, FacePoints.dlib5(),
      "1 sets of 5 keypoints are taken as dlib5, as the faces show")
  }

  @Test func `five points in another order are refused by name and by number`() throws {
    let places = [2, 0, 3, 1, 4]
    let faces = Self.faces.map { face in places.map { face[$0] } }
    let error = #expect(throws: FileError.self) { try coco(faces, names: nil) }
    #expect(
      error?.line(from: folder)
        == "cannot read labels.json: expected 5 points of five, dlib5, five-left-first, "
        + "five-left-mouth-first, found 5 that fit no face in any of these orders (--scheme NAME takes "
        + "them as one, --points mapping.json gives each its place)")
    let unknown = #expect(throws: FileError.self) {
      try coco(Self.faces, names: ["nose", "left_eye", "right_eye", "left_ear", "right_ear"])
    }
    #expect(
      unknown?.description.contains("found 5 named nose, left_eye, right_eye, left_ear, right_ear ")
        == true)
    try expect(
      coco(faces, names: nil, options(scheme: "five-left-first")), .five,
      [1, 0, 2, 4, 3].map { index in faces[0][index] },
      "3 sets of 5 keypoints are taken as five-left-first, as stated (--scheme)")
  }

  @Test func `points at one place are named where they keep a face from any order`() throws {
    let faces = [0.0, 7, 90].map { shift in
      var face = FacePoints.ibug68(shift: shift)
      for index in [8, 30, 36, 37, 38, 39, 40, 41, 48, 54] { face[index] = Point(x: 1, y: 2) }
      return face
    }
    let error = #expect(throws: FileError.self) { try coco(faces, names: nil) }
    #expect(
      error?.description.contains(
        "in any of these orders, 10 of one face at the same place, as if missing (--scheme")
        == true)
  }

  @Test func `a table of points places them by name or index, and leaves the rest out`() throws {
    let names = ["nose", "left_eye", "right_eye", "left_ear", "right_ear"]
    let faces = Self.faces.map { [$0[2], $0[1], $0[0], $0[4], $0[3]] }
    let read = try coco(
      faces, names: names,
      options(
        points: """
          {"schema": "facegauge.points", "version": 1, "scheme": "five",
           "points": {"right_eye": "right_eye", "1": 1, "nose": "nose"}}
          """))
    for (frame, face) in zip(read.frames, Self.faces) {
      let set = try #require(frame.faces[0].landmarks.first)
      #expect(Array(set.points.prefix(3)) == Array(face.prefix(3)))
      #expect(set.visibility == [.visible, .visible, .visible, .notLabelled, .notLabelled])
    }
    #expect(
      read.remarks.contains(
        "3 sets of 5 keypoints are taken as five, 2 points of each left out (--points)"))
  }

  @Test func `68 points in another order are refused where three faces show it`() throws {
    let faces = [0.0, 5, 9].map { FacePoints.ibug68(shift: $0) }
    try expect(
      coco(faces, names: nil), .ibug68, faces[0], "3 sets of 68 keypoints are taken as ibug68")
    let turned = faces.map { Array($0.reversed()) }
    #expect(throws: FileError.self) { try coco(turned, names: nil) }
    try expect(
      coco([turned[0]], names: nil), .ibug68, turned[0],
      "1 sets of 68 keypoints are taken as ibug68, by their number alone")
    for names in [(0..<68).map { "face-\($0)" }, (1...68).map { "\($0)" }] {
      let order = Array((0..<68).reversed())
      try expect(coco(turned, names: order.map { names[$0] }), .ibug68, faces[0])
    }
  }

  @Test func `the names of an export are those that an import reads`() throws {
    // The faces decide whose left the names of `dlib5` mean, and these points are none.
    for scheme in LandmarkScheme.all where ![.mediapipe478, .dlib5].contains(scheme) {
      var made = MadeDataset()
      let points = (0..<scheme.count).map { index in
        let (x, y) = (index * 31 % 97, index * 17 % 89)
        return Point(x: Double(x), y: Double(y))
      }
      var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 99, height: 99))
      face.landmarks = [try #require(Landmarks(scheme: scheme, points: points))]
      made.frames = (0..<4).map { MadeDataset.Still(name: "\($0).png", faces: [face]) }
      let dataset = folder.file("\(scheme.name).h5")
      try made.write(to: dataset)
      let target = folder.file(scheme.name)
      _ = try DatasetExport(COCOExport(), isStrict: true).run(
        over: DatasetReader(dataset), to: target, advance: { _ in }, isInterrupted: { false })
      let read = try readAll(COCOJSON(), [target.appendingPathComponent("labels.json")])
      #expect(read.frames.allSatisfy { $0.faces[0].landmarks == face.landmarks }, "\(scheme.name)")
      #expect(read.remarks.contains { $0.hasSuffix("\(scheme.name), by their names") })
    }
  }
}
