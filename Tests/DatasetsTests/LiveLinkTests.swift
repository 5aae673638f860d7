import CZlib
import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct LiveLinkTests {
  /// ARKit's 52 coefficients and nine angles as Live Link Face heads its columns.
  static let columns = """
    EyeBlinkLeft EyeLookDownLeft EyeLookInLeft EyeLookOutLeft EyeLookUpLeft EyeSquintLeft EyeWideLeft \
    EyeBlinkRight EyeLookDownRight EyeLookInRight EyeLookOutRight EyeLookUpRight EyeSquintRight \
    EyeWideRight JawForward JawRight JawLeft JawOpen MouthClose MouthFunnel MouthPucker MouthRight \
    MouthLeft MouthSmileLeft MouthSmileRight MouthFrownLeft MouthFrownRight MouthDimpleLeft \
    MouthDimpleRight MouthStretchLeft MouthStretchRight MouthRollLower MouthRollUpper \
    MouthShrugLower MouthShrugUpper MouthPressLeft MouthPressRight MouthLowerDownLeft \
    MouthLowerDownRight MouthUpperUpLeft MouthUpperUpRight BrowDownLeft BrowDownRight BrowInnerUp \
    BrowOuterUpLeft BrowOuterUpRight CheekPuff CheekSquintLeft CheekSquintRight NoseSneerLeft \
    NoseSneerRight TongueOut HeadYaw HeadPitch HeadRoll LeftEyeYaw LeftEyePitch LeftEyeRoll \
    RightEyeYaw RightEyePitch RightEyeRoll
    """.split(separator: " ").map(String.init)

  static func row(_ timecode: String, _ value: Double = 0.5, count: Int = 61) -> String {
    "\(timecode),\(count),"
      + (0..<count).map { "\(value + Double($0) / 1000)" }.joined(separator: ",")
  }

  static func text(
    _ rows: [String], count: String = "BlendShapeCount", more: [String] = [], ends: String = "\n"
  ) -> String {
    ([(["Timecode", count] + columns + more).joined(separator: ",")] + rows)
      .map { $0 + ends }.joined()
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ text: String) throws -> (frames: [ImportedFrame], remarks: [String]) {
    try readAll(LiveLinkCSV(), [folder.write(text, to: "take.csv")])
  }

  @Test func `61 columns become blendshapes by name, the tongue and angles attributes`() throws {
    for (spelling, ends) in [("BlendShapeCount", "\n"), ("BlendshapeCount", "\r\n")] {
      let read = try read(
        Self.text([Self.row("10:20:30:58.500")], count: spelling, ends: ends))
      let frame = try #require(read.frames.first)
      #expect(frame.name == "take/10:20:30:58.500" && frame.image.file == nil)
      let face = try #require(frame.faces.first)
      let shapes = try #require(face.blendshapes)
      #expect(shapes[0].isNaN)
      for shape in Blendshape.allCases.dropFirst() {
        let name = shape.rawValue.prefix(1).uppercased() + shape.rawValue.dropFirst()
        let position = Self.columns.firstIndex { $0 == name }
        let column = try #require(position, "\(name)")
        #expect(shapes[shape.index] == Float(0.5 + Double(column) / 1000), "\(name)")
      }
      #expect(
        Set(face.attributes.keys) == [
          "tongueOut", "headYaw", "headPitch", "headRoll", "leftEyeYaw", "leftEyePitch",
          "leftEyeRoll", "rightEyeYaw", "rightEyePitch", "rightEyeRoll",
        ])
      #expect(face.attributes["tongueOut"] == 0.551 && face.attributes["rightEyeRoll"] == 0.56)
      #expect(face.pose == nil)
    }
  }

  /// Two seconds of a timecode, every `step` frames of a `rate`.
  private func rows(_ rate: Int, every step: Int = 1) -> [String] {
    stride(from: rate / 2, to: 5 * rate / 2, by: step).enumerated().map { index, frame in
      let frames = frame % rate < 10 ? "0\(frame % rate)" : "\(frame % rate)"
      return Self.row("10:00:0\(frame / rate):\(frames).000", Double(index) / 1000)
    }
  }

  @Test(arguments: [10, 12, 15, 20, 24, 25, 30, 48, 50, 60], [1, 2])
  func `the frames of a second are counted where the timecode goes on`(rate: Int, step: Int) throws
  {
    guard rate % step == 0 else { return }
    let read = try read(Self.text(rows(rate, every: step)))
    let times = read.frames.map(\.timestampMicroseconds)
    let expected = 1_000_000 * step / rate
    #expect(zip(times, times.dropFirst()).allSatisfy { abs(Int($1 - $0) - expected) <= 1 })
    #expect(read.frames[0].begins?.framesPerSecond == Double(rate / step))
    #expect(
      read.frames[0].context.attributes["timecodeSeconds"] == 36_000 + Double(rate / 2)
        / Double(rate))
  }

  @Test func `a given rate counts`() throws {
    var options = ImportOptions()
    options.framesPerSecond = 25
    let source = try folder.write(
      Self.text([Self.row("10:00:00:00.000"), Self.row("10:00:00:01.000")]), to: "take.csv")
    var times: [Int64] = []
    _ = try LiveLinkCSV().read([source], options: options) {
      times.append($0.timestampMicroseconds)
    }
    #expect(times == [0, 40_000])
  }

  @Test func `30 fps of data inside a 60-fps timecode keeps the timecode's times`() throws {
    let read = try read(
      Self.text(
        [
          "23:59:59:54.000", "23:59:59:56.000", "23:59:59:58.000", "00:00:00:00.000",
          "00:00:00:02.000", "00:00:00:06.000", "00:00:00:06.000",
        ].enumerated().map { Self.row($1, Double($0) / 10) }))
    #expect(
      read.frames.map(\.timestampMicroseconds) == [0, 33_333, 66_667, 100_000, 133_333, 200_000])
    #expect(read.frames[0].begins?.framesPerSecond == 30)
    #expect(read.frames.dropFirst().allSatisfy { $0.begins == nil })
    #expect(
      read.remarks == [
        "frames have labels and no images",
        "take: times are the timecode's, taken as 60 frames per second, with about 30 frames "
          + "of data per second",
        "take: the timecode passes midnight",
        "lost: take: 1 frames whose time does not rise",
        "take: irregular timecode: 2 of 6 steps are not the usual",
      ])
  }

  @Test func `values outside 0 to 1 are kept and counted, dead channels are named`() throws {
    let low = Self.row("00:00:00:00.000", -0.01)
    let high = Self.row("00:00:00:01.000", 0.99)
    func dead(_ row: String) -> String {
      var fields = row.split(separator: ",").map(String.init)
      fields[2 + 52] = "0.0"
      fields[2 + 53] = "0"
      return fields.joined(separator: ",")
    }
    let read = try read(Self.text([dead(low), dead(high)]))
    #expect(
      read.remarks.suffix(2) == [
        "take: coefficients outside 0 to 1 are kept: 10 below 0, 41 above 1",
        "take: 2 dead channels, the same in all 2 frames: HeadYaw, HeadPitch",
      ])
    #expect(read.frames[0].faces[0].blendshapes?[Blendshape.eyeBlinkLeft.index] == -0.01)
  }

  @Test func `the 68-column variant brings its emotions as attributes`() throws {
    let emotions = ["Angry", "Disgusted", "Fearful", "Happy", "Neutral", "Sad", "Surprised"]
    let read = try read(
      Self.text(
        [Self.row("00:00:00:00.000", count: 68)], count: "BlendshapeCount", more: emotions,
        ends: "\r\n"))
    #expect(read.frames[0].faces[0].attributes["surprised"] == 0.567)
    #expect(
      read.remarks[2] == "take: 7 more columns than Live Link's become attributes: "
        + emotions.joined(separator: ", "))
  }

  @Test func `a row that counts 0 channels is a frame without a face`() throws {
    let read = try read(
      Self.text([
        Self.row("00:00:00:00.000"), "00:00:00:01.000,0" + String(repeating: ",", count: 61),
      ]))
    #expect(read.frames.map(\.faces.count) == [1, 0])
    #expect(read.remarks.contains("take: 1 frames without a face"))
    let zeros = String(repeating: ",0.0", count: 61)
    let empty = String(repeating: ",", count: 61)
    let others = try self.read(
      Self.text([
        Self.row("00:00:00:00.000"), "00:00:00:01.000,0" + zeros, "00:00:00:02.000,61" + empty,
        "00:00:00:03.000,61" + zeros,
      ]))
    #expect(others.frames.map(\.faces.count) == [1, 0, 0, 1])
  }

  @Test func `columns are read by their names, in any order, without angles and with semicolons`()
    throws
  {
    let coefficients = Array(Self.columns.prefix(52).reversed())
    let head = (["Timecode", "BlendShapeCount"] + coefficients).joined(separator: ";")
    let values = coefficients.map { $0 == "JawOpen" ? "0.25" : "0.5" }.joined(separator: ";")
    let read = try read("\(head)\n00:00:00:00.000;61;\(values)\n")
    #expect(LiveLinkCSV().recognises(folder.file("take.csv")) != nil)
    let face = try #require(read.frames.first?.faces.first)
    #expect(face.blendshapes?[Blendshape.jawOpen.index] == 0.25)
    #expect(face.blendshapes?[Blendshape.mouthClose.index] == 0.5)
    #expect(face.attributes == ["tongueOut": 0.5])
  }

  @Test func `a channel without a number is not labelled, and numbers of rows are no channel`()
    throws
  {
    let row = Self.row("00:00:00:01.000").replacing(",0.5,", with: ",-nan(ind),")
    let plain = Self.text([Self.row("00:00:00:00.000"), row])
    let lines = plain.split(whereSeparator: \.isNewline)
    let numbered = lines.enumerated().map {
      "\($0.offset == 0 ? "" : "\($0.offset)"),\($0.element)\n"
    }
    for text in [plain, numbered.joined()] {
      let read = try read(text)
      let shapes = read.frames.map { $0.faces[0].blendshapes?[Blendshape.eyeBlinkLeft.index] }
      #expect(shapes[0] == 0.5 && shapes[1]?.isNaN == true)
      #expect(LiveLinkCSV().recognises(folder.file("take.csv")) != nil)
    }
  }

  static let failures: [(text: String, message: String)] = [
    ("", ": expected a header, found an empty file"),
    (
      "Time,Count\n",
      ", line 1: expected a header that begins with Timecode,BlendShapeCount, found 'Time,Count'"
    ),
    (
      "Timecode,BlendShapeCount,EyeBlinkRight\n",
      ", line 1: expected a column 'EyeBlinkLeft' (a table of other columns is read by 'import csv'), "
        + "found 'EyeBlinkRight'"
    ),
    (
      "Timecode,BlendShapeCount,EyeBlinkLeft\n",
      ", line 1: expected a column 'EyeLookDownLeft' (a table of other columns is read by 'import csv'), "
        + "found 'EyeBlinkLeft'"
    ),
    (
      text([], more: ["JawOpen"]),
      ", line 1: expected other plain names after the 61 of Live Link, found 'JawOpen'"
    ),
    (
      text([], more: ["../x"]),
      ", line 1: expected other plain names after the 61 of Live Link, found '../x'"
    ),
    (text(["00:00:00:00.000,61,1"]), ", line 2: expected 63 fields, found '3'"),
    (
      text(["", row("00:00:00:60.000")]),
      ", line 3: expected a timecode HH:MM:SS:FF.mmm below 24 h and 60 frames, found "
        + "'00:00:00:60.000'"
    ),
    (
      text([row("00:00:-1:00.000")]),
      ", line 2: expected a timecode HH:MM:SS:FF.mmm below 24 h and 60 frames, found "
        + "'00:00:-1:00.000'"
    ),
    (
      text([row("00:00:00:00.000").replacing(",61,", with: ",52,")]),
      ", line 2: expected a count of 61, the channels of the header, found '52'"
    ),
    (
      text([row("00:00:00:00.000").replacing(",0.5,", with: ",shut,")]),
      ", line 2: expected a number in EyeBlinkLeft, found 'shut'"
    ),
    (
      text([row("00:00:00:00.000").replacing(",0.501,", with: ",0x1p3,")]),
      ", line 2: expected a number in EyeLookDownLeft, found '0x1p3'"
    ),
    (text(["\"00:00"]), ", line 2: expected a closing quote, found 'the end of the file'"),
  ]

  @Test(arguments: failures.indices)
  func `what is wrong is one line that names the line`(index: Int) throws {
    let error = #expect(throws: FileError.self) { try read(Self.failures[index].text) }
    #expect(
      error?.line(from: folder) == "cannot read take.csv\(Self.failures[index].message)")
    #expect(error?.kind == .wrongData)
  }

  @Test func `a header without rows is an error`() throws {
    let error = #expect(throws: FileError.self) { try read(Self.text([])) }
    #expect(error?.line(from: folder) == "cannot read take: expected frames, found none")
  }

  /// Frames `range` of a camera with 30000/1001 frames per second, numbered with or without drop-frame.
  private func broadcast(_ range: Range<Int>, drops: Bool, separator: String = ":") -> [String] {
    range.map { frame in
      // SMPTE ST 12-1: numbers 0 and 1 of each minute but each tenth are left out.
      let (tens, rest) = (frame / 17_982, frame % 17_982)
      let number = drops ? frame + 18 * tens + (rest < 2 ? 0 : 2 * ((rest - 2) / 1798)) : frame
      func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
      let (seconds, inSecond) = (number / 30, number % 30)
      return Self.row(
        "01:\(two(seconds / 60)):\(two(seconds % 60))\(separator)\(two(inSecond)).000",
        Double(frame % 100) / 1000)
    }
  }

  private func times(_ rows: [String], rate: Double?) throws -> [Int64] {
    var options = ImportOptions()
    options.framesPerSecond = rate
    var times: [Int64] = []
    _ = try LiveLinkCSV().read(
      [try folder.write(Self.text(rows), to: "take.csv")], options: options
    ) { times.append($0.timestampMicroseconds) }
    return times
  }

  @Test(arguments: [(false, ":", 29.97), (true, ":", nil), (true, ";", nil)])
  func `30 numbers a second at 29.97 frames are times of the camera`(
    drops: Bool, separator: String, rate: Double?
  ) throws {
    // Across a minute that leaves numbers out.
    let rows = broadcast(1700..<1900, drops: drops, separator: separator)
    let found = try times(rows, rate: rate)
    #expect(found.count == rows.count)
    for (index, time) in found.enumerated() {
      #expect(abs(Double(time) - Double(index) * 1_001_000 / 30) < 1.5)
    }
  }

  @Test func `times without a given rate and without left out numbers stay at 30 a second`() throws
  {
    let found = try times(broadcast(1700..<1900, drops: false), rate: nil)
    #expect(abs(try #require(found.last) - 199 * 1_000_000 / 30) <= 1)
  }
}
