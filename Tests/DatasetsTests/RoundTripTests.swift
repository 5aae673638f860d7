import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import Platform
import TestSupport
import Testing

@Suite struct RoundTripTests {
  let folder: TemporaryFolder
  let image = Sample.png(12, 8)
  let size = ImageSize(width: 12, height: 8)
  let box = BoundingBox(x: 1, y: 2, width: 3, height: 4)

  init() throws { folder = try TemporaryFolder() }

  @Test func `everything that was put in comes out`() throws {
    let url = folder.file("a.h5")
    let seen = try WrittenDataset.write(to: url)
    let dataset = try DatasetReader(url)
    #expect(dataset.name == "mixture ✓")
    #expect(dataset.provenance.prefix(2).map(\.value) == ["none", "a test"])
    #expect(try dataset.frames(0..<3).map(\.name) == WrittenDataset.names)
    #expect(try dataset.frames(0..<3).map(\.sequence) == [0, 1, 1])
    #expect(try dataset.frames(2..<3)[0].timestampMicroseconds == 33_367)
    #expect(
      dataset.sequences == [
        SequenceDescription(name: WrittenDataset.names[0], kind: .still, first: 0, count: 1),
        SequenceDescription(
          name: "clip", kind: .video, subject: "someone", framesPerSecond: 29.97, first: 1,
          count: 2),
      ])
    #expect(try dataset.labels(0..<3).map(\.count) == [2, 0, 2])
    #expect(dataset.schemes == [.ibug68, .five])
    let labels = try dataset.labels(0..<3)
    #expect(labels[0].map(\.area) == [20, 8])
    #expect(labels[0].map(\.isIgnored) == [false, true])
    #expect(labels[0].map(\.isCrowd) == [false, true])
    #expect(labels[0].map(\.category) == [1, 2])
    #expect(labels[0].map(\.identity) == [3, nil])
    #expect(labels[0][0].box == BoundingBox(x: -1.5, y: 2.25, width: 4, height: 5))
    let set = try #require(labels[2][0].landmarks.first)
    #expect(set.visibility.map(\.rawValue) == seen.visible?[2])
    #expect(set.labelled == Sample.landmarks(WrittenDataset.state)?.labelled)
    for (index, bytes) in WrittenDataset.images.enumerated() {
      guard case .encoded(let stored) = try dataset.image(index) else {
        Issue.record("frame \(index) is not encoded")
        continue
      }
      #expect(Array(stored) == bytes)
    }
    let findings = try DatasetValidation(of: dataset).findings
    #expect(
      findings.contains { $0.what == "box of less than a pixel" }
        && !findings.contains(where: \.isError))
  }

  @Test func `names of classes are kept, also of a copy, and are searched`() throws {
    var made = MadeDataset()
    var masked = MadeDataset.face()
    masked.categoryName = "with_mask"
    made.frames = [.init(name: "a", faces: [MadeDataset.face(x: 30), masked]), .init(name: "b")]
    try made.write(to: folder.file("a.h5"))
    let whole = try DatasetReader(folder.file("a.h5"))
    #expect(try whole.labels(0..<2)[0].map(\.categoryName) == [nil, "with_mask"])
    #expect(whole.unknownTables.isEmpty)
    var plan = DatasetSubset()
    plan.conditions = [try #require(FaceCondition("categoryName=with_*"))]
    let writer = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: false)
    _ = try plan.run(
      over: whole, into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    let part = try DatasetReader(folder.file("b.h5"))
    #expect(part.frameCount == 1)
    #expect(try part.labels(0..<1)[0].map(\.categoryName) == [nil, "with_mask"])
  }

  @Test func `images come in any order`() throws {
    let url = folder.file("a.h5")
    let writer = try DatasetWriter(url, name: "order", replacing: false)
    for frame in 0..<1100 {
      let bytes = [UInt8](repeating: UInt8(frame & 255), count: frame % 7)
      try writer.add(
        name: "\(frame)", image: bytes, size: ImageSize(width: 1, height: 1), faces: [])
    }
    try writer.finish()
    let dataset = try DatasetReader(url)
    for frame in [1099, 0, 511, 512, 513, 510, 1098, 1, 1024, 1023] {
      guard case .encoded(let bytes) = try dataset.image(frame) else {
        Issue.record("no encoded image")
        continue
      }
      #expect(Array(bytes) == [UInt8](repeating: UInt8(frame & 255), count: frame % 7))
    }
  }

  @Test func `a dataset of no frames opens`() throws {
    let url = folder.file("empty.h5")
    try DatasetWriter(url, name: "", replacing: false).finish()
    let dataset = try DatasetReader(url)
    #expect(dataset.frameCount == 0)
    #expect(dataset.faceCount == 0)
    #expect(try dataset.labels(0..<0).isEmpty)
    #expect(try dataset.frames(0..<0).isEmpty)
    #expect(try DatasetValidation(of: dataset).frames == 0)
    #expect(try FileContents(of: url).text.contains("frames     0\n"))
  }

  @Test func `points that come late leave the faces before them without`() throws {
    let url = folder.file("late.h5")
    let writer = try DatasetWriter(url, name: "late", replacing: false)
    for _ in 0..<700 {
      try writer.add(
        name: "before", image: image, size: size, faces: [FaceLabel(box: box)])
    }
    let set = try #require(Sample.landmarks())
    try writer.add(
      name: "with", image: image, size: size,
      faces: [FaceLabel(box: box), FaceLabel(box: box, landmarks: [set])])
    try writer.add(name: "after", image: image, size: size, faces: [FaceLabel(box: box)])
    try writer.finish()
    let labels = try DatasetReader(url).labels(0..<702)
    #expect(labels[0..<700].allSatisfy { $0[0].landmarks.isEmpty })
    #expect(labels[700].map(\.landmarks) == [[], [set]])
    #expect(labels[701][0].landmarks.isEmpty)
    let file = try HDF5File.open(url.path)
    #expect(try file.dataset("faces/landmarks/ibug68/points").shape == [703, 68, 2])
  }

  @Test func `points without a label are stored as not a number`() throws {
    let url = folder.file("nan.h5")
    let writer = try DatasetWriter(url, name: "nan", replacing: false)
    var set = try #require(Sample.landmarks { $0 == 5 ? .notLabelled : .occluded })
    set.points[5] = Point(x: 17, y: 18)
    try writer.add(
      name: "a", image: image, size: size, faces: [FaceLabel(box: box, landmarks: [set])])
    try writer.finish()
    let stored = try HDF5File.open(url.path).dataset("faces/landmarks/ibug68/points")
      .readAll(Float.self)
    #expect(stored[10].isNaN && stored[11].isNaN)
    #expect(stored.filter(\.isNaN).count == 2)
    let read = try DatasetReader(url).labels(0..<1)[0][0].landmarks[0]
    #expect(read.labelled == set.labelled)
  }

  @Test func `stills and videos alternate`() throws {
    let url = folder.file("mix.h5")
    let writer = try DatasetWriter(url, name: "mix", replacing: false)
    func add(_ name: String, _ time: Int64 = 0) throws {
      try writer.add(
        name: name, image: image, size: size, timestampMicroseconds: time, faces: [])
    }
    writer.beginSequence(SequenceDescription(name: "nothing", kind: .video))
    writer.beginSequence(SequenceDescription(name: "v", kind: .video))
    try add("v0")
    try add("v1", 5)
    writer.beginSequence(SequenceDescription(name: "portrait", kind: .still, subject: "x"))
    try add("s0")
    try add("s1")
    writer.beginSequence(SequenceDescription(name: "w", kind: .video))
    try add("w0")
    try writer.finish()
    let dataset = try DatasetReader(url)
    #expect(dataset.sequences.map(\.name) == ["nothing", "v", "portrait", "s1", "w"])
    #expect(dataset.sequences.map(\.first) == [0, 0, 2, 3, 4])
    #expect(dataset.sequences.map(\.count) == [0, 2, 1, 1, 1])
    #expect(dataset.sequences.map(\.subject) == ["", "", "x", "", ""])
    #expect(try dataset.frames(0..<5).map(\.sequence) == [1, 1, 2, 3, 4])
    #expect(try !DatasetValidation(of: dataset).hasErrors)
  }

  static let unstorable: [(name: String, label: FaceLabel, message: String)] = [
    (
      "a side beyond f32", FaceLabel(box: BoundingBox(x: 1e39, y: 0, width: 1, height: 1)),
      "expected a box of finite numbers and a size that is not negative in 'p', "
        + "found [1e+39, 0.0, 1.0, 1.0]"
    ),
    (
      "a negative side", FaceLabel(box: BoundingBox(x: 0, y: 0, width: -1, height: 1)),
      "expected a box of finite numbers and a size that is not negative in 'p', "
        + "found [0.0, 0.0, -1.0, 1.0]"
    ),
    (
      "an area that is no number",
      FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1), area: .nan),
      "expected a finite area that is not negative in 'p', found [nan]"
    ),
    (
      "a visible point nowhere",
      FaceLabel(
        box: BoundingBox(x: 0, y: 0, width: 1, height: 1),
        landmarks: [
          Landmarks(
            scheme: .ibug68, points: Array(repeating: Point(x: .nan, y: 1), count: 68))
        ].compactMap { $0 }),
      "expected labelled points of finite numbers in 'p', found [nan, 1.0]"
    ),
    (
      "more attributes than a file has tables for",
      {
        var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 1, height: 1))
        for index in 0..<4097 { face.attributes["a\(index)"] = 1 }
        return face
      }(),
      "expected at most 4096 attributes in 'p', found 4097"
    ),
  ]

  @Test(arguments: unstorable)
  func `what could not be read again is not written`(
    name: String, label: FaceLabel, message: String
  ) throws {
    let url = folder.file("a.h5")
    let error = #expect(throws: FileError.self) {
      let writer = try DatasetWriter(url, name: "a", replacing: false)
      try writer.add(name: "p", image: image, size: size, faces: [label])
      try writer.finish()
    }
    #expect(error?.description == "cannot write \(url.relativePath): \(message)")
    #expect(error?.kind == .wrongData)
    #expect(try folder.names == [])
  }

  @Test func `a hundred thousand faces come back as they were written`() throws {
    let url = folder.file("many.h5")
    let writer = try DatasetWriter(url, name: "many", replacing: false)
    let set = try #require(Sample.landmarks())
    for frame in 0..<10_000 {
      let faces = (0..<10).map { index in
        FaceLabel(
          box: BoundingBox(x: Double(frame), y: Double(index), width: 2, height: 2),
          identity: frame * 10 + index, landmarks: index == 0 ? [set] : [])
      }
      try writer.add(name: "\(frame)", image: image, size: size, faces: faces)
    }
    try writer.finish()
    let dataset = try DatasetReader(url)
    #expect(dataset.faceCount == 100_000)
    var next = 0
    for first in stride(from: 0, to: 10_000, by: 256) {
      for (offset, faces) in try dataset.labels(first..<min(first + 256, 10_000)).enumerated() {
        for (index, face) in faces.enumerated() {
          guard face.identity == next, face.box.x == Double(first + offset),
            face.box.y == Double(index), face.landmarks.isEmpty == (index != 0)
          else {
            Issue.record("face \(next) is another")
            return
          }
          next += 1
        }
      }
    }
    #expect(next == 100_000)
  }

  @Test func `the same input gives the same bytes`() throws {
    let tables = folder.file("labels.json")
    try folder.write(Sample.jpeg(30, 20), to: "p.jpg")
    try folder.write(
      LabelsSample(images: [.init(name: "p", file: "p.jpg")]).text, to: "labels.json")
    for (name, pause) in [("a.h5", "1.1"), ("b.h5", "0")] {
      let command = """
        SOURCE_DATE_EPOCH=1700000000 "$0" import labels "$1" --name same -o "$2" && sleep \(pause)
        """
      let result = try ProcessResult(
        running: "/bin/sh",
        [
          "-c", command, ProcessResult.path(ofBuilt: "facegauge"), tables.path,
          folder.file(name).path,
        ])
      try #require(result.status == 0, "\(result.errors)")
    }
    let first = try Data(contentsOf: folder.file("a.h5"))
    #expect(try first == Data(contentsOf: folder.file("b.h5")))
    #expect(
      try DatasetReader(folder.file("a.h5")).provenance.contains {
        $0.name == "created" && $0.value == "2023-11-14T22:13:20Z"
      })
  }
}
