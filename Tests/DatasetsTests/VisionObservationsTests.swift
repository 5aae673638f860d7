import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct VisionObservationsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ text: String) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(VisionObservations(), [folder.write(text, to: "faces.json")])
  }

  private static func header(_ more: String = "") -> String {
    #"{"schema": "facegauge.vision", "version": 1\#(more)}"# + "\n"
  }

  private static func frame(_ face: String, more: String = "") -> String {
    #"{"name": "f", "width": 100, "height": 50, "faces": [\#(face)]\#(more)}"# + "\n"
  }

  @Test func `the origin at the bottom left becomes the top left, in pixels`() throws {
    let expected = try TrackerOutputs.load().vision
    let read = try read(expected.text)
    #expect(read.frames.map(\.name) == ["a.jpg", "b.jpg"])
    #expect(read.frames.map(\.faces.count) == [1, 0])
    #expect(read.frames[0].image.file?.path == folder.file("a.jpg").path)
    let face = try #require(read.frames[0].faces.first)
    let box = [face.box.x, face.box.y, face.box.width, face.box.height]
    for (own, other) in zip(box, expected.box) { #expect(abs(own - other) < 1e-9) }
    #expect(face.score == 0.75 && face.identity == nil)
    #expect(
      face.attributes == ["roll": 0.1, "yaw": -0.2, "pitch": 0.3, "faceCaptureQuality": 0.5])
    let five = try #require(face.landmarks.first)
    #expect(five.scheme == .five && five.visibility[2] == .notLabelled)
    for (point, other) in zip(five.points, expected.five) {
      guard let other else { continue }
      #expect(abs(point.x - other[0]) < 1e-9 && abs(point.y - other[1]) < 1e-9)
    }
    #expect(
      read.remarks.dropFirst() == [
        "faces: a uuid that occurs more than once is a track and an identity: 0",
        "lost: points of 1 faces left out except eyes and mouth corners, which become four points "
          + "of the scheme five (regions: leftPupil, nose, outerLips, rightPupil)",
      ])
  }

  @Test func `left and right follow from the mouth, whichever way round and named`() throws {
    // An upside-down face: its right eye is at the image's right, whatever the region is called.
    let regions =
      #"{"leftEye": [[0.2, 0.2], [0.4, 0.2]], "rightEye": [[0.7, 0.2]], "#
      + #""outerLips": [[0.3, 0.8], [0.6, 0.8]]}"#
    let read = try read(
      Self.header()
        + Self.frame(
          #"{"boundingBox": [0, 0, 1, 1], "landmarks": {"space": "image", "regions": \#(regions)}}"#
        ))
    let five = try #require(read.frames[0].faces[0].landmarks.first)
    for (index, x, y) in [(0, 70.0, 40.0), (1, 30, 40), (3, 60, 10), (4, 30, 10)] {
      #expect(abs(five.points[index].x - x) < 1e-9 && abs(five.points[index].y - y) < 1e-9)
    }
  }

  @Test func `a uuid that comes again is a track, times that do not rise are left out`() throws {
    func face(_ uuid: String) -> String { #"{"uuid": "\#(uuid)", "boundingBox": [0, 0, 1, 1]}"# }
    let read = try read(
      Self.header(#", "kind": "video", "name": "v", "fps": 25"#)
        + Self.frame(face("a") + "," + face("b"), more: #", "timestamp": 0, "latency_ns": 5"#)
        + Self.frame(face("a"), more: #", "timestamp": 0.04"#)
        + Self.frame(face("c"), more: #", "timestamp": 0.04"#))
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 40_000])
    #expect(read.frames.map { $0.faces.map(\.identity) } == [[0, nil], [0]])
    #expect(read.frames[0].nanoseconds == 5 && read.frames[0].begins?.framesPerSecond == 25)
    #expect(
      read.remarks.dropFirst() == [
        "v: frames have labels and no images", "lost: v: 1 frames whose time does not rise",
        "v: a uuid that occurs more than once is a track and an identity: 1",
      ])
  }

  static let broken: [(text: String, message: String)] = [
    (
      header(#", "kind": "film""#),
      "'kind' in faces.json, line 1: expected one of still, video, found \"film\""
    ),
    (
      header(#", "fps": -1"#),
      "'fps' in faces.json, line 1: expected a number from 0 to 100000, found -1"
    ),
    (
      header() + frame(#"{"boundingBox": [0, 0, 1]}"#),
      "faces.json, line 2: expected 4 numbers in boundingBox, found 3"
    ),
    (
      header() + frame(#"{"boundingBox": [0, 0, -1, 1]}"#),
      "faces.json, line 2: expected a boundingBox of non-negative size, found [0.0, 0.0, -1.0, 1.0]"
    ),
    (
      header() + frame(#"{"boundingBox": [0, 0, 1e99, 1]}"#),
      "faces.json, line 2: expected finite numbers in boundingBox, found 1e+99"
    ),
    (
      header()
        + frame(#"{"boundingBox": [0, 0, 1, 1], "landmarks": {"space": "z", "regions": {}}}"#),
      "faces.json, line 2: expected landmarks in the space box or image, found 'z'"
    ),
    (
      header()
        + frame(#"{"boundingBox": [0, 0, 1, 1], "landmarks": {"regions": {"nose": [[1]]}}}"#),
      "faces.json, line 2: expected 2 numbers in nose, found 1"
    ),
    (
      header() + #"{"name": "f", "width": 0, "height": 5, "faces": []}"#,
      "faces.json, line 2: expected an image of 1 to 65535 pixels, found 0x5"
    ),
    (
      header(#", "kind": "video""#) + frame(""),
      "faces.json, line 2: expected a timestamp in a video"
    ),
    (
      header() + String(repeating: "[", count: 100_000),
      "faces.json, line 2, column 65: expected at most 64 nested values, found '['"
    ),
  ]

  @Test(arguments: broken.indices)
  func `what is wrong is one line with its position`(index: Int) throws {
    let (text, message) = Self.broken[index]
    let error = #expect(throws: FileError.self, "\(message)") { try read(text) }
    #expect(error?.line(from: folder) == "cannot read \(message)")
    #expect(error?.kind == .wrongData)
  }
}
