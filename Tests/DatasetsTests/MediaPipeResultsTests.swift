import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct MediaPipeResultsTests {
  static let python = LivePython.path
  static let script = Checkout.root.appending(path: "Datasets/mediapipe/write_results.py").path

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ text: String) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(MediaPipeResults(), [folder.write(text, to: "results.json")])
  }

  private static func header(_ more: String = "") -> String {
    #"{"schema": "facegauge.mediapipe", "version": 1\#(more)}"# + "\n"
  }

  private static func points(_ count: Int = 478) -> String {
    (0..<count).map { "[\(Double($0) / 512), 0.25, -0.125]" }.joined(separator: ", ")
  }

  private static func frame(_ face: String, more: String = "") -> String {
    #"{"name": "a.jpg", "number": 3, "width": 640, "height": 480, "faces": [\#(face)]\#(more)}"#
      + "\n"
  }

  private static func face(_ more: String = "", points: String = points()) -> String {
    #"{"landmarks": [\#(points)]\#(more)}"#
  }

  @Test func `normalised points become pixels, depth in units of the width, the matrix is by rows`()
    throws
  {
    let read = try read(
      Self.header()
        + Self.frame(
          Self.face(
            #", "blendshapes": {"_neutral": 0.5, "jawOpen": 0.25}, "#
              + #""matrix": [[1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 1, -40], [0, 0, 0, 1]]"#),
          more: #", "latency_ns": 12345"#))
    let frame = try #require(read.frames.first)
    #expect(frame.number == 3 && frame.nanoseconds == 12345 && frame.begins == nil)
    #expect(frame.image.file?.path == folder.file("a.jpg").path)
    let face = try #require(frame.faces.first)
    let points = try #require(face.landmarks.first)
    #expect(points.points[256] == Point(x: 320, y: 120) && points.depths?[256] == -80)
    #expect(face.box == BoundingBox(x: 0, y: 120, width: 640 * 477 / 512, height: 0))
    #expect(face.blendshapes?[0] == 0.5 && face.blendshapes?[Blendshape.jawOpen.index] == 0.25)
    #expect(face.pose?.matrix[3] == 2 && face.pose?.matrix[11] == -40)
    #expect(read.remarks == ["boxes are the tight boxes of the points"])
  }

  @Test func `a frame without a face may state a size of 0 by 0, which is none`() throws {
    let text = Self.frame("").replacing("640", with: "0").replacing("480", with: "0")
    let found = try read(Self.header() + text)
    #expect(found.frames.count == 1 && found.frames[0].statedSize == nil)
  }

  @Test func `a frame that has a key twice is refused`() throws {
    let text = Self.header() + Self.frame(Self.face(), more: #", "faces": []"#)
    let error = #expect(throws: FileError.self) { try read(text) }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.line(from: folder)
        == "cannot read results.json, line 2: expected each key once, found 'faces' twice")
  }

  @Test func `a video has times in milliseconds, and frames whose time stands are left out`() throws
  {
    let frames = [0, 33.333, 33.333, 66.667].map {
      Self.frame("", more: #", "timestamp_ms": \#($0)"#)
    }
    let read = try read(
      Self.header(#", "kind": "video", "name": "c.mp4", "fps": 30"#) + frames.joined())
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 33_333, 66_667])
    #expect(read.frames[0].begins?.name == "c.mp4")
    #expect(
      read.remarks.dropFirst() == [
        "c.mp4: frames have labels and no images",
        "lost: c.mp4: 1 frames whose time does not rise",
      ])
  }

  @Test func `unknown blendshapes are left out, counted`() throws {
    let read = try read(
      Self.header() + Self.frame(Self.face(#", "blendshapes": {"tongueOut": 0.5}"#)))
    #expect(read.remarks.last == "lost: 1 unknown blendshapes left out: tongueOut")
  }

  @Test(
    .enabled(
      if: LivePython.hasMediaPipe && Shared.isAvailable,
      "FACEGAUGE_PYTHON names a Python with mediapipe, FACEGAUGE_SHARED the data"))
  func `the committed script runs on images and on a video, and its numbers arrive`() throws {
    for name in ["2008_001009.jpg", "2007_007763.jpg"] {
      try FileManager.default.createSymbolicLink(
        at: folder.file(name), withDestinationURL: Shared.data("dlib-faces/\(name)"))
    }
    for (sources, count) in [
      ([folder.file("2008_001009.jpg").path, folder.file("2007_007763.jpg").path], 2),
      ([Shared.data("videos/obama.mp4").path], 55),
    ] {
      let result = try ProcessResult(
        running: try #require(Self.python), [Self.script, Shared.bundle.path] + sources)
      try #require(result.status == 0, "\(result.errors.suffix(400))")
      let text = result.output
      let read = try read(text)
      #expect(read.frames.count == count && !read.frames[0].faces.isEmpty)
      #expect(read.remarks.allSatisfy { !$0.hasPrefix("lost") })
      #expect(read.frames.allSatisfy { ($0.nanoseconds ?? 0) > 0 })
      let line = try #require(text.split(separator: "\n").dropFirst().first)
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let face = try #require((object["faces"] as? [[String: Any]])?.first)
      let landmarks = try #require(face["landmarks"] as? [[Double]])
      let width = try #require(object["width"] as? Int)
      let height = try #require(object["height"] as? Int)
      let label = try #require(read.frames[0].faces.first)
      let depths = try #require(label.landmarks[0].depths)
      // Two JSON readers round the last digit of a number apart.
      var farthest = 0.0
      for (index, other) in landmarks.enumerated() {
        let point = label.landmarks[0].points[index]
        farthest = max(farthest, abs(point.x - other[0] * Double(width)))
        farthest = max(farthest, abs(point.y - other[1] * Double(height)))
        farthest = max(farthest, abs(depths[index] - other[2] * Double(width)))
      }
      #expect(landmarks.count == 478 && farthest < 1e-9)
      // MediaPipe's face is before a camera that looks along -z, and its pose projects onto its nose.
      let pose = try #require(label.pose)
      let nose = try #require(
        pose.project(HeadPose.canonicalNoseTip, onto: ImageSize(width: width, height: height)))
      let seen = label.landmarks[0].points[4]
      let distance = hypot(nose.x - seen.x, nose.y - seen.y)
      #expect(pose.matrix[11] < 0 && distance < 0.1 * label.box.width)
    }
  }

  static let broken: [(text: String, message: String)] = [
    (
      header() + frame(face(points: points(468))),
      "results.json, line 2: expected 478 landmarks, found 468"
    ),
    (
      header() + frame(face(points: "[0.5, 0.5]")),
      "results.json, line 2: expected 3 numbers in a landmark, found 2"
    ),
    (
      header() + frame(face(points: "[0.5, 0.5, NaN]")),
      "'faces[0].landmarks[0][2]' in results.json, line 2: expected a JSON value, found NaN, which "
        + "Python writes and JSON does not have"
    ),
    (
      header() + frame(face(#", "matrix": [[1, 0], [0, 1]]"#)),
      "results.json, line 2: expected 16 numbers in matrix, found 4"
    ),
    (
      header()
        + frame(
          face(#", "matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [2, 3, -40, 1]]"#)),
      "results.json, line 2: expected a matrix by rows whose last is 0, 0, 0, 1, found [2.0, 3.0, -40.0, 1.0]"
    ),
    (
      header(#", "kind": "video""#) + frame(""),
      "results.json, line 2: expected timestamp_ms in a video"
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
