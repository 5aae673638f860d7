import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Labelled images in order, as frames of videos.
@Suite struct LabelledSequenceTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func importing(
    _ names: [String], by grouping: SequenceGrouping, orderedBy key: FrameKey = .name,
    fps: Double? = 10
  ) throws -> (dataset: DatasetReader, remarks: [String]) {
    let images = names.enumerated().map { index, name in
      "{\"name\":\"\(name)\",\"file\":\"\(name)\",\"faces\":[{\"box\":[\(index),1,5,6],\"identity\":3}]}"
    }
    try folder.write(
      "{\"schema\":\"facegauge.labels\",\"version\":1,\"images\":[\(images.joined(separator: ","))]}",
      to: "labels.json")
    for name in Set(names) { try folder.write(MadeDataset.image(name.count), to: name) }
    let plan = DatasetImport(
      format: LabelledSequences(
        LabelsJSON(), by: grouping, orderedBy: key, staging: folder.file("staging")),
      sources: [folder.file("labels.json")], options: ImportOptions(framesPerSecond: fps),
      isStrict: true)
    let remarks = try plan.run(
      into: DatasetWriter(folder.file("out.h5"), name: "a", replacing: true), advance: { _ in },
      isInterrupted: { false })
    let dataset = try DatasetReader(folder.file("out.h5"))
    return (dataset, remarks.map(\.text))
  }

  @Test func `each folder is a video, in the order of the numbers in names`() throws {
    let read = try importing(
      ["b/f10.png", "b/f9.png", "a/f2.png", "a/f1.png", "b/f7.png"], by: .folder)
    #expect(read.dataset.sequences.map(\.name) == ["a", "b"])
    #expect(read.dataset.sequences.map(\.kind) == [.video, .video])
    let frames = try read.dataset.frames(0..<5)
    #expect(frames.map(\.name) == ["a/f1.png", "a/f2.png", "b/f7.png", "b/f9.png", "b/f10.png"])
    #expect(frames.map(\.timestampMicroseconds) == [0, 100_000, 0, 200_000, 300_000])
    let faces = try read.dataset.labels(0..<5)
    #expect(faces.map { $0[0].box.x } == [3, 2, 4, 1, 0])
    #expect(faces.allSatisfy { $0[0].identity == 3 })
    #expect(
      read.remarks.contains(
        "1 of 3 steps from image to image skip numbers: as many frames are missing there"))
    #expect(
      read.remarks.contains(
        "5 images are 2 sequences of video (--sequence folder), ordered by name, 10 frames per second"
      ))
  }

  @Test func `all images are one video of thirty frames a second where nothing else is said`()
    throws
  {
    let read = try importing(["b/1.png", "a/2.png"], by: .all, fps: nil)
    #expect(read.dataset.sequences.map(\.name) == ["labels"])
    #expect(read.dataset.sequences[0].framesPerSecond == 30)
    #expect(try read.dataset.frames(0..<2).map(\.name) == ["a/2.png", "b/1.png"])
    #expect(try read.dataset.frames(0..<2).map(\.timestampMicroseconds) == [0, 33_333])
    #expect(read.remarks.contains { $0.hasSuffix("30 frames per second (--fps)") })
    let numbered = try importing(["b/1.png", "a/2.png"], by: .all, orderedBy: .number)
    #expect(try numbered.dataset.frames(0..<2).map(\.name) == ["b/1.png", "a/2.png"])
  }

  @Test func `Unix times in names are the times of the frames`() throws {
    let names = [0, 40, 80, 160].map { "\(1_650_000_000_123 + $0).png" }
    let read = try importing(names, by: .all, fps: nil)
    #expect(
      try read.dataset.frames(0..<4).map(\.timestampMicroseconds) == [0, 40_000, 80_000, 160_000])
    #expect(read.dataset.sequences.map(\.framesPerSecond) == [25])
    #expect(read.remarks.contains { $0.hasSuffix(", at the Unix times in their names") })
  }

  @Test func `the subject of all images of a video is its own, and several are told`() throws {
    let frames = ["a/1.png", "a/2.png", "b/1.png", "b/2.png"].map { name in
      ImportedFrame(
        name: name, image: .encoded(MadeDataset.image(1)), faces: [MadeDataset.face()],
        begins: SequenceDescription(
          name: name, kind: .still, subject: name == "b/2.png" ? "Bo" : "Ada"))
    }
    let format = LabelledSequences(
      PredictionsImportTests.Source(frames: frames), by: .folder, orderedBy: .name,
      staging: folder.file("staging"))
    let plan = DatasetImport(
      format: format, sources: [folder.file("s")], options: ImportOptions(), isStrict: false)
    let remarks = try plan.run(
      into: DatasetWriter(folder.file("out.h5"), name: "a", replacing: true), advance: { _ in },
      isInterrupted: { false })
    #expect(try DatasetReader(folder.file("out.h5")).sequences.map(\.subject) == ["Ada", ""])
    #expect(remarks.contains(.dropped("subjects of 1 sequences left out, which have several each")))
  }

  @Test func `an order that is not there is refused`() throws {
    #expect(throws: FileError.self) {
      try importing(["a/1.png", "b/1.png"], by: .all, orderedBy: .number)
    }
    #expect(throws: FileError.self) {
      try importing(["a.png", "b.png"], by: .all, orderedBy: .number)
    }
    #expect(throws: FileError.self) {
      try importing(["a1.png", "a2.png"], by: .all, orderedBy: .time)
    }
    #expect(!folder.file("staging").isThere)
  }

  @Test func `stills of one person are related, by way of others too`() throws {
    let url = folder.file("people.h5")
    let writer = try DatasetWriter(url, name: "people", replacing: true)
    let people: [[Int]] = [[1], [2], [1, 3], [], [3], [4]]
    for (index, own) in people.enumerated() {
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0),
        faces: own.map {
          FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1), identity: $0)
        })
    }
    writer.beginSequence(SequenceDescription(name: "clip", kind: .video))
    try writer.add(
      name: "v", image: [], size: ImageSize(width: 0, height: 0),
      faces: [FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1), identity: 2)])
    try writer.finish()
    #expect(try DatasetReader(url).relatedStills() == [0: 0, 2: 0, 4: 0])
  }

  @Test func `stills whose faces stay near those of the still before are alike`() throws {
    func dataset(_ name: String, _ place: (Int) -> Int) throws -> DatasetReader {
      let url = folder.file(name)
      let writer = try DatasetWriter(url, name: name, replacing: true)
      for index in 0..<60 {
        let box = BoundingBox(x: Double(2 * place(index)), y: 50, width: 100, height: 100)
        try writer.add(
          name: "\(index)", image: [], size: ImageSize(width: 640, height: 480),
          faces: [FaceLabel(box: box)])
      }
      try writer.finish()
      return try DatasetReader(url)
    }
    let clip = try dataset("clip.h5") { $0 }
    #expect(try clip.areSuccessiveStillsAlike(related: [:]))
    let ofOne = Dictionary(uniqueKeysWithValues: (0..<60).map { ($0, 0) })
    #expect(try !clip.areSuccessiveStillsAlike(related: ofOne))
    // In another order 37 of 60 are nearer to the still before, and where all faces are at one place none is.
    let mixed = try dataset("mixed.h5") { 37 * $0 % 60 }
    #expect(try !mixed.areSuccessiveStillsAlike(related: [:]))
    let aligned = try dataset("aligned.h5") { _ in 7 }
    #expect(try !aligned.areSuccessiveStillsAlike(related: [:]))
  }
}
