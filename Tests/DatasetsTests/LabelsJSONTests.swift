import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct LabelsJSONTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ text: String) throws -> [ImportedFrame] {
    try readAll(LabelsJSON(), [try folder.write(text, to: "labels.json")]).frames
  }

  private static func face(_ text: String) -> String {
    LabelsSample(images: [.init(name: "p", file: "p.png", faces: [text])]).text
  }

  @Test func `images, boxes and points come as they are written`() throws {
    let states = (0..<68).map { $0 % 3 }
    let sample = LabelsSample(images: [
      .init(
        name: "one", file: "deep/p.png",
        faces: [
          #"{"box": [1.5, -2, 10, 0], "ignore": true, "identity": 4, "attributes": {"AU12": 3}}"#,
          LabelsSample.face(states: states),
        ]),
      .init(name: "two", file: "q.png", faces: []),
    ])
    let frames = try read(sample.text)
    #expect(frames.map(\.name) == ["one", "two"])
    #expect(frames[0].image.file?.path == folder.file("deep/p.png").path)
    #expect(frames[1].faces.isEmpty)
    let faces = frames[0].faces
    #expect(faces[0].box == BoundingBox(x: 1.5, y: -2, width: 10, height: 0))
    #expect(faces[0].isIgnored && faces[0].identity == 4)
    #expect(faces[0].attributes == ["AU12": 3] && faces[1].attributes.isEmpty)
    #expect(!faces[1].isIgnored && faces[1].identity == nil)
    #expect(faces[1].landmarks[0].visibility.map { Int($0.rawValue) } == states)
    #expect(faces[1].landmarks[0].points[10] == Point(x: 10, y: 11))
  }

  @Test func `a key of a face that is nearly one of those that are read is told`() throws {
    let faces = [
      #"{"box": [1, 2, 3, 4], "igonre": true, "source": "x"}"#,
      #"{"box": [1, 2, 3, 4], "igonre": true, "landmark": {}, "ignore": null}"#,
    ]
    let sample = LabelsSample(images: [.init(name: "p", file: "p.png", faces: faces)])
    let file = try folder.write(sample.text, to: "labels.json")
    let read = try readAll(LabelsJSON(), [file])
    #expect(read.frames[0].faces.map(\.isIgnored) == [false, false])
    #expect(
      read.remarks == [
        "lost: 2 faces have a key 'igonre', which nothing reads: perhaps 'ignore' is meant",
        "lost: 1 faces have a key 'landmark', which nothing reads: perhaps 'landmarks' is meant",
      ])
  }

  @Test func `the number of a label is no identity that is lost`() throws {
    let text = Self.face(#"{"box": [1, 2, 3, 4], "id": 17}"#)
    let file = try folder.write(text, to: "labels.json")
    let read = try readAll(LabelsJSON(), [file])
    #expect(read.frames[0].faces.map(\.identity) == [nil])
    #expect(
      read.remarks == [
        "1 faces have a key 'id', which nothing reads: who a face is stands in 'identity'"
      ])
  }

  @Test func `the schema may be called format, as in files of before`() throws {
    let text = LabelsSample(images: [.init(name: "p", file: "p.png")]).text
    let older = text.replacing("\"schema\"", with: "\"format\"")
    try #require(older != text)
    #expect(try read(older).count == 1)
  }

  static let failures: [(text: String, message: String)] = [
    (
      "{\"schema\": ", "labels.json, line 1, column 12: expected a value, found the end of the file"
    ),
    ("", "labels.json, line 1, column 1: expected JSON, found the end of the file"),
    (
      "[]",
      "labels.json: expected an object with the schema \"facegauge.labels\", found an empty list"
    ),
    (
      "{\"version\": 1}",
      "'schema' in labels.json: expected \"facegauge.labels\", found nothing"
    ),
    (
      LabelsSample(schema: "other", images: []).text,
      "'schema' in labels.json: expected \"facegauge.labels\", found \"other\""
    ),
    (
      LabelsSample(version: "2", images: []).text,
      "'version' in labels.json: expected 1, found 2"
    ),
    (
      LabelsSample(version: "\"1\"", images: []).text,
      "'version' in labels.json: expected 1, found \"1\""
    ),
    (
      "{\"version\": 1, \"version\": 1}",
      "labels.json: expected each key once, found 'version' twice"
    ),
    (face("{}"), "'images[0].faces[0]' in labels.json: expected the key \"box\", found none"),
    (
      face(#"{"box": [1, 2, "3", 4]}"#),
      "'images[0].faces[0].box[2]' in labels.json: expected a number, found \"3\""
    ),
    (
      face(#"{"box": [1, 2, NaN, 4]}"#),
      "'images[0].faces[0].box[2]' in labels.json: expected a JSON value, found NaN, which Python "
        + "writes and JSON does not have"
    ),
    (
      face(#"{"box": [1, 2, 3]}"#), "expected a box of 4 numbers, found 3 in image 'p'"
    ),
    (face(#"{"box": [1, 2, -3, 4]}"#), "expected a box of non-negative size in image 'p'"),
    (
      face(LabelsSample.face(scheme: "my5", points: 5)),
      "expected a landmark scheme (ibug68, wflw98, cofw29, five, lapa106, aflw21, aflw19, mediapipe478, dlib5, blazeface6, facepp83, helen194), found 'my5' in image 'p'"
    ),
    (
      face(LabelsSample.face(points: 67)),
      "expected 68 points [x, y] and 68 states 0 to 2 in ibug68, found 67 and 67 in image 'p'"
    ),
    (
      face(LabelsSample.face(states: Array(repeating: 3, count: 68))),
      "expected 68 points [x, y] and 68 states 0 to 2 in ibug68, found 68 and 0 in image 'p'"
    ),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line with its position`(index: Int) throws {
    let (text, message) = Self.failures[index]
    let error = #expect(throws: FileError.self, "\(message)") { try read(text) }
    let isInImage = message.hasSuffix(" in image 'p'")
    let what =
      isInImage
      ? "labels.json, image 'p': \(message.replacing(" in image 'p'", with: ""))" : message
    #expect(error?.line(from: folder) == "cannot read \(what)")
    #expect(error?.kind == .wrongData)
  }
}
