import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Another tracker's output on its way into predictions of a dataset.
@Suite struct PredictionsImportTests {
  /// A source with the frames that the test gives it.
  struct Source: DatasetFormat {
    let name = "made-up"
    let summary = ""
    var joins = FrameKey.name
    var frames: [ImportedFrame]

    func recognises(_ source: URL) -> String? { nil }

    func read(
      _ sources: [URL], options: ImportOptions,
      into sink: (ImportedFrame) throws(FileError) -> Void
    ) throws(FileError) -> [ImportRemark] {
      for frame in frames { try sink(frame) }
      return []
    }
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A clip of four frames at 25 per second after two stills, without images.
  private func dataset(_ names: [String] = ["a/x.jpg", "b/y.png"]) throws -> DatasetReader {
    let url = folder.file("d.h5")
    let writer = try DatasetWriter(url, name: "d", replacing: true)
    let size = ImageSize(width: 0, height: 0)
    for name in names { try writer.add(name: name, image: [], size: size, faces: []) }
    writer.beginSequence(SequenceDescription(name: "clips/c.mp4", kind: .video))
    for number in 0..<4 {
      try writer.add(
        name: "c/\(number)", image: [], size: size,
        timestampMicroseconds: 7_000_000 + 40_000 * Int64(number), faces: [])
    }
    try writer.finish()
    return try DatasetReader(url)
  }

  private static func frame(
    _ name: String, _ scores: [Double?] = [0.5], number: Int? = nil, time: Int64 = 0,
    begins: String? = nil
  ) -> ImportedFrame {
    var frame = ImportedFrame(
      name: name, image: .none,
      faces: scores.enumerated().map { index, score in
        var face = FaceLabel(box: BoundingBox(x: Double(index), y: 0, width: 4, height: 4))
        face.score = score
        return face
      }, timestampMicroseconds: time,
      begins: begins.map { SequenceDescription(name: $0, kind: .video) })
    frame.number = number
    return frame
  }

  @Test func `results of other categories are no faces, and are counted`() throws {
    var frame = Self.frame("a/x.jpg", [0.5, 0.25, 0.75, 0.9])
    frame.faces[1].category = 3
    frame.faces[2].category = 3
    frame.faces[3].category = 17
    let read = try importing([frame])
    #expect(read.predictions[0].faces.count == 1 && read.predictions[0].detections.count == 1)
    #expect(
      read.remarks.contains(
        "lost: 3 results of other categories than faces left out, by number here: 3 (2), 17 (1)"))
  }

  private func importing(
    _ frames: [ImportedFrame], by key: FrameKey = .name, strict: Bool = false,
    names: [String] = ["a/x.jpg", "b/y.png"], into given: DatasetReader? = nil,
    offset: FrameOffset = .frames(0)
  ) throws -> (predictions: [FramePrediction], remarks: [String]) {
    let dataset = try given ?? dataset(names)
    var plan = PredictionsImport(
      format: Source(joins: key, frames: frames), sources: [folder.file("source")],
      options: ImportOptions(), isStrict: strict)
    plan.offset = offset
    let url = folder.file("p.h5")
    let summary = try plan.run(
      for: dataset, sha256: "ab", into: url, replacing: true, advance: { _ in },
      isInterrupted: { false })
    let reader = try PredictionsReader(url)
    #expect(reader.header.models.isEmpty && reader.header.options == ["tracker": "made-up"])
    #expect(reader.header.datasetSHA256 == "ab" && reader.header.mode == "video")
    #expect(reader.faceCount == summary.faces && reader.frameCount == summary.frames)
    #expect(try folder.names == ["d.h5", "p.h5"])
    return (
      try reader.predictions(0..<reader.frameCount),
      summary.remarks.map { ($0.isLoss ? "lost: " : "") + $0.text }
    )
  }

  private static let faceless =
    "4 of 6 frames of the dataset are not in the sources: no face was found there"

  @Test(arguments: [
    (["a/x.jpg", "b/y.png"], "by whole names"),
    (["a/x.png", "b/y"], "by names without extension"),
    (["images/a/x.png", "images/b/y.jpg"], "by names without extension and first folders"),
    (["elsewhere/x.jpg", "y.jpeg"], "by the last part of names without extension"),
  ])
  func `frames are found by the reading of names that fits most`(names: [String], rule: String)
    throws
  {
    let (predictions, remarks) = try importing(names.map { Self.frame($0) })
    #expect(predictions.map(\.faces.count) == [1, 1, 0, 0, 0, 0])
    #expect(predictions.allSatisfy { $0.status == .analysed && $0.detectorRan })
    #expect(remarks.count == 2 && remarks[0] == "frames joined \(rule)")
    #expect(remarks[1].hasPrefix(Self.faceless + ", the first are '"))
  }

  @Test func `folders of images tell frames apart whose names are there more than once`() throws {
    var frame = Self.frame("x.jpg")
    frame.image = .file(folder.file("2/x.jpg"))
    let (predictions, remarks) = try importing([frame], names: ["1/x.jpg", "2/x.jpg"])
    #expect(predictions.prefix(2).map(\.faces.count) == [0, 1])
    #expect(remarks.first?.hasPrefix("frames joined by the folders of their images") == true)
    #expect(throws: FileError.self) {
      try importing([frame, frame], names: ["1/x.jpg", "2/x.jpg"])
    }
  }

  @Test func `a name that ends in a time is whole before an extension that tools add`() throws {
    let (predictions, remarks) = try importing(
      ["t=0.033.jpg", "t=0.067.jpg"].map { Self.frame($0) }, names: ["t=0.033", "t=0.067", "t=0.1"])
    #expect(predictions.prefix(3).map(\.faces.count) == [1, 1, 0])
    #expect(remarks.first == "frames joined by names and an extension")
  }

  /// In a clip of four frames numbers from 1 are sure with a 4 among them, and numbers from 1 to 3 are not.
  @Test func `where no number tells whether frames count from 0 or 1 the import asks`() throws {
    func frames(_ numbers: [Int]) -> [ImportedFrame] {
      numbers.map { number in
        var frame = Self.frame(
          "f", number: number - 1, begins: number == numbers[0] ? "c.csv" : nil)
        frame.isFirstUnknown = true
        return frame
      }
    }
    let told = try importing(frames([2, 4]), by: .number, names: [])
    #expect(told.predictions.map(\.faces.count) == [0, 1, 0, 1])
    let error = #expect(throws: FileError.self) {
      _ = try importing(frames([1, 2, 3]), by: .number, names: [])
    }
    #expect(
      error?.description.contains(
        "found numbers from 1 to 3 (--first-number 0 or 1)") == true)
    let moved = try importing(frames([1, 2]), by: .number, names: [], offset: .frames(1))
    #expect(moved.predictions.map(\.faces.count) == [0, 1, 1, 0])
  }

  @Test func `frames of a clip that lacks some are moved by the numbers in their names`() throws {
    let url = folder.file("d.h5")
    let writer = try DatasetWriter(url, name: "d", replacing: true)
    writer.beginSequence(SequenceDescription(name: "c", kind: .video))
    let names = [0, 1, 2, 6, 7].map { "c/\($0)" }
    for (index, name) in names.enumerated() {
      try writer.add(
        name: name, image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: 40_000 * Int64(index), faces: [])
    }
    try writer.finish()
    let frames = names.enumerated().map { index, name in
      Self.frame(name, number: index, begins: index == 0 ? "c" : nil)
    }
    for (offset, expected) in [
      (0, [1, 1, 1, 1, 1]), (1, [0, 1, 1, 0, 1]), (-1, [1, 1, 0, 1, 0]),
    ] {
      let read = try importing(
        frames, by: .number, into: DatasetReader(url), offset: .frames(offset))
      #expect(read.predictions.map(\.faces.count) == expected)
    }
  }

  @Test func `frames of sequences are found by number`() throws {
    let frames = [2, 0, 9].map { Self.frame("f", number: $0, begins: $0 == 2 ? "c.csv" : nil) }
    let (predictions, remarks) = try importing(frames, by: .number, names: [])
    #expect(predictions.map(\.faces.count) == [1, 0, 1, 0])
    #expect(
      remarks.dropLast() == [
        "frames joined by number, one sequence",
        "lost: 1 of 3 frames left out because the dataset does not have them, the first is 'f'",
      ])
    #expect(
      remarks.last?.hasPrefix(
        "2 of 4 frames of the dataset are not in the sources: no face was found there, the first are '"
      )
        == true)
    let named = try importing(
      [Self.frame("f", begins: "other"), Self.frame("g", begins: "c")], by: .number)
    #expect(named.predictions.map(\.faces.count) == [0, 0, 1, 0, 0, 0])
    #expect(named.remarks.first == "frames joined by number, sequences by name")
  }

  @Test func `frames of a clip that lacks some are found by the numbers in their names`() throws {
    let dataset = try clip([0, 2, 4])
    func joined(_ title: String, count: Int = 3) throws -> (faces: [Int], rule: String?) {
      let frames = (0..<count).map {
        Self.frame("\(title)/\($0)", number: $0, begins: $0 == 0 ? title : nil)
      }
      let result = try importing(frames, by: .number, into: dataset)
      return (result.predictions.map(\.faces.count), result.remarks.first)
    }
    let same = try joined("c.mp4")
    #expect(same.faces == [1, 1, 0])
    #expect(
      same.rule
        == "frames joined by number, one sequence, by the numbers in its frames' names "
        + "where some are missing")
    let other = try joined("other")
    #expect(other.faces == [1, 1, 1])
    #expect(other.rule == "frames joined by number, one sequence")
    let error = #expect(throws: FileError.self) { try joined("other", count: 5) }
    #expect(
      error?.line(from: folder)
        == "cannot join by number to d.h5: expected the names of its frames, because it lacks frames "
        + "of 'other' (3 of 5), found 5 such as 'other/0' (--join time)")
  }

  @Test func `an offset in frames counts the frames that a clip lacks`() throws {
    let dataset = try clip([0, 1, 2, 4, 5, 6])
    let frames = [0, 1, 2, 4, 5, 6].map {
      Self.frame("c.mp4/\($0)", number: $0, begins: $0 == 0 ? "c.mp4" : nil)
    }
    let later = try importing(frames, into: dataset, offset: .frames(1))
    // 0 to 1, 1 to 2, 2 to the missing 3, 4 to 5, 5 to 6, 6 beyond the end.
    #expect(later.predictions.map(\.faces.count) == [0, 1, 1, 0, 1, 1])
  }

  /// A clip of frames with such numbers.
  private func clip(_ numbers: [Int]) throws -> DatasetReader {
    let url = folder.file("d.h5")
    let writer = try DatasetWriter(url, name: "d", replacing: true)
    writer.beginSequence(SequenceDescription(name: "c.mp4", kind: .video))
    for number in numbers {
      try writer.add(
        name: "c.mp4/\(number)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: 40_000 * Int64(number), faces: [])
    }
    try writer.finish()
    return try DatasetReader(url)
  }

  @Test func `frames of sequences are found by the nearest time within half a step`() throws {
    let times: [Int64] = [5_000_000, 5_041_000, 5_061_000, 5_141_000]
    let frames = times.map { Self.frame("t", time: $0, begins: $0 == times[0] ? "c" : nil) }
    let (predictions, remarks) = try importing(frames, by: .time, names: [])
    #expect(predictions.map(\.faces.count) == [1, 1, 1, 0])
    #expect(
      remarks.contains(
        "lost: 1 of 4 frames left out because the dataset does not have them, the first is 't'"))
  }

  @Test func `of several frames within half a step the nearest in time counts`() throws {
    let times: [Int64] = [5_000_000, 5_018_000, 5_034_000, 5_044_000, 5_044_000, 5_078_000]
    let frames = times.map { Self.frame("t", time: $0, begins: $0 == times[0] ? "c" : nil) }
    let (predictions, remarks) = try importing(frames, by: .time, names: [])
    #expect(predictions.map(\.faces.count) == [1, 2, 1, 0])
    #expect(
      remarks.contains(
        "2 of 6 frames left out because others are nearer in time to the frames of the dataset"))
    #expect(!remarks.contains { $0.hasPrefix("lost") })
  }

  @Test func `all attributes of a face are imported, best score first`() throws {
    var sure = FaceLabel(box: BoundingBox(x: 1, y: 2, width: 3, height: 4), identity: 7)
    sure.score = 0.75
    sure.expression = "happy"
    sure.attributes = ["AU12_r": 2.5]
    sure.pose = HeadPose(matrix: SIMD16(1, 0, 0, .nan, 0, 1, 0, .nan, 0, 0, 1, .nan, 0, 0, 0, 1))
    let five = (0..<5).map { Point(x: Double($0), y: 9) }
    sure.landmarks = [
      try #require(
        Landmarks(
          scheme: .five, points: five,
          visibility: [.visible, .occluded, .visible, .notLabelled, .visible]))
    ]
    var frame = Self.frame("a/x.jpg", [0.5, nil, 3])
    frame.faces.append(sure)
    frame.faces.append(FaceLabel(box: sure.box, isIgnored: true))
    frame.nanoseconds = 1_500
    let (predictions, remarks) = try importing([frame])
    let found = predictions[0]
    #expect(found.detections.map(\.score) == [3, 1, 0.75, 0.5])
    #expect(found.faces.map(\.detectionScore) == [3, nil, 0.75, 0.5])
    #expect(found.faces.map(\.presence) == [nil, nil, 0.75, 0.5])
    #expect(found.stageNanoseconds == [1_500] && predictions[1].stageNanoseconds == [nil])
    let face = found.faces[2]
    #expect(face.identity == 7 && face.expression == "happy")
    #expect(face.attributes == ["AU12_r": 2.5] && face.pose?.matrix[0] == 1)
    #expect(face.scheme == .five && face.points[1] == SIMD3(1, 9, .nan) || face.points[1].x == 1)
    #expect(face.points[3].x.isNaN && face.box == sure.box)
    #expect(found.faces[0].scheme == nil && found.faces[0].ownBox?.x == 2)
    #expect(
      remarks.dropFirst(2) == [
        "1 faces without a score get score 1",
        "1 of 3 scores are outside of 0 to 1: they rank detections and are no probabilities",
        "lost: 1 ignored faces and crowds left out: they are no predictions",
      ])
  }

  @Test func `the ranges of scores and presences tell what a tracker gives`() throws {
    func ranges(
      _ scores: [Double?]
    ) throws -> (scores: ClosedRange<Float>?, presences: ClosedRange<Float>?, remark: String?) {
      let (_, remarks) = try importing([Self.frame("a/x.jpg", scores)])
      let (own, presences) = try PredictionsReader(folder.file("p.h5")).confidenceRanges()
      return (own, presences, remarks.first { $0.contains(" a score") })
    }
    let none = try ranges([nil, nil])
    #expect(none.scores == 1...1 && none.presences == nil)
    #expect(none.remark?.hasPrefix("no face has a score") == true)
    let some = try ranges([0.25, -3, 0.5])
    #expect(some.scores == -3...0.5 && some.presences == 0.25...0.5 && some.remark == nil)
    let empty = try ranges([])
    #expect(empty.scores == nil && empty.presences == nil && empty.remark == nil)
  }

  @Test func `of several schemes that with the most points comes along`() throws {
    var frame = Self.frame("a/x.jpg")
    for scheme in [LandmarkScheme.five, .ibug68] {
      let points = (0..<scheme.count).map { Point(x: Double($0), y: 1) }
      frame.faces[0].landmarks.append(try #require(Landmarks(scheme: scheme, points: points)))
    }
    let (predictions, remarks) = try importing([frame])
    #expect(predictions[0].faces[0].scheme == .ibug68)
    #expect(remarks.last == "lost: points of five left out: predictions have one scheme")
  }

  @Test(arguments: [
    (
      [frame("nobody.jpg")], [], false,
      "expected frames of DATASET, found none among 1 (joined by names), the first is 'nobody.jpg', of the dataset 'c/0'"
    ),
    (
      [frame("x")], ["1/x.jpg", "2/x.jpg"], false,
      "cannot join by the last part of names without extension to DATASET: expected one frame named "
        + "'x', found more (--join number or time)"
    ),
    (
      [frame("a/x.jpg"), frame("z")], ["a/x.jpg"], true,
      "cannot import without loss (--strict): 1 of 2 frames left out because the dataset does not "
        + "have them, the first is 'z'"
    ),
  ])
  func `output that does not fit is refused and nothing is written`(
    frames: [ImportedFrame], names: [String], strict: Bool, message: String
  ) throws {
    let error = #expect(throws: FileError.self) {
      try importing(frames, strict: strict, names: names)
    }
    #expect(error?.kind == .wrongData)
    let path = folder.file("d.h5").relativePath
    #expect(
      error?.description.hasSuffix(message.replacing("DATASET", with: path)) == true,
      "\(error?.description ?? "")")
    #expect(try folder.names == ["d.h5"])
  }

  @Test func `faces without a position have no box and are no detections`() throws {
    var frame = Self.frame("a/x.jpg", [nil])
    frame.faces[0].box = BoundingBox(x: 0, y: 0, width: 0, height: 0)
    frame.faces[0].blendshapes = [Float](repeating: 0.25, count: 52)
    let (predictions, _) = try importing([frame])
    #expect(predictions[0].faces.count == 1 && predictions[0].detections.isEmpty)
    #expect(predictions[0].faces[0].box == nil)
    #expect(try !PredictionsReader(folder.file("p.h5")).hasPositions())
    let mixed = try importing([frame, Self.frame("b/y.png")])
    #expect(mixed.predictions.map(\.detections.count) == [0, 1, 0, 0, 0, 0])
    #expect(try PredictionsReader(folder.file("p.h5")).hasPositions())
    _ = try importing([Self.frame("a/x.jpg", [])])
    #expect(try PredictionsReader(folder.file("p.h5")).hasPositions(), "nothing is known of none")
  }

  @Test func `frames that the source names, with faces or without, are told from others`() throws {
    let frames = [Self.frame("b/y.png", []), Self.frame("c/0"), Self.frame("c/1")]
    let (predictions, _) = try importing(frames)
    #expect(predictions.map(\.isInSource) == [false, true, true, true, false, false])
    let reader = try PredictionsReader(folder.file("p.h5"))
    #expect(try reader.framesNotInSource() == [0..<1, 4..<6])
    let all = ["a/x.jpg", "b/y.png"] + (0..<4).map { "c/\($0)" }
    #expect(try importing(all.map { Self.frame($0, []) }).predictions.allSatisfy(\.isInSource))
    #expect(try PredictionsReader(folder.file("p.h5")).framesNotInSource().isEmpty)
  }

  @Test func `times of a frame that no number holds together are refused`() throws {
    var frame = Self.frame("a/x.jpg")
    frame.nanoseconds = .max - 1
    #expect(throws: FileError.self) { try importing([frame, frame]) }
  }
}
