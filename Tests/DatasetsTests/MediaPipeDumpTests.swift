import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Results of MediaPipe in the forms that programs write.
@Suite struct MediaPipeDumpTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(
    _ text: String, to name: String = "dump.json"
  ) throws -> (frames: [ImportedFrame], remarks: [String]) {
    let file = try folder.write(text, to: name)
    #expect(try DatasetImport.detectFormat(of: [file]).format.name == "mediapipe")
    return try readAll(MediaPipeResults(), [file])
  }

  private static let points = (0..<478).map {
    "{\"x\": \(Double($0) / 512), \"y\": 0.25, \"z\": -0.125}"
  }.joined(separator: ", ")
  /// A head 40 cm ahead that is turned by a quarter about y.
  private static let rows: [Double] = [0, 0, 1, 2, 0, 1, 0, 3, -1, 0, 0, -40, 0, 0, 0, 1]
  private static let columns = (0..<16).map { rows[4 * ($0 % 4) + $0 / 4] }

  private static func javaScript(_ more: String = "", matrix: [Double] = columns) -> String {
    """
    {\(more)"faceLandmarks": [[\(points)]], "faceBlendshapes": [{"categories": [
      {"index": 0, "score": 0.5, "categoryName": "_neutral", "displayName": ""},
      {"index": 25, "score": 0.25, "categoryName": "jawOpen", "displayName": ""}], "headIndex": -1}],
      "facialTransformationMatrixes": [{"rows": 4, "columns": 4, "data": \(matrix)}]}
    """
  }

  private static func python(_ more: String = "") -> String {
    let lists = (0..<4).map { "\(Array(rows[4 * $0..<4 * $0 + 4]))" }.joined(separator: ", ")
    return """
      {\(more)"face_landmarks": [[\(points)]], "face_blendshapes": [[
        {"index": 25, "score": 0.25, "display_name": "", "category_name": "jawOpen"}]],
        "facial_transformation_matrixes": [[\(lists)]]}
      """
  }

  @Test func `a browser's time of the video is one, and times in seconds may be a second apart`()
    throws
  {
    let results = (0..<3).map { Self.javaScript("\"currentTime\": \($0), ") }
    let read = try read("[" + results.joined(separator: ", ") + "]")
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 1_000_000, 2_000_000])
    #expect(read.frames.allSatisfy { $0.joins == .time })
  }

  @Test(arguments: ["multiFaceLandmarks", "multi_face_landmarks"])
  func `Face Mesh is read with irises and without them`(key: String) throws {
    let read = try read("[{\"frame\": 0, \"\(key)\": [[\(Self.points)]]}]")
    #expect(read.frames.map(\.faces.count) == [1])
    let few = [String](repeating: "[0.5, 0.5, 0]", count: 468).joined(separator: ", ")
    let without = try self.read(
      "[{\"frame\": 0, \"\(key)\": [{\"landmark\": [\(few)]}]}]")
    let set = try #require(without.frames.first?.faces.first?.landmarks.first)
    #expect(set.scheme == .mediapipe478)
    let lost = set.visibility.indices.filter { set.visibility[$0] == .notLabelled }
    #expect(lost == Array(468..<478))
  }

  private static func unity(isMirrored: Bool) -> String {
    var turned = rows
    for column in 0..<4 { turned[8 + column].negate() }
    if !isMirrored { for row in 0..<4 { turned[4 * row + 2].negate() } }
    let text = (0..<4).map { row in
      turned[4 * row..<4 * row + 4].map { "\($0)" }.joined(separator: "\t")
    }
    return """
      { "faceLandmarks": [{ "landmarks": [\(points)] }], "faceBlendshapes": [{ "categories": [{ "index": 25,
      "score": 0.25, "categoryName": "jawOpen", "displayName": "" }], "headIndex": 0 }],
      "facialTransformationMatrixes": [\(text.joined(separator: "\n"))
      ] }
      """
  }

  static let dumps = [
    javaScript(), javaScript(matrix: rows), python(), unity(isMirrored: true),
    unity(isMirrored: false),
  ]

  @Test(arguments: dumps.indices)
  func `every form has the same face`(index: Int) throws {
    let read = try read(Self.dumps[index])
    let face = try #require(read.frames.first?.faces.first)
    #expect(read.frames.count == 1 && read.frames[0].isRelative)
    #expect(face.landmarks.first?.points[256] == Point(x: 0.5, y: 0.25))
    #expect(face.landmarks.first?.depths?[256] == -0.125)
    #expect(face.blendshapes?[Blendshape.jawOpen.index] == 0.25)
    #expect((0..<16).map { Double(face.pose?.matrix[$0] ?? .nan) } == Self.rows)
  }

  @Test func `what Python and Android print is read too`() throws {
    let places = (0..<478).map { (Double($0) / 512, 0.25, -0.125) }
    let python = places.map {
      "NormalizedLandmark(x=\($0.0), y=\($0.1), z=\($0.2), visibility=0.0, presence=None, name=None)"
    }
    let lists = (0..<4).map { "\(Array(Self.rows[4 * $0..<4 * $0 + 4]))" }.joined(separator: ",\n ")
    let printed = try read(
      "FaceLandmarkerResult(face_landmarks=[[\(python.joined(separator: ", "))]], face_blendshapes=[["
        + "Category(index=25, score=0.25, display_name='', category_name='jawOpen')]], "
        + "facial_transformation_matrixes=[array([\(lists)], dtype=float32)])\n"
        + "FaceLandmarkerResult(face_landmarks=[], face_blendshapes=[], "
        + "facial_transformation_matrixes=[])\n", to: "printed.txt")
    #expect(printed.frames.map(\.faces.count) == [1, 0])
    let java = places.map {
      "<Normalized Landmark (x=\($0.0) y=\($0.1) z=\($0.2) visibility= Optional.empty "
        + "presence=Optional.empty)>"
    }
    let line =
      "FaceLandmarkerResult{timestampMs=33, faceLandmarks=[[\(java.joined(separator: ", "))]], "
      + "faceBlendshapes=Optional[[[<Category \"jawOpen\" (displayName= score=0.25 index=25)>]]], "
      + "facialTransformationMatrixes=Optional[[[F@1b2c3d]]}\n"
    let logged = try read(line, to: "android.log")
    #expect(logged.frames.map(\.timestampMicroseconds) == [33_000])
    for frame in [printed.frames[0], logged.frames[0]] {
      let face = try #require(frame.faces.first)
      #expect(face.landmarks.first?.points[256] == Point(x: 0.5, y: 0.25))
      #expect(face.blendshapes?[Blendshape.jawOpen.index] == 0.25)
    }
    #expect((0..<16).map { Double(printed.frames[0].faces[0].pose?.matrix[$0] ?? 0) } == Self.rows)
  }

  @Test func `lines, lists and objects by key tell images, numbers and times`() throws {
    let lines = try read(
      Self.python(#""image": "a.jpg", "width": 640, "height": 480, "#) + "\n"
        + Self.python(#""image": "b.jpg", "width": 640, "height": 480, "#))
    #expect(lines.frames.map(\.name) == ["a.jpg", "b.jpg"])
    #expect(lines.frames.allSatisfy { $0.statedSize == ImageSize(width: 640, height: 480) })
    #expect(lines.frames.allSatisfy { $0.begins == nil && $0.joins == nil })
    let numbered = try read(
      "[" + Self.javaScript(#""frame": 3, "#) + ", " + #"{"frame": 5, "faceLandmarks": []}"# + "]")
    #expect(numbered.frames.map(\.number) == [2, 4] && numbered.frames[0].joins == .number)
    #expect(numbered.frames.map(\.faces.count) == [1, 0])
    let keyed = try read(#"{"0": \#(Self.javaScript()), "40": {"faceLandmarks": []}}"#)
    #expect(keyed.frames.map(\.timestampMicroseconds) == [0, 40_000])
    #expect(keyed.frames[0].joins == .time)
    let timed = try read(
      "[" + Self.javaScript(#""timestamp": 1000, "#) + ", "
        + #"{"timestamp": 1040, "faceLandmarks": []}"# + "]")
    #expect(timed.frames.map(\.timestampMicroseconds) == [1_000_000, 1_040_000])
    #expect(timed.frames[0].joins == .time)
    #expect(timed.remarks.contains("dump: times are taken as ms"))
  }

  @Test func `a frame's number next to the name of its image does not hide the name`() throws {
    let results = ["b.jpg", "a.jpg"].enumerated().map { index, name in
      Self.python(#""frame": \#(index), "image": "\#(name)", "#)
    }
    let read = try read("[" + results.joined(separator: ", ") + "]")
    #expect(read.frames.map(\.name) == ["b.jpg", "a.jpg"])
    #expect(read.frames.allSatisfy { $0.begins == nil && $0.joins == nil })
    let clip = (0..<2).map { index in
      Self.python(#""time": "00:00:0\#(index)", "timestamp_ms": \#(40 * index), "#)
    }
    let timed = try self.read("[" + clip.joined(separator: ", ") + "]")
    #expect(timed.frames.map(\.timestampMicroseconds) == [0, 40_000])
    #expect(timed.frames.allSatisfy { $0.joins == .time })
  }

  @Test(arguments: [("timestamp_ms", 2_000_000), ("timestamp", 2000)] as [(String, Int64)])
  func `a word that tells the unit of times is believed, however far apart they are`(
    word: String, microseconds: Int64
  ) throws {
    let results = (0..<3).map { Self.python("\"\(word)\": \(2000 * $0), ") }
    let read = try read("[" + results.joined(separator: ", ") + "]")
    #expect(read.frames.map(\.timestampMicroseconds) == [0, microseconds, 2 * microseconds])
  }

  @Test func `coefficients alone make faces without a place`() throws {
    let list =
      #"[{"categoryName": "jawOpen", "score": 0.25}, {"categoryName": "mouthClose", "score": 1}]"#
    for shapes in ["[{\"categories\": \(list)}]", "[\(list)]", list] {
      let made = try self.read(
        "[{\"timestamp\": 1000, \"faceBlendshapes\": \(shapes)}, "
          + "{\"timestamp\": 1040, \"faceBlendshapes\": []}]")
      #expect(made.frames.map(\.faces.count) == [1, 0])
      let face = try #require(made.frames.first?.faces.first)
      #expect(face.blendshapes?[Blendshape.jawOpen.index] == 0.25 && face.landmarks.isEmpty)
      #expect(made.frames[0].isRelative == false)
      #expect(!made.remarks.contains { $0.contains("size of their images") })
      #expect(made.remarks.first == "no landmarks: faces are without a place")
      #expect(!made.remarks.contains { $0.contains("boxes") })
    }
  }

  @Test func `another number of landmarks is an error with its place`() throws {
    let error = #expect(throws: FileError.self) {
      try read(#"[{"faceLandmarks": [[{"x": 0, "y": 0, "z": 0}]]}]"#)
    }
    let text = "expected 478 landmarks, or 468 without irises, found 1"
    #expect(error?.description.contains(text) == true)
    #expect(error?.description.contains("faceLandmarks[0]") == true)
  }

  @Test func `results numbered from 1 tell that the first is unknown, those from 0 do not`() throws
  {
    func numbers(
      _ range: ClosedRange<Int>, _ key: String = "frame"
    ) throws -> (numbers: [Int?], areUnknown: Set<Bool>) {
      let results = range.map { Self.javaScript("\"\(key)\": \($0), ") }
      let frames = try read("[\(results.joined(separator: ", "))]").frames
      return (frames.map(\.number), Set(frames.map(\.isFirstUnknown)))
    }
    let first = try numbers(1...3)
    #expect(first.numbers == [0, 1, 2] && first.areUnknown == [true])
    let zero = try numbers(0...2)
    #expect(zero.numbers == [0, 1, 2] && zero.areUnknown == [false])
    #expect(try numbers(4...6, "index").numbers == [3, 4, 5])
  }

  @Test func `points in pixels are taken as pixels`() throws {
    let points = (0..<478).map { "{\"x\": \(Double($0)), \"y\": 250, \"z\": -0.1}" }
    let read = try read("[{\"faceLandmarks\": [[\(points.joined(separator: ", "))]]}]")
    #expect(try #require(read.frames.first).isRelative == false)
    #expect(
      read.remarks.contains(
        "points of 1 results are far beyond 1: taken as pixels of the image, not as fractions"))
    #expect(try self.read("[\(Self.javaScript())]").frames.first?.isRelative == true)
  }

  @Test func `numbers count where times are rounded until they stand still`() throws {
    let results = (0..<3).map { Self.javaScript("\"frame\": \($0), \"timestamp\": 0, ") }
    let frames = try read("[\(results.joined(separator: ", "))]").frames
    #expect(frames.map(\.number) == [0, 1, 2])
    #expect(frames.map(\.timestampMicroseconds) == [0, 33_333, 66_667])
  }
}
