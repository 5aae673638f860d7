import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import TestSupport
import Testing

@Suite struct SyntheticPeopleTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A dataset of stills with bright spots at their points.
  private func stills(_ count: Int) throws -> DatasetReader {
    let url = folder.file("stills.h5")
    let writer = try DatasetWriter(url, name: "stills", replacing: true)
    let image = try ClipMakerTests.image()
    for number in 0..<count {
      try writer.add(
        name: "still\(number).png", image: try image.pngBytes(), size: image.size,
        faces: [FaceLabel(box: ClipMakerTests.box, landmarks: [try ClipMakerTests.landmarks()])])
    }
    try writer.finish()
    return try DatasetReader(url)
  }

  private func clips(
    _ people: Int, of stills: Int, seed: UInt64 = 1, motions: [Motion] = Motion.allCases,
    name: String = "clips.h5"
  ) throws -> (DatasetReader, ClipMaker.Summary) {
    let source = try self.stills(stills)
    let writer = try DatasetWriter(folder.file(name), name: "clips", replacing: true)
    let summary = try ClipMaker(motions: motions, framesPerClip: 2, people: people, seed: seed)
      .run(over: source, into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    return (try DatasetReader(folder.file(name)), summary)
  }

  @Test func `each person is one clip of one motion with a number of its own`() throws {
    let (dataset, summary) = try clips(5, of: 2, motions: [.still, .roll])
    #expect(summary.clips == 5)
    #expect(
      dataset.sequences.map(\.name) == [
        "still0-1/still", "still0-3/roll", "still0-5/still", "still1-2/roll", "still1-4/still",
      ])
    #expect(
      dataset.sequences.map(\.subject) == [
        "still0-1", "still0-3", "still0-5", "still1-2", "still1-4",
      ])
    let identities = try dataset.labels(0..<10).map { $0.first?.identity }
    #expect(identities == [0, 0, 2, 2, 4, 4, 1, 1, 3, 3])
    #expect(try !DatasetValidation(of: dataset).hasErrors)
  }

  @Test func `people of many stills have all motions, and those of few stills too`() throws {
    let motions: [Motion] = [.still, .pan, .roll]
    func names(_ stills: Int) throws -> [String] {
      try clips(6, of: stills, motions: motions, name: "\(stills).h5").0.sequences.map(\.name)
    }
    #expect(
      try names(6) == [
        "still0-1/still", "still1-2/pan", "still2-3/roll", "still3-4/still", "still4-5/pan",
        "still5-6/roll",
      ])
    #expect(
      try names(2) == [
        "still0-1/still", "still0-3/pan", "still0-5/roll", "still1-2/still", "still1-4/pan",
        "still1-6/roll",
      ])
  }

  @Test func `images without a person are counted`() throws {
    let (dataset, summary) = try clips(1, of: 3)
    #expect(summary.unused == 2)
    #expect(dataset.frameCount == 2)
  }

  @Test func `a seed gives the same people and another gives others`() throws {
    let first = try clips(3, of: 1, name: "a.h5").0
    let again = try clips(3, of: 1, name: "b.h5").0
    let other = try clips(3, of: 1, seed: 2, name: "c.h5").0
    for frame in 0..<first.frameCount {
      let range = frame..<frame + 1
      let points = try [first, again, other].map { dataset in
        try dataset.labels(range).flatMap { $0.flatMap { $0.landmarks.flatMap(\.labelled) } }
      }
      #expect(points[0] == points[1])
      #expect(points[0] != points[2])
    }
  }

  /// Spots of the image are round and 2.2 pixels wide; the shape stretches them by up to a third, which moves their
  /// centroids by less than .15 pixels. Without the shape's motion the labels would be off by pixels.
  @Test func `the pixels of every person are at the labels`() throws {
    let dataset = try clips(20, of: 1, motions: [.still]).0
    var moved = 0.0
    for frame in stride(from: 0, to: dataset.frameCount, by: 2) {
      guard case .encoded(let bytes) = try dataset.image(frame) else {
        Issue.record("frame \(frame) is not encoded")
        continue
      }
      let pixels = try PixelBuffer(decoding: bytes[...])
      let label = try #require(try dataset.labels(frame..<frame + 1)[0].first)
      for (point, spot) in zip(label.landmarks[0].labelled, ClipMakerTests.spots) {
        moved = max(moved, abs(point.x - spot.x), abs(point.y - spot.y))
        let found = try #require(Self.centroid(in: pixels, around: point))
        #expect(abs(found.x - point.x) < 0.15 && abs(found.y - point.y) < 0.15, "\(frame)")
      }
    }
    #expect(moved > 2)
  }

  /// The centroid of the light above a third of the brightest value within 7 pixels.
  private static func centroid(in image: PixelBuffer, around point: Point) -> Point? {
    var values: [(Point, Double)] = []
    for y in Int(point.y - 7)...Int(point.y + 7) {
      for x in Int(point.x - 7)...Int(point.x + 7) {
        let centre = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
        guard hypot(centre.x - point.x, centre.y - point.y) <= 7 else { continue }
        values.append((centre, Double(image[x, y].green)))
      }
    }
    let peak = values.map(\.1).max() ?? 0
    let bright = values.map { ($0.0, max($0.1 - peak / 3, 0)) }
    let sum = bright.reduce(0) { $0 + $1.1 }
    guard sum > 0 else { return nil }
    return Point(
      x: bright.reduce(0) { $0 + $1.0.x * $1.1 } / sum,
      y: bright.reduce(0) { $0 + $1.0.y * $1.1 } / sum)
  }
}
