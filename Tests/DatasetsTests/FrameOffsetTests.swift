import Datasets
import FaceCore
import Foundation
import TestSupport
import Testing

struct FrameOffsetTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: [
    ("3f", FrameOffset.frames(3)), ("-3f", .frames(-3)), ("+1f", .frames(1)),
    ("-0.12s", .seconds(-0.12)), (".5s", .seconds(0.5)),
  ])
  func `frames and seconds are read`(text: String, offset: FrameOffset) {
    #expect(FrameOffset(text) == offset)
  }

  @Test(arguments: ["", "3", "f", "3.5f", "s", "1ms", "nans", "infs", "-f", "1e9s", "3 f"])
  func `other text is refused`(text: String) {
    #expect(FrameOffset(text) == nil)
  }

  /// An ARKit session of one face a frame at 60 fps, from a frame of the session on; the coefficient is the frame's number.
  private func session(_ name: String, from first: Int, count: Int, late: Int = 0) throws -> URL {
    var lines = [#"{"format": "facegauge.arkit", "version": 1, "name": "take", "fps": 60}"#]
    for index in first..<first + count {
      let time = 1000 + Double(index + late) / 60
      lines.append(
        #"{"timestamp": \#(time), "faces": [{"identifier": "a", "isTracked": true, "transform": "#
          + #"[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, -0.4, 1]], "blendShapes": "#
          + #"{"jawOpen": \#(Double(index) / 64)}}]}"#)
    }
    return try folder.write(Array(lines.joined(separator: "\n").utf8), to: name)
  }

  private func dataset() throws -> DatasetReader {
    let url = folder.file("d.h5")
    let writer = try DatasetWriter(url, name: "d", replacing: true)
    let source = try session("take.json", from: 0, count: 32)
    _ = try DatasetImport(
      format: ARKitSession(), sources: [source], options: ImportOptions(), isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    return try DatasetReader(url)
  }

  /// The number that each frame of the dataset got, from its coefficient; nil without a face.
  private func joined(
    _ source: URL, by key: FrameKey = .time, _ offset: FrameOffset = .frames(0),
    into given: DatasetReader? = nil
  ) throws -> [Int?] {
    let url = folder.file("p.h5")
    var plan = PredictionsImport(
      format: ARKitSession(), sources: [source], options: ImportOptions(), isStrict: false, key: key
    )
    plan.offset = offset
    _ = try plan.run(
      for: given ?? dataset(), sha256: "ab", into: url, replacing: true, advance: { _ in },
      isInterrupted: { false })
    let reader = try PredictionsReader(url)
    let jaw = Blendshape.jawOpen.index
    return try reader.predictions(0..<reader.frameCount).map { frame in
      frame.faces.first?.blendshapes.map { Int(($0[jaw] * 64).rounded()) }
    }
  }

  private func own(_ range: Range<Int>) -> [Int?] {
    (0..<32).map { range.contains($0) ? $0 : nil }
  }

  @Test func `a session that began later is joined on the session's clock`() throws {
    #expect(try joined(session("late.json", from: 12, count: 20)) == own(12..<32))
    #expect(try joined(session("early.json", from: 0, count: 9)) == own(0..<9))
  }

  /// As of a clock in nanoseconds since 1970, or of a frame without a reading.
  @Test(arguments: [1.7e18, -1.7e18, .nan])
  func `readings that are no time in seconds tell no clock`(reading: Double) throws {
    let url = folder.file("ns.h5")
    let writer = try DatasetWriter(url, name: "d", replacing: true)
    writer.beginSequence(SequenceDescription(name: "take", kind: .video, framesPerSecond: 60))
    for index in 0..<32 {
      try writer.add(
        name: "take/\(index)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: Int64(index) * 16_667, faces: [],
        context: FrameContext(attributes: ["sessionSeconds": reading]))
    }
    try writer.finish()
    let source = try session("late.json", from: 12, count: 20)
    let found = try joined(source, into: DatasetReader(url))
    let expected: [Int?] = (0..<32).map { $0 < 20 ? $0 + 12 : nil }
    #expect(found == expected)
  }

  static let falling: [(clock: String, readings: [Double], expected: [Int?])] = [
    ("timecodeSeconds", [86_399.98, 0, 0.02, 0.04], [nil, 0, 1, 2]),
    ("sessionSeconds", [0.04, 0.06, 0, 0.02], [2, nil, 0, 1]),
  ]

  @Test(arguments: FrameOffsetTests.falling.indices)
  func `readings that fall, as at midnight, tell a clock too`(index: Int) throws {
    let (clock, readings, expected) = Self.falling[index]
    let url = folder.file("c.h5")
    let writer = try DatasetWriter(url, name: "c", replacing: true)
    writer.beginSequence(SequenceDescription(name: "take", kind: .video, framesPerSecond: 50))
    for (number, reading) in readings.enumerated() {
      try writer.add(
        name: "take/\(number)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: Int64(number) * 20_000, faces: [],
        context: FrameContext(attributes: [clock: reading]))
    }
    try writer.finish()
    let frames = (0..<3).map { number in
      let box = BoundingBox(x: Double(number), y: 0, width: 4, height: 4)
      var frame = ImportedFrame(
        name: "f", image: .none, faces: [FaceLabel(box: box)],
        timestampMicroseconds: Int64(number) * 20_000,
        begins: number == 0 ? SequenceDescription(name: "take", kind: .video) : nil)
      frame.context.attributes[clock] = Double(number) / 50
      return frame
    }
    let plan = PredictionsImport(
      format: PredictionsImportTests.Source(joins: .time, frames: frames),
      sources: [folder.file("source")], options: ImportOptions(), isStrict: false)
    _ = try plan.run(
      for: DatasetReader(url), sha256: "ab", into: folder.file("p.h5"), replacing: true,
      advance: { _ in }, isInterrupted: { false })
    let predictions = try PredictionsReader(folder.file("p.h5")).predictions(0..<4)
    #expect(predictions.map { $0.detections.first.map { Int($0.box.x) } } == expected)
  }

  @Test func `an image whose number is a reading of a clock is of no frame of the clip`() throws {
    let url = folder.file("n.h5")
    let writer = try DatasetWriter(url, name: "n", replacing: true)
    writer.beginSequence(SequenceDescription(name: "take", kind: .video, framesPerSecond: 25))
    for number in 0..<4 {
      try writer.add(
        name: "take/\(number)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: Int64(number) * 40_000, faces: [])
    }
    try writer.finish()
    let face = FaceLabel(box: BoundingBox(x: 1, y: 1, width: 4, height: 4))
    let frames = ["frame_0.jpg", "frame_1700000000123456.jpg"].map { name in
      ImportedFrame(name: name, image: .none, faces: [face])
    }
    var options = ImportOptions()
    options.framesPerSecond = 25
    let plan = PredictionsImport(
      format: PredictionsImportTests.Source(joins: .time, frames: frames),
      sources: [folder.file("source")], options: options, isStrict: false)
    let summary = try plan.run(
      for: DatasetReader(url), sha256: "ab", into: folder.file("p.h5"), replacing: true,
      advance: { _ in }, isInterrupted: { false })
    #expect(summary.joined == 1)
  }

  @Test(arguments: [(FrameKey.time, "-3f"), (.number, "-3f"), (.time, "-0.05s")])
  func `frames that come late are moved back`(key: FrameKey, text: String) throws {
    let offset = try #require(FrameOffset(text))
    let late = try session("late.json", from: 0, count: 32, late: key == .time ? 3 : 0)
    let found = try joined(late, by: key, offset)
    let expected = key == .time ? own(0..<32) : (0..<32).map { $0 + 3 < 32 ? $0 + 3 : nil }
    #expect(found == expected)
  }

  @Test func `an offset in seconds needs a join by time`() throws {
    let source = try session("a.json", from: 0, count: 4)
    let error = #expect(throws: (any Error).self) { try joined(source, by: .number, .seconds(1)) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("--join time"))
  }
}
