import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// JSON of Label Studio and LabelMe, made here.
@Suite struct AnnotationToolTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func labelStudio(
    _ tasks: String, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    var options = ImportOptions()
    change(&options)
    return try readAll(
      LabelStudioJSON(), [try folder.write("[\(tasks)]", to: "export.json")], options)
  }

  private static let size = #""original_width": 200, "original_height": 100, "image_rotation": 0"#

  private static func rectangle(
    _ id: String, _ numbers: [Double], label: String = "face", rotation: Double = 0,
    more: String = ""
  ) -> String {
    """
    {"id": "\(id)", "type": "rectanglelabels", \(size)\(more), "value": {"x": \(numbers[0]),
      "y": \(numbers[1]), "width": \(numbers[2]), "height": \(numbers[3]), "rotation": \(rotation),
      "rectanglelabels": ["\(label)"]}}
    """
  }

  private static let names = ["right_eye", "left_eye", "nose", "right_mouth", "left_mouth"]
  private static let places = [(20.0, 10.0), (30, 10), (25, 15), (21, 20), (29, 20)]

  @Test func `points lie in no box whose turn is beyond all numbers`() throws {
    let points = zip(Self.names, Self.places).map { name, place in
      """
      {"id": "p", "type": "keypointlabels", \(Self.size), "value":
        {"x": \(place.0 / 2), "y": \(place.1), "width": 0.5, "keypointlabels": ["\(name)"]}}
      """
    }
    let result = [Self.rectangle("a", [0, 0, 50, 50], rotation: 1e308)] + points
    let read = try labelStudio(
      "{\"data\": {\"image\": \"a.jpg\"}, \"annotations\": [{\"result\": ["
        + "\(result.joined(separator: ","))]}]}")
    // They belong to the only box nevertheless.
    #expect(read.frames[0].faces.map(\.landmarks.count) == [1])
    #expect(read.frames[0].faces[0].box.isWellFormed == false)
  }

  @Test func `percent are pixels, points belong to their parent, and one annotation counts`() throws
  {
    let points = zip(Self.names, Self.places).map { name, place in
      """
      {"id": "p", "type": "keypointlabels", \(Self.size), "parentID": "b", "value":
        {"x": \(place.0 / 2), "y": \(place.1), "width": 0.5, "keypointlabels": ["\(name)"]}}
      """
    }
    let result =
      [Self.rectangle("a", [0, 0, 100, 100]), Self.rectangle("b", [5, 5, 1, 1])] + points
    let task = """
      {"id": 1, "data": {"image": "/data/upload/3/0a1b2c3d-my%20face.jpg"}, "annotations": [
        {"was_cancelled": true, "result": []}, {"result": [\(result.joined(separator: ","))]},
        {"result": []}]}
      """
    let read = try labelStudio(
      "\(task), {\"data\": {\"image\": \"b.jpg\"}, \"annotations\": []}, "
        + "{\"data\": {\"image\": \"c.jpg\"}, \"annotations\": [{\"result\": []}]}")
    #expect(read.frames.map(\.name) == ["my face.jpg", "c.jpg"])
    #expect(read.frames[0].statedSize == ImageSize(width: 200, height: 100))
    #expect(read.frames[1].faces.isEmpty)
    let faces = read.frames[0].faces
    #expect(
      faces.map(\.box) == [
        BoundingBox(x: 0, y: 0, width: 200, height: 100),
        BoundingBox(x: 10, y: 5, width: 2, height: 1),
      ])
    #expect(faces[0].landmarks.isEmpty && faces[1].landmarks.first?.scheme == .five)
    // Percent of 200 pixels differ in the last bits.
    for (point, place) in zip(faces[1].landmarks.first?.points ?? [], Self.places) {
      #expect(abs(point.x - place.0) < 1e-12 && abs(point.y - place.1) < 1e-12)
    }
    #expect(
      read.remarks.contains(
        "lost: 1 annotations left out: of each task the ground truth, else the first that is not "
          + "cancelled"))
    #expect(read.remarks.contains("lost: 1 tasks without an annotation left out"))
  }

  @Test func `predictions have scores, and a turned rectangle its tight box`() throws {
    let task = """
      {"data": {"image": "a.jpg"}, "annotations": [{"result": []}], "predictions": [{"score": 0.5,
        "result": [\(Self.rectangle("a", [50, 50, 10, 10], rotation: 90)),
          \(Self.rectangle("b", [0, 0, 10, 10], more: ", \"score\": 0.25"))]}]}
      """
    let read = try labelStudio(task) { $0.isPredictions = true }
    #expect(read.frames[0].faces.map(\.score) == [0.5, 0.25])
    let box = read.frames[0].faces[0].box
    for (value, expected) in zip([box.x, box.y, box.width, box.height], [90.0, 50, 10, 20]) {
      #expect(abs(value - expected) < 1e-9)
    }
    #expect(try labelStudio(task).frames[0].faces.isEmpty)
  }

  @Test func `short tasks are read as whole ones are`() throws {
    let read = try labelStudio(
      """
      {"image": "s3://bucket/deep/a.jpg", "id": 1, "label": [{"x": 10, "y": 10, "width": 20,
        "height": 30, "rotation": 0, "rectanglelabels": ["Face"], \(Self.size)}], "annotator": 1}
      """)
    #expect(read.frames.map(\.name) == ["deep/a.jpg"])
    #expect(read.frames[0].faces.map(\.box) == [BoundingBox(x: 20, y: 10, width: 40, height: 30)])
  }

  @Test func `the labels of all files tell which are faces, not those of each`() throws {
    func tasks(_ name: String, _ labels: [String]) throws -> URL {
      let results = labels.map { Self.rectangle($0, [1, 1, 9, 9], label: $0) }
      let result = results.joined(separator: ",")
      return try folder.write(
        #"[{"data": {"image": "\#(name).jpg"}, "annotations": [{"result": [\#(result)]}]}]"#,
        to: "\(name).json")
    }
    let files = [try tasks("hands", ["hand"]), try tasks("both", ["face", "hand"])]
    let read = try readAll(LabelStudioJSON(), files, ImportOptions(isLabelsOnly: true))
    #expect(read.frames.map { $0.faces.map { $0.category == 1 } } == [[false], [true, false]])
    #expect(read.remarks.contains("of 2 labels 'face' is a face"))
  }

  @Test func `rectangles of video move between keyframes until one is disabled`() throws {
    func key(_ frame: Int, _ x: Double, _ isEnabled: Bool) -> String {
      """
      {"frame": \(frame), "enabled": \(isEnabled), "x": \(x), "y": 0, "width": 10, "height": 10}
      """
    }
    let read = try labelStudio(
      """
      {"data": {"video": "clip.mp4"}, "annotations": [{"result": [{"type": "videorectangle", "value":
        {"framesCount": 5, "sequence": [\(key(1, 0, true)), \(key(3, 20, false))],
          "labels": ["face"]}}]}]}
      """)
    #expect(read.frames.map(\.number) == [0, 1, 2, 3, 4])
    #expect(read.frames.map { $0.faces.map(\.box.x) } == [[0], [0.1], [0.2], [], []])
    #expect(read.frames.allSatisfy { $0.isRelative })
    #expect(read.frames[0].begins?.name == "clip.mp4")
  }

  @Test func `a small file of many clips does not make many frames`() throws {
    let tasks = (0..<9).map {
      """
      {"data": {"video": "\($0).mp4"}, "annotations": [{"result": [{"type": "videorectangle",
        "value": {"framesCount": 1048576, "sequence": [], "labels": ["face"]}}]}]}
      """
    }
    let error = #expect(throws: FileError.self) { try labelStudio(tasks.joined(separator: ",")) }
    #expect(
      error?.description.hasSuffix(
        "expected at most 8388608 frames of all tasks, found 9437184") == true)
  }

  @Test func `a turned rectangle of video is told where nobody knows the frames' size`() throws {
    let read = try labelStudio(
      """
      {"data": {"video": "clip.mp4"}, "annotations": [{"result": [{"type": "videorectangle", "value":
        {"framesCount": 2, "sequence": [{"frame": 1, "enabled": true, "x": 10, "y": 10, "width": 10,
          "height": 10, "rotation": 30}], "labels": ["face"]}}]}]}
      """)
    #expect(
      read.remarks.contains(
        "lost: clip.mp4: 1 keyframes of turned boxes are read as if these were upright (--video)"))
  }

  private func labelMe(_ name: String, _ shapes: [String]) throws {
    try folder.write(
      """
      {"version": "5.4.1", "flags": {}, "shapes": [\(shapes.joined(separator: ","))],
        "imagePath": "..\\\\x\\\\\(name).jpg", "imageData": null, "imageHeight": 100, "imageWidth": 200}
      """, to: "set/train/\(name).json")
    try folder.write(Sample.png(9, 9), to: "set/train/\(name).jpg")
  }

  private static func shape(
    _ label: String, _ points: [(Double, Double)], _ kind: String, group: Int? = nil,
    flags: String = ""
  ) -> String {
    let list = points.map { "[\($0.0), \($0.1)]" }.joined(separator: ", ")
    return """
      {"label": "\(label)", "points": [\(list)], "group_id": \(group.map { "\($0)" } ?? "null"),
        "shape_type": "\(kind)", "flags": {\(flags)}}
      """
  }

  @Test func `LabelMe's rectangles have the points of their group`() throws {
    let points = zip(Self.names, Self.places).map { Self.shape($0, [$1], "point", group: 2) }
    try labelMe(
      "a",
      [
        Self.shape("face", [(50, 60), (10, 20)], "rectangle", group: 1),
        Self.shape("face", [(100, 50), (190, 90)], "rectangle", group: 2),
        Self.shape("face", [(1, 1), (2, 2), (3, 1)], "polygon"),
      ] + points)
    try labelMe("b", [])
    try folder.write(Sample.png(9, 9), to: "set/train/c.jpg")
    let set = folder.file("set")
    #expect(try DatasetImport.detectFormat(of: [set]).format.name == "labelme")
    let read = try readAll(LabelMeJSON(), [set])
    #expect(read.frames.map(\.name) == ["train/a.jpg", "train/b.jpg"])
    #expect(read.frames.map(\.splits) == [["train"], ["train"]])
    let faces = read.frames[0].faces
    #expect(faces.map(\.box.x) == [10, 100, 1] && faces[0].box.height == 40)
    #expect(faces[2].box == BoundingBox(x: 1, y: 1, width: 2, height: 1))
    #expect(faces[0].landmarks.isEmpty)
    // Percent of 200 pixels differ in the last bits.
    for (point, place) in zip(faces[1].landmarks.first?.points ?? [], Self.places) {
      #expect(abs(point.x - place.0) < 1e-12 && abs(point.y - place.1) < 1e-12)
    }
    #expect(
      read.remarks.contains(
        "1 polygons, circles, ellipses and masks are taken as their tight boxes"))
    #expect(read.remarks.contains("lost: 1 images without a JSON file left out"))
  }

  @Test func `LabelMe's flags of a box are attributes, and texts are counted`() throws {
    try labelMe(
      "a",
      [
        Self.shape(
          "face", [(10, 20), (50, 60)], "rectangle",
          flags: "\"occluded\": true, \"clear\": false, \"age\": 30, \"mood\": \"glad\"")
      ])
    let read = try readAll(LabelMeJSON(), [folder.file("set")])
    #expect(read.frames[0].faces[0].attributes == ["occluded": 1, "clear": 0, "age": 30])
    #expect(read.remarks.contains("lost: left out: attribute mood (1)"))
  }

  @Test func `a circle is its tight box, and a line is left out`() throws {
    try labelMe(
      "a",
      [
        Self.shape("face", [(50, 40), (53, 44)], "circle"),
        Self.shape("face", [(1, 1), (2, 2)], "line"),
      ])
    let read = try readAll(LabelMeJSON(), [folder.file("set")])
    #expect(
      read.frames[0].faces.map(\.box) == [BoundingBox(x: 45, y: 35, width: 10, height: 10)])
    #expect(read.remarks.contains("lost: left out: <line> (1)"))
  }

  private static func task(_ image: String, _ annotations: String) -> String {
    "{\"data\": {\"image\": \"\(image)\"}, \"annotations\": [\(annotations)]}"
  }

  private static func result(_ kind: String, _ value: String, turn: Int = 0) -> String {
    """
    {"id": "x", "type": "\(kind)", "original_width": 200, "original_height": 100, "image_rotation": \(turn),
      "value": {\(value), "\(kind)": ["face"]}}
    """
  }

  @Test func `polygons and ellipses of Label Studio are their tight boxes`() throws {
    let polygon = Self.result("polygonlabels", #""points": [[10, 10], [20, 50], [15, 60]]"#)
    let ellipse = Self.result(
      "ellipselabels", #""x": 50, "y": 50, "radiusX": 10, "radiusY": 5, "rotation": 90"#)
    let read = try labelStudio(Self.task("a.jpg", "{\"result\": [\(polygon), \(ellipse)]}"))
    let boxes = try #require(read.frames.first).faces.map(\.box)
    #expect(boxes[0] == BoundingBox(x: 20, y: 10, width: 20, height: 50))
    #expect(abs(boxes[1].width - 10) < 1e-9 && abs(boxes[1].height - 40) < 1e-9)
  }

  @Test func `an image whose results are turned is left out, not taken to show no face`() throws {
    let turned = Self.result(
      "rectanglelabels", #""x": 1, "y": 1, "width": 5, "height": 5"#, turn: 90)
    let read = try labelStudio(
      Self.task("a.jpg", "{\"result\": [\(turned)]}") + ", "
        + Self.task("b.jpg", "{\"result\": [\(Self.rectangle("b", [5, 5, 1, 1]))]}"))
    #expect(read.frames.map(\.name) == ["b.jpg"])
    #expect(
      read.remarks.contains("lost: 1 results on turned images left out, and with them 1 images"))
  }

  @Test func `eight digits before a name are cut off where it is an upload`() throws {
    let names = [
      "/data/local-files/?d=20240101-1.jpg", "20240102-1.jpg", "/data/upload/3/20240103-1.jpg",
    ]
    let tasks = names.map { Self.task($0, "{\"result\": []}") }
    let read = try labelStudio(tasks.joined(separator: ","))
    #expect(read.frames.map(\.name) == ["20240101-1.jpg", "20240102-1.jpg", "1.jpg"])
  }

  @Test func `of several annotations the ground truth counts`() throws {
    let read = try labelStudio(
      Self.task(
        "a.jpg",
        "{\"result\": [\(Self.rectangle("a", [5, 5, 1, 1]))]}, "
          + "{\"ground_truth\": true, \"result\": [\(Self.rectangle("b", [50, 5, 1, 1]))]}"))
    #expect(read.frames[0].faces.map(\.box.x) == [100])
  }

  @Test func `what is wrong is one line with its place`() throws {
    try folder.write(
      #"{"shapes": [{"label": "face", "points": [[1, 2]], "shape_type": "rectangle"}]}"#,
      to: "a.json")
    let error = #expect(throws: FileError.self) {
      try readAll(LabelMeJSON(), [folder.file("a.json")])
    }
    #expect(error?.description.contains("shapes[0].points") == true)
    let other = #expect(throws: FileError.self) {
      try labelStudio(#"{"data": {"text": "hello"}, "annotations": []}"#)
    }
    #expect(other?.description.contains("the path of an image or a clip") == true)
  }

  @Test func `identities and flags of regions are the face's, other numbers are left out`() throws {
    func field(_ name: String, _ value: String) -> String {
      "{\"id\": \"a\", \"type\": \"x\", \"from_name\": \"\(name)\", \(Self.size), \"value\": {\(value)}}"
    }
    let results = [
      field("identity", "\"number\": 7"), Self.rectangle("a", [5, 5, 1, 1]),
      field("flags", "\"choices\": [\"ignore\"]"), field("age", "\"number\": 30"),
    ]
    let read = try labelStudio(
      Self.task("a.jpg", "{\"result\": [\(results.joined(separator: ", "))]}"))
    let face = try #require(read.frames.first?.faces.first)
    #expect(face.identity == 7 && face.isIgnored && !face.isCrowd && face.attributes.isEmpty)
    #expect(read.remarks.contains("lost: left out: x (1)"))
  }

  @Test func `an outline of a face that has a box is no second face`() throws {
    let corners = [(10.0, 10.0), (30.0, 10.0), (30.0, 40.0), (10.0, 40.0)]
    try labelMe(
      "a",
      [
        Self.shape("face", [(10, 10), (30, 40)], "rectangle"),
        Self.shape("face", corners, "polygon"),
        Self.shape("face", corners.map { ($0.0 + 100, $0.1) }, "polygon"),
      ])
    let read = try readAll(LabelMeJSON(), [folder.file("set")])
    #expect(read.frames[0].faces.map(\.box.x) == [10, 110])
    #expect(
      read.remarks.contains("1 polygons and other outlines left out, whose faces have boxes"))
  }

  @Test(
    arguments: [
      // An eye within the face, with its label or with its own; a face that stands partly before another.
      ("face", (14, 18, 18, 21), [10]), ("eye", (14, 18, 18, 21), [10]),
      ("face", (26, 30, 40, 50), [10, 26]), ("face", (8, 5, 80, 90), [10, 8]),
    ] as [(String, (Double, Double, Double, Double), [Double])])
  func `an outline within a face's box is a part of it`(
    label: String, edges: (Double, Double, Double, Double), expected: [Double]
  ) throws {
    let (left, top, right, bottom) = edges
    try labelMe(
      "a",
      [
        Self.shape("face", [(10, 10), (30, 40)], "rectangle"),
        Self.shape(
          label, [(left, top), (right, top), (right, bottom), (left, bottom)], "polygon"),
      ])
    let read = try readAll(LabelMeJSON(), [folder.file("set")])
    #expect(read.frames[0].faces.filter { $0.category == 1 }.map(\.box.x) == expected)
  }
}
