import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Which frames of a dataset a tracker's output belongs to, where it tells numbers or times of its own.
@Suite struct FrameNumberTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let box = FaceLabel(box: BoundingBox(x: 1, y: 2, width: 4, height: 4))

  /// A clip at 25 frames per second, which skips two after the first `lossAfter`, or as many stills.
  private func dataset(
    ofStills names: [String] = [], count: Int = 10, rate: Double = 0, lossAfter: Int = .max
  ) throws -> DatasetReader {
    let url = folder.file("d.h5")
    let writer = try DatasetWriter(url, name: "d", replacing: true)
    if names.isEmpty {
      writer.beginSequence(
        SequenceDescription(name: "c.mp4", kind: .video, framesPerSecond: rate))
    }
    for number in 0..<(names.isEmpty ? count : names.count) {
      try writer.add(
        name: names.isEmpty ? "c.mp4/\(number)" : names[number], image: [],
        size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: names.isEmpty
          ? 40_000 * Int64(number < lossAfter ? number : number + 2) : 0, faces: [])
    }
    try writer.finish()
    return try DatasetReader(url)
  }

  /// How many faces each frame of the dataset gets.
  private func importing(
    _ frames: [ImportedFrame], by key: FrameKey, of dataset: DatasetReader, first: Int? = nil,
    offset: FrameOffset = .frames(0), rate: Double? = nil
  ) throws -> [Int] {
    try run(frames, by: key, of: dataset, first: first, offset: offset, rate: rate).faces
  }

  private func run(
    _ frames: [ImportedFrame], by key: FrameKey, of dataset: DatasetReader, first: Int? = nil,
    offset: FrameOffset = .frames(0), rate: Double? = nil
  ) throws -> (faces: [Int], remarks: [String]) {
    var options = ImportOptions()
    options.framesPerSecond = rate
    var plan = PredictionsImport(
      format: PredictionsImportTests.Source(joins: key, frames: frames),
      sources: [folder.file("source")], options: options, isStrict: false)
    plan.firstNumber = first
    plan.offset = offset
    let url = folder.file("p.h5")
    let summary = try plan.run(
      for: dataset, sha256: "ab", into: url, replacing: true, advance: { _ in },
      isInterrupted: { false })
    let reader = try PredictionsReader(url)
    return (
      try reader.predictions(0..<reader.frameCount).map(\.faces.count), summary.remarks.map(\.text)
    )
  }

  private static func isEvery(_ step: Int, _ faces: [Int], from first: Int = 0) -> Bool {
    faces.enumerated().allSatisfy { ($1 > 0) == ($0 >= first && $0 % step == 0) }
  }

  @Test func `images that were taken of a clip at a rate are joined by it`() throws {
    let clip = try dataset(count: 100, rate: 25)
    let images = Self.images((1...20).map { "frame_\($0).jpg" })
    #expect(try Self.isEvery(5, importing(images, by: .time, of: clip, rate: 5)))
    // Without a face in the first image, and with one after the clip's end.
    let late = Self.images((2...21).map { "frame_\($0).jpg" })
    let error = #expect(throws: FileError.self) {
      try importing(late, by: .time, of: clip, rate: 5)
    }
    #expect(error?.description.hasSuffix("from 2 to 21 (--first-number 0 or 1)") == true)
    #expect(
      try Self.isEvery(5, importing(late, by: .time, of: clip, first: 1, rate: 5), from: 5))
    // Times of their own count as they are.
    let timed = try importing(Self.timed([0, 40_000]), by: .time, of: clip, rate: 5)
    #expect(timed.prefix(2) == [1, 1])
    let none = #expect(throws: FileError.self) { try importing(images, by: .time, of: clip) }
    #expect(none?.description.contains("the rate of numbered images, --fps") == true)
  }

  @Test func `images of every fifth frame are told the join that fits, others are not`() throws {
    let clip = try dataset(count: 100, rate: 25)
    let hint = "if they are of one frame in 5: --join time --fps 5"
    let images = Self.images((1...20).map { "frame_\($0).jpg" })
    for key in [FrameKey.name, .number] {
      let error = #expect(throws: FileError.self) { try importing(images, by: key, of: clip) }
      #expect(error?.description.hasSuffix("; \(hint))") == true, "\(key)")
    }
    let wrong = try run(images, by: .number, of: clip, first: 1)
    #expect(wrong.remarks.contains { $0.hasSuffix(hint) })
    let right = try run(images, by: .time, of: clip, rate: 5)
    #expect(!right.remarks.contains { $0.hasSuffix(hint) })
    #expect(
      right.remarks.contains {
        $0.contains("one frame in 5 is there") && $0.contains("subset --frames ::5'")
      })
    // The last number is no part of the clip's frames, and the frames have no steps.
    let some = try run(
      Self.images((1...23).map { "frame_\($0).jpg" }), by: .number, of: clip, first: 1)
    #expect(!some.remarks.contains { $0.contains("--fps") || $0.contains("one frame in") })
  }

  @Test(arguments: [true, false], [0, 1])
  func `images that names join to the next one are told the join by number`(
    areStills: Bool, first: Int
  ) throws {
    guard areStills || first == 0 else { return }
    func names(_ first: Int) -> [String] { (first..<first + 10).map { "c.mp4/\($0)" } }
    let labels = try dataset(ofStills: areStills ? names(first) : [])
    let images = Self.images(names(1 - first))
    let named = try run(images, by: .name, of: labels)
    #expect(named.faces.count { $0 > 0 } == 9)
    #expect(named.remarks.contains { $0.hasSuffix("(--join number)") })
    #expect(try importing(images, by: .number, of: labels) == [Int](repeating: 1, count: 10))
    let same = try run(Self.images(names(first)), by: .name, of: labels)
    #expect(!same.remarks.contains { $0.contains("--join number") })
  }

  @Test func `an image keeps its name where a clip of the same import has numbers`() throws {
    let writer = try DatasetWriter(folder.file("mixed.h5"), name: "d", replacing: true)
    let size = ImageSize(width: 0, height: 0)
    try writer.add(name: "a.jpg", image: [], size: size, faces: [])
    let clip = SequenceDescription(name: "c.mp4", kind: .video)
    writer.beginSequence(clip)
    var frames = [
      ImportedFrame(name: "a.jpg", image: .file(folder.file("a.jpg")), faces: [Self.box])
    ]
    for number in 0..<2 {
      try writer.add(
        name: "c.mp4/\(number)", image: [], size: size,
        timestampMicroseconds: 40_000 * Int64(number), faces: [])
      var frame = ImportedFrame(name: "c.mp4/\(number)", image: .none, faces: [Self.box])
      (frame.number, frame.joins) = (number, FrameKey.number)
      if number == 0 { frame.begins = clip }
      frames.append(frame)
    }
    try writer.finish()
    let mixed = try DatasetReader(folder.file("mixed.h5"))
    #expect(try importing(frames, by: .name, of: mixed) == [1, 1, 1])
  }

  private static func images(_ names: [String]) -> [ImportedFrame] {
    names.map { ImportedFrame(name: $0, image: .none, faces: [box]) }
  }

  private static func timed(_ times: [Int64]) -> [ImportedFrame] {
    times.enumerated().map { index, time in
      var frame = ImportedFrame(
        name: "\(index)", image: .none, faces: [box], timestampMicroseconds: time)
      if index == 0 { frame.begins = SequenceDescription(name: "c", kind: .video) }
      return frame
    }
  }

  @Test func `images of a clip are joined by the numbers in their names`() throws {
    let clip = try dataset()
    let names = ["frames/f_0002.png", "frames/f_0004.png", "frames/f_0010.png"]
    let found = try importing(Self.images(names), by: .number, of: clip)
    #expect(found == [0, 1, 0, 1, 0, 0, 0, 0, 0, 1])
    let zero = try importing(Self.images(["f_0.png", "f_2.png"]), by: .number, of: clip)
    #expect(zero == [1, 0, 1, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func `where neither 0 nor the last number is there, the first is asked for`() throws {
    let clip = try dataset()
    let frames = Self.images(["f_2.png", "f_4.png"])
    let error = #expect(throws: FileError.self) {
      try importing(frames, by: .number, of: clip)
    }
    #expect(error?.description.contains("(--first-number 0 or 1)") == true)
    #expect(try importing(frames, by: .number, of: clip, first: 0)[2] == 1)
    #expect(try importing(frames, by: .number, of: clip, first: 1)[1] == 1)
  }

  /// Labels of every fifth frame of a clip of 20, at 25 frames per second.
  private func sparse(from first: Int = 0, names: String = "c/", time: Int64 = 40_000) throws
    -> DatasetReader
  {
    let url = folder.file("s.h5")
    let writer = try DatasetWriter(url, name: "s", replacing: true)
    writer.beginSequence(SequenceDescription(name: "c", kind: .video, framesPerSecond: 25))
    for number in stride(from: first, to: 20, by: 5) {
      try writer.add(
        name: "\(names)\(number)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: time * Int64(number), faces: [])
    }
    try writer.finish()
    return try DatasetReader(url)
  }

  /// Output of a clip, a face of its own width in each of its frames; numbered from 1 where it has no 0.
  private static func numbered(_ numbers: some Sequence<Int>) -> [ImportedFrame] {
    let numbers = Array(numbers)
    let isFirstUnknown = !numbers.contains(0)
    return numbers.enumerated().map { place, number in
      var frame = ImportedFrame(
        name: "c/\(number)", image: .none,
        faces: [FaceLabel(box: BoundingBox(x: 0, y: 0, width: Double(number + 1), height: 9))])
      frame.number = isFirstUnknown ? number - 1 : number
      frame.isFirstUnknown = isFirstUnknown
      frame.timestampMicroseconds = 40_000 * Int64(number)
      if place == 0 { frame.begins = SequenceDescription(name: "c", kind: .video) }
      return frame
    }
  }

  /// The number of the output's frame that each frame of the dataset gets; nil without one.
  private func numbers(
    _ frames: [ImportedFrame], by key: FrameKey = .number, of dataset: DatasetReader,
    first: Int? = nil, offset: FrameOffset = .frames(0)
  ) throws -> [Int?] {
    _ = try importing(frames, by: key, of: dataset, first: first, offset: offset)
    return try PredictionsReader(folder.file("p.h5")).predictions(0..<dataset.frameCount).map {
      $0.faces.first?.box.map { Int($0.width) - 1 }
    }
  }

  @Test func `labels of every fifth frame are found by numbers from 0 or from 1`() throws {
    let labels = try sparse()
    #expect(try numbers(Self.numbered(0..<20), of: labels) == [0, 5, 10, 15])
    let fromOne = Self.numbered(1...20)
    let error = #expect(throws: FileError.self) { try numbers(fromOne, of: labels) }
    #expect(
      error?.description.hasSuffix("found numbers from 1 to 20 (--first-number 0 or 1)") == true)
    #expect(throws: FileError.self) {
      try numbers(fromOne, of: labels, offset: .frames(-1))
    }
    #expect(try numbers(fromOne, of: labels, first: 1) == [1, 6, 11, 16])
    #expect(try numbers(fromOne, of: labels, first: 0, offset: .frames(-1)) == [1, 6, 11, 16])
    #expect(try numbers(fromOne, of: labels, first: 0) == [nil, 5, 10, 15])
    // Of the labelled frames alone the numbers tell, also without a face in the first.
    #expect(try numbers(Self.numbered([5, 10, 15]), of: labels) == [nil, 5, 10, 15])
    #expect(try numbers(Self.numbered([1, 6, 11, 16]), of: labels) == [1, 6, 11, 16])
  }

  @Test func `a part of a clip counts from 0 where its times do`() throws {
    let labels = try sparse(from: 5)
    #expect(try numbers(Self.numbered(0..<20), of: labels) == [5, 10, 15])
    let fromOne = Self.numbered(1...20)
    #expect(throws: FileError.self) { try numbers(fromOne, of: labels) }
    #expect(try numbers(fromOne, of: labels, first: 1) == [6, 11, 16])
    // Without times both sides may count from the same number.
    let untimed = try sparse(from: 5, time: 0)
    #expect(try numbers(fromOne, of: untimed) == [5, 10, 15])
    #expect(try numbers(fromOne, of: untimed, first: 1) == [6, 11, 16])
  }

  @Test(arguments: [FrameKey.number, .name, .time])
  func `an offset in frames counts those of the clip, labelled or not`(key: FrameKey) throws {
    let labels = try sparse()
    let frames = Self.numbered(0..<20)
    #expect(try numbers(frames, by: key, of: labels, offset: .frames(-1)) == [1, 6, 11, 16])
    #expect(try numbers(frames, by: key, of: labels, offset: .frames(5)) == [nil, 0, 5, 10])
  }

  @Test func `an offset of names that count no frames is one of rows`() throws {
    let labels = try sparse(names: "c/t")
    let frames = Self.numbered(stride(from: 0, to: 20, by: 5)).map {
      var frame = $0
      frame.name = frame.name.replacing("c/", with: "c/t")
      return frame
    }
    #expect(try numbers(frames, by: .name, of: labels, offset: .frames(1)) == [nil, 0, 5, 10])
  }

  @Test func `numbered images that no name joins are told of the join by number`() throws {
    let clip = try dataset()
    let error = #expect(throws: FileError.self) {
      try importing(Self.images(["f_0001.png"]), by: .name, of: clip)
    }
    #expect(error?.description.hasSuffix("(--join number)") == true)
  }

  @Test func `times within the clip are the clip's, others count from the first frame`() throws {
    let clip = try dataset()
    let late = try importing(Self.timed([80_000, 120_000, 360_000]), by: .time, of: clip)
    #expect(late == [0, 0, 1, 1, 0, 0, 0, 0, 0, 1])
    // The last is a frame after the clip's: a clock that began a frame earlier.
    let others = (1...10).map { 40_000 * Int64($0) }
    #expect(try importing(Self.timed(others), by: .time, of: clip).allSatisfy { $0 == 1 })
    let session = try importing(Self.timed([5_000_000, 5_040_000]), by: .time, of: clip)
    #expect(session == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func `rows counted as frames where the times jump are told the join by time`() throws {
    let clip = try dataset(count: 40, rate: 25)
    let there = Array(0..<20) + Array(30..<40)
    let jumping = Self.timed(there.map { 40_000 * Int64($0) })
    let found = try run(jumping, by: .number, of: clip)
    #expect(found.remarks.contains { $0.contains("--join time joins by the times") })
    let byTime = try importing(jumping, by: .time, of: clip)
    #expect(byTime.indices.filter { byTime[$0] > 0 } == there)
    // The clip's end alone is missing.
    let steady = try run(Self.timed((0..<30).map { 40_000 * Int64($0) }), by: .number, of: clip)
    #expect(!steady.remarks.contains { $0.contains("--join time") })
  }

  @Test func `times made of numbers and a rate are told from those of a clip that lacks frames`()
    throws
  {
    let clip = try dataset(count: 20, lossAfter: 8)
    let rows = (0..<20).map { 40_000 * Int64($0) }
    let made = try run(Self.timed(rows), by: .time, of: clip)
    #expect(made.remarks.contains { $0.hasSuffix("are not the clip's (--join number)") })
    #expect(try run(Self.timed(rows), by: .number, of: clip).faces.allSatisfy { $0 == 1 })
    let own = (0..<20).map { 40_000 * Int64($0 < 8 ? $0 : $0 + 2) }
    let right = try run(Self.timed(own), by: .time, of: clip)
    #expect(right.faces.allSatisfy { $0 == 1 })
    #expect(!right.remarks.contains { $0.contains("--join number") })
    // Of a clip that lacks no frame such times are its own, also where one is late.
    let whole = try dataset(count: 20)
    let moved = try run(Self.timed(rows.map { $0 + 80_000 }), by: .time, of: whole)
    #expect(!moved.remarks.contains { $0.contains("--join number") })
  }

  @Test func `images that repeat the frames that a clip lacks are told the join by time`() throws {
    let clip = try dataset(count: 20, lossAfter: 8)
    let names = (1...22).map { "frame_\($0).png" }
    let some = try run(Self.images(names), by: .number, of: clip)
    #expect(some.remarks.contains { $0.hasSuffix("(then --join time --fps 25)") })
    let timed = try run(Self.images(names), by: .time, of: clip, rate: 25)
    #expect(timed.faces.allSatisfy { $0 == 1 })
    #expect(!timed.remarks.contains { $0.contains("--fps 25") })
  }

  @Test func `a clock that is less than half a step late counts from the first frame`() throws {
    let times: [Int64] = (0..<10).map { (index: Int64) -> Int64 in
      let late: Int64 = index % 2 == 0 ? 13_000 : 22_000
      return 40_000 * index + late
    }
    let found = try importing(Self.timed(times), by: .time, of: try dataset())
    #expect(found.allSatisfy { $0 == 1 })
  }

  @Test func `times that begin late within a long clip need an offset`() throws {
    let clip = try dataset(count: 100)
    let frames = Self.timed([1_520_000, 1_560_000])
    let error = #expect(throws: FileError.self) { try importing(frames, by: .time, of: clip) }
    #expect(
      error?.description.hasSuffix(
        "found one 1.52 s later (--offset 0s if times are the clip's, --offset -1.52s if both begin "
          + "together)") == true)
    let own = try importing(frames, by: .time, of: clip, offset: .seconds(0))
    #expect(own.firstIndex(of: 1) == 38)
    let together = try importing(frames, by: .time, of: clip, offset: .seconds(-1.52))
    #expect(together.firstIndex(of: 1) == 0)
  }

  @Test func `a later part of a clip takes its part of the output`() throws {
    let url = folder.file("d.h5")
    let writer = try DatasetWriter(url, name: "d", replacing: true)
    writer.beginSequence(SequenceDescription(name: "c.mp4", kind: .video))
    for number in 5..<10 {
      try writer.add(
        name: "c.mp4/\(number)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: 40_000 * Int64(number), faces: [])
    }
    try writer.finish()
    let part = try DatasetReader(url)
    // Only the frames from the sixth on have a face.
    let frames = Self.timed((0..<12).map { 40_000 * Int64($0) }).enumerated().map { index, frame in
      var frame = frame
      if index < 5 { frame.faces = [] }
      return frame
    }
    #expect(try importing(frames, by: .time, of: part) == [1, 1, 1, 1, 1])
    let error = #expect(throws: FileError.self) { try importing(frames, by: .number, of: part) }
    #expect(error?.description.contains("it lacks frames of 'c'") == true)
  }

  @Test func `frames without times are not joined by time`() throws {
    let clip = try dataset()
    let error = #expect(throws: FileError.self) {
      try importing(Self.timed([0, 0]), by: .time, of: clip)
    }
    #expect(error?.description.contains("expected times, found none") == true)
  }

  @Test func `stills are not joined by their place unless all are there`() throws {
    let stills = try dataset(ofStills: ["a/x.jpg", "b/x.jpg", "c/y.jpg"])
    let names = #expect(throws: FileError.self) {
      try importing(Self.images(["x.jpg", "y.jpg"]), by: .name, of: stills)
    }
    #expect(names?.description.hasSuffix("(write names with their folders)") == true)
    let numbers = #expect(throws: FileError.self) {
      try importing(Self.images(["x.jpg", "y.jpg"]), by: .number, of: stills)
    }
    #expect(numbers?.description.contains("found 2 without numbers") == true)
    let all = try importing(Self.images(["1.jpg", "2.jpg", "3.jpg"]), by: .number, of: stills)
    #expect(all == [1, 1, 1])
  }
}
