import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// OpenFace's and Py-Feat's tables, made here.
@Suite struct TrackerTableTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let coordinates = ["x", "y"].flatMap { axis in
    (0..<68).map { "\(axis)_\($0)" }
  }
  private static let pose = [
    "pose_Tx", "pose_Ty", "pose_Tz", "pose_Rx", "pose_Ry", "pose_Rz",
  ]
  private static let points = (0..<136).map { "\(Double($0) / 2)" }

  /// A table of names and rows of the fields that differ, then the pose and 68 points.
  private static func openFace(
    _ names: [String], _ rows: [[String]], separator: String = ", ",
    pose: [String] = ["0", "0", "500", "0", "0", "0"]
  ) -> String {
    let head: [String] = names + Self.pose + coordinates
    let lines: [[String]] = [head] + rows.map { $0 + pose + points }
    return lines.map { $0.joined(separator: separator) + "\r\n" }.joined()
  }

  private static let sequence = ["frame", "face_id", "timestamp", "confidence", "success"]

  private func openFace(_ text: String) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(OpenFaceCSV(), [folder.write(text, to: "clip.csv")])
  }

  private func pyFeat(_ text: String) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(PyFeatCSV(), [folder.write(text, to: "fex.csv")])
  }

  @Test(arguments: [", ", ","])
  func `a space after the comma is no part of a name or number`(separator: String) throws {
    let read = try openFace(
      Self.openFace(
        Self.sequence,
        [
          ["1", "0", "0", "0.9", "1"], ["1", "1", "0", "0.8", "1"], ["2", "0", "0.04", "0.1", "0"],
          ["4", "1", "0.12", "0.7", "1"],
        ], separator: separator))
    #expect(read.frames.map(\.number) == [0, 1, 3])
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 40_000, 120_000])
    #expect(read.frames.map { $0.faces.map(\.score) } == [[0.9, 0.8], [], [0.7]])
    #expect(read.frames.map { $0.faces.map(\.identity) } == [[0, 1], [], [1]])
    #expect(read.frames[0].faces[0].landmarks[0].points[67] == Point(x: 33.5, y: 67.5))
    #expect(
      read.remarks.suffix(3) == [
        "clip: 1 rows whose success is 0 are frames without a face",
        "clip: 1 frame numbers without a row have no frame",
        "clip: times are the file's, about 12.5 frames per second",
      ])
  }

  @Test(arguments: ["AU01_r", "AU45_c", "gaze_0_x"])
  func `a table of action units or gaze alone has attributes and no box`(name: String) throws {
    let text =
      (Self.sequence + [name]).joined(separator: ", ") + "\n0, 0, 0, 0.9, 1, 0.5\n"
      + "1, 0, 0.04, 0.9, 1, -nan(ind)\n2, 0, 0.08, 0.9, 0, 0\n"
    let read = try openFace(text)
    #expect(read.frames.map(\.number) == [0, 1, 2])
    #expect(read.frames.map { $0.faces.map(\.attributes) } == [[[name: 0.5]], [[:]], []])
    #expect(read.frames[0].faces[0].score == 0.9 && read.frames[0].faces[0].landmarks.isEmpty)
    #expect(read.frames[0].faces[0].box.area == 0 && read.frames[0].faces[0].pose == nil)
    #expect(read.remarks.contains("clip: no columns of points: faces have no box"))
    #expect(read.remarks.contains("clip: frames count from 0 in the file"))
    #expect(OpenFaceCSV().recognises(folder.file("clip.csv")) != nil)
  }

  @Test func `points come without a pose, and a pose without points`() throws {
    let row = ["1", "0", "0", "0.9", "1"]
    let table = [Self.sequence + Self.coordinates, row + Self.points]
    let points = try openFace(table.map { $0.joined(separator: ",") + "\n" }.joined())
    #expect(points.frames[0].faces[0].landmarks.map(\.scheme) == [.ibug68])
    #expect(points.frames[0].faces[0].pose == nil)
    let other = [Self.sequence + Self.pose, row + ["0", "0", "500", "0", "0", "0"]]
    let pose = try openFace(other.map { $0.joined(separator: ",") + "\n" }.joined())
    #expect(pose.frames[0].faces[0].landmarks.isEmpty && pose.frames[0].faces[0].pose != nil)
    #expect(pose.remarks.contains("clip: no columns of points: faces have no box"))
  }

  @Test(arguments: [
    "nan", "-nan", "NaN", "-nan(ind)", "nan(snan)", "1.#IND", "-1.#IND00", "1.#QNAN", "inf", "-inf",
    "Infinity", "NA", "None", "null", "",
  ])
  func `what C and Python write for no number is none`(word: String) throws {
    let gap = Self.points.dropLast() + [word]
    let rows = [["1", "0", "0", word, "1"], ["2", "0", "0.04", "0.9", "1"]]
    let read = try openFace(
      [
        Self.sequence + Self.pose + Self.coordinates,
        rows[0] + [word, "0", "500", "0", "0", "0"] + Self.points,
        rows[1] + ["0", "0", "500", "0", "0", "0"] + gap,
      ].map { $0.joined(separator: ",") + "\n" }.joined())
    #expect(read.frames[0].faces.map(\.score) == [nil])
    #expect(read.frames[0].faces.map(\.pose) == [nil])
    #expect(read.frames[1].faces.isEmpty)
    #expect(read.remarks.contains("clip: 1 rows without numbers for their points have no face"))
    let table = try pyFeat(Self.rectangle + ",AU01\n1,2,3,4,1,\(word)\n")
    #expect(table.frames[0].faces.map(\.attributes) == [[:]])
  }

  @Test(arguments: [",", "Unnamed: 0,"])
  func `the numbers of rows that pandas writes are no column`(head: String) throws {
    let names = Self.sequence + Self.pose + Self.coordinates
    let row = ["1", "0", "0", "0.9", "1", "0", "0", "500", "0", "0", "0"] + Self.points
    let read = try openFace(
      "\(head)\(names.joined(separator: ","))\n0,\(row.joined(separator: ","))\n")
    #expect(read.frames[0].faces[0].attributes.isEmpty && read.frames[0].faces[0].score == 0.9)
    #expect(OpenFaceCSV().recognises(folder.file("clip.csv")) != nil)
    let faces = try pyFeat(head + Self.rectangle + ",AU01\n0,1,2,3,4,0.5,0.25\n")
    #expect(faces.frames[0].faces[0].attributes == ["AU01": 0.25])
    #expect(faces.frames[0].faces[0].box == BoundingBox(x: 1, y: 2, width: 3, height: 4))
    #expect(PyFeatCSV().recognises(folder.file("fex.csv")) != nil)
  }

  @Test func `OpenFace's camera looks along z with y down, ours along -z with y up`() throws {
    let turned = try openFace(
      Self.openFace(
        Self.sequence, [["1", "0", "0", "1", "1"]],
        pose: ["20", "30", "500", "0", "0.5", "0"]))
    let pose = try #require(turned.frames[0].faces[0].pose).matrix
    let (s, c) = (Float(sin(0.5)), Float(cos(0.5)))
    let expected = SIMD16<Float>(c, 0, -s, 2, 0, 1, 0, -3, s, 0, c, -50, 0, 0, 0, 1)
    for lane in 0..<16 { #expect(abs(pose[lane] - expected[lane]) < 1e-6, "\(lane)") }
  }

  @Test func `the table of one image has no frames and makes a still`() throws {
    let read = try openFace(
      Self.openFace(["face", "confidence"], [["0", "0.9"], ["1", "0.8"]]))
    #expect(read.frames.count == 1 && read.frames[0].begins == nil)
    // The column counts the faces of the image.
    #expect(read.frames[0].faces.map(\.identity) == [nil, nil])
  }

  @Test(arguments: [24.0, 30, 60])
  func `times in milliseconds tell the rate of which they are rounded`(rate: Double) throws {
    let rows = (0...Int(2 * rate)).map { index -> [String] in
      let milliseconds = Int((1000 * Double(index) / rate).rounded())
      return ["\(index + 1)", "0", "\(Double(milliseconds) / 1000)", "1", "1"]
    }
    let read = try openFace(Self.openFace(Self.sequence, rows))
    #expect(read.frames[0].begins?.framesPerSecond == rate)
  }

  @Test func `without a column of times the frames count`() throws {
    let text = Self.openFace(
      ["frame", "confidence", "success"], [["1", "1", "1"], ["2", "1", "1"]])
    let read = try readAll(
      OpenFaceCSV(), [folder.write(text, to: "clip.csv")], ImportOptions(framesPerSecond: 50))
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 20_000])
    #expect(read.remarks.last == "clip: no column of times, taken as 50 frames per second (--fps)")
  }

  @Test func `times in milliseconds are refused, where they count`() throws {
    let rows = (0..<30).map { ["\($0 + 1)", "0", "\(33 * $0)", "1", "1"] }
    let text = Self.openFace(Self.sequence, rows)
    let error = #expect(throws: FileError.self) { try openFace(text) }
    #expect(error?.description.contains("expected timestamps in seconds, found frames") == true)
    var options = ImportOptions()
    options.isPredictions = true
    let file = try folder.write(text, to: "clip.csv")
    #expect(try readAll(OpenFaceCSV(), [file], options).frames.count == 30)
  }

  static let openFaceErrors: [(text: String, message: String)] = [
    ("", "clip.csv: expected a header, found an empty file"),
    ("frame,frame\n", "clip.csv, line 1: expected every column once, found 'frame'"),
    (
      "frame,confidence\n",
      "clip.csv, line 1: expected columns of points, head pose, gaze or action units, found "
        + "'frame,confidence'"
    ),
    (
      "frame,confidence,pose_Rx\n",
      "clip.csv, line 1: expected a column 'pose_Tx', found 'frame,confidence,pose_Rx'"
    ),
    (
      "frame;confidence;pose_Rx\n1;0,5;0,1\n",
      "clip.csv, line 1: expected commas between columns, not semicolons (write the table with commas "
        + "and decimal points), found 'frame;confidence;pose_Rx'"
    ),
    (openFace(sequence, []), "clip: expected rows, found none"),
    (
      openFace(sequence, [["1", "0", "0", "1", "1"], ["0", "0", "0", "1", "1"]]),
      "clip.csv, line 3: expected a frame of 1 or more, found '0'"
    ),
    (
      openFace(sequence, [["2", "0", "0", "1", "1"], ["1", "0", "0", "1", "1"]]),
      "clip.csv, line 3: expected a frame of 2 or more, found '1'"
    ),
    (
      openFace(sequence, [["1.5", "0", "0", "1", "1"]]),
      "clip.csv, line 2: expected a whole number in frame, found '1.5'"
    ),
    (
      openFace(sequence, [["1", "0", "1e200", "1", "1"]]),
      "clip.csv, line 2: expected a time in seconds, found '1e+200'"
    ),
    (
      openFace(sequence, [["1", "0", "0", "high", "1"]]),
      "clip.csv, line 2: expected a number in confidence, found 'high'"
    ),
    (
      openFace(sequence, [["1", "0", "0", "1"]]),
      "clip.csv, line 2: expected 147 fields, found '146'"
    ),
    (
      openFace(sequence, [["1", "0", "0", "1", "1"]], pose: ["far", "0", "0", "0", "0", "0"]),
      "clip.csv, line 2: expected a number in pose_Tx, found 'far'"
    ),
  ]

  @Test(arguments: openFaceErrors.indices)
  func `what is wrong in OpenFace's table is one line with its position`(index: Int) throws {
    let (text, message) = Self.openFaceErrors[index]
    let error = #expect(throws: FileError.self, "\(message)") { try openFace(text) }
    #expect(error?.line(from: folder) == "cannot read \(message)")
    #expect(error?.kind == .wrongData)
  }

  private static let rectangle = "FaceRectX,FaceRectY,FaceRectWidth,FaceRectHeight,FaceScore"

  @Test func `faces of a frame stand in rows, a row without a box is none`() throws {
    let read = try pyFeat(
      Self.rectangle + ",input,frame,Identity,happiness,anger,Pitch\n"
        + "1,2,3,4,0.5,/data/b/clip.mp4,0,Ann,0.7,0.2,90\n"
        + "5,6,7,8,0.25,/data/b/clip.mp4,0,Bob,0.1,0.2,0\n"
        + ",,,,,/data/b/clip.mp4,5,,,,\n" + "nan,NaN,nan,nan,nan,/data/b/clip.mp4,6,,,,\n"
        + "1,2,3,4,0.5,still.png,0,Bob,0.1,0.9,0\n")
    #expect(
      read.frames.map(\.name) == ["clip.mp4/0", "clip.mp4/5", "clip.mp4/6", "still.png"])
    #expect(read.frames.map(\.timestampMicroseconds) == [0, 166_667, 200_000, 0])
    #expect(read.frames.map { $0.faces.map(\.identity) } == [[0, 1], [], [], [1]])
    #expect(read.frames[0].faces.map(\.expression) == ["happiness", "anger"])
    #expect(read.frames[0].faces[0].box == BoundingBox(x: 1, y: 2, width: 3, height: 4))
    let pitch = try #require(read.frames[0].faces[0].attributes["headPitch"])
    #expect(abs(pitch - .pi / 2) < 1e-12)
    #expect(read.frames.map { $0.begins?.kind } == [.video, nil, nil, .still])
    #expect(read.frames.map(\.joins) == [nil, nil, nil, .name])
    #expect(
      read.remarks.suffix(4) == [
        "fex: Pitch, Roll and Yaw taken as degrees; no head pose is computed from them",
        "fex: inputs are named by the last part of their path",
        "fex: 1 videos without images, taken as 30 frames per second (--fps)",
        "fex: 2 rows without a box have no face",
      ])
  }

  @Test func `images of one name in several folders are different images of Py-Feat`() throws {
    let rows = ["a", "b"].map { "1,2,3,4,0.5,/data/\($0)/1.png,0\n" }
    for part in ["a", "b"] { try folder.write(Sample.png(9, 9), to: "\(part)/1.png") }
    let table = try folder.write(
      Self.rectangle + ",input,frame\n" + rows.joined(), to: "fex.csv")
    let read = try readAll(PyFeatCSV(), [table])
    #expect(read.frames.map(\.name) == ["a/1.png", "b/1.png"])
    #expect(
      read.frames.map { $0.image.file?.path }
        == ["a/1.png", "b/1.png"].map { folder.file($0).path })
    var options = ImportOptions(isLabelsOnly: true)
    options.isPredictions = true
    let output = try readAll(PyFeatCSV(), [table], options)
    #expect(output.frames.map(\.name) == ["1.png", "1.png"])
    #expect(
      output.frames.map { $0.image.file?.path.hasSuffix("data/b/1.png") } == [false, true])
  }

  @Test func `people whom Py-Feat numbers are others in another file`() throws {
    let files = try (0..<2).map { index in
      let rows = ["Person_0", "Ann"].enumerated().map { frame, name in
        "1,2,3,4,0.5,\(index).mp4,\(frame),\(name)\n"
      }
      return try folder.write(
        Self.rectangle + ",input,frame,Identity\n" + rows.joined(), to: "\(index).csv")
    }
    let read = try readAll(PyFeatCSV(), files)
    #expect(read.frames.map { $0.faces.map(\.identity) } == [[0], [1], [2], [1]])
  }

  static let pyFeatErrors: [(text: String, message: String)] = [
    (rectangle + "\n", "fex: expected rows, found none"),
    (
      "FaceRectX,FaceScore\n",
      "fex.csv, line 1: expected a column 'FaceRectY', found "
        + "'FaceRectX,FaceScore'"
    ),
    (
      rectangle + "\n1,2,-3,4,1\n",
      "fex.csv, line 2: expected a box of non-negative size, found '[1.0, 2.0, -3.0, 4.0]'"
    ),
    (
      rectangle + ",frame\n1,2,3,4,1,5\n1,2,3,4,1,4\n",
      "fex.csv, line 3: expected a frame of 5 or more, found '4'"
    ),
    (
      rectangle + ",a/b\n1,2,3,4,1,5\n", "fex.csv, line 2: expected a plain name, found 'a/b'"
    ),
    (
      rectangle + ",AU01\n1,2,3,4,1,high\n",
      "fex.csv, line 2: expected a number in AU01, found 'high'"
    ),
  ]

  @Test(arguments: pyFeatErrors.indices)
  func `what is wrong in Py-Feat's table is one line with its position`(index: Int) throws {
    let (text, message) = Self.pyFeatErrors[index]
    let error = #expect(throws: FileError.self, "\(message)") { try pyFeat(text) }
    #expect(error?.line(from: folder) == "cannot read \(message)")
    #expect(error?.kind == .wrongData)
  }
}
