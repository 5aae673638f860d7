import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Datasets that repeat an image for each face, and recordings that come twice.
@Suite struct FaceMergeTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func face(_ x: Double) -> FaceLabel {
    FaceLabel(box: BoundingBox(x: x, y: 0, width: 5, height: 5))
  }

  /// Frames a, b, c, d of which a and c are one image, with different faces, and c repeats a's.
  private func repeated() throws -> DatasetReader {
    let images = [0, 1, 0, 2].map { MadeDataset.image($0) }
    let faces = [[face(0)], [face(1)], [face(2), face(0)], []]
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: true)
    for (index, name) in ["a", "b", "c", "d"].enumerated() {
      try writer.add(
        name: name, image: images[index], size: ImageSize(width: 5, height: 4),
        faces: faces[index])
    }
    try writer.addSplit("late", frames: [2, 3])
    try writer.finish()
    return try DatasetReader(folder.file("a.h5"))
  }

  @Test func `frames whose image has the same bytes are known by the first of them`() throws {
    #expect(try repeated().repeatedImages() == [0: 0, 2: 0])
    let error = #expect(throws: FileError.self) {
      try repeated().repeatedImages { true }
    }
    #expect(error?.kind == .interrupted)
  }

  @Test func `frames of one image become one frame with the faces of all, in all their splits`()
    throws
  {
    let source = try repeated()
    let writer = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: true)
    let summary = try FaceMerge(of: source).run(
      into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    #expect(summary.joined == 1 && summary.repeatedFaces == 1)
    let joined = try DatasetReader(folder.file("b.h5"))
    #expect(try joined.frames(0..<3).map(\.name) == ["a", "b", "d"])
    let faces = try joined.labels(0..<3)
    #expect(faces.map { $0.map(\.box.x) } == [[0, 2], [1], []])
    #expect(try joined.split("late") == [0, 2])
    #expect(try joined.repeatedImages().isEmpty)
  }

  @Test func `faces with the same labels and the same gaps in them count once`() throws {
    var face = face(0)
    let unknown = Float.nan
    face.pose = HeadPose(matrix: [1, 0, 0, unknown, 0, 1, 0, unknown, 0, 0, 1, unknown, 0, 0, 0, 1])
    face.blendshapes = Blendshape.allCases.map { _ in .nan }
    face.blendshapes?[5] = 0.25
    let points = (0..<LandmarkScheme.ibug68.count).map { Point(x: Double($0), y: 1) }
    face.landmarks = [
      try #require(
        Landmarks(
          scheme: .ibug68, points: points,
          visibility: points.indices.map { $0 == 7 ? .notLabelled : .visible }))
    ]
    var other = face
    other.blendshapes?[5] = 0.5
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: true)
    for (name, label) in [("a", face), ("b", face), ("c", other)] {
      try writer.add(
        name: name, image: MadeDataset.image(0), size: ImageSize(width: 5, height: 4),
        faces: [label])
    }
    try writer.finish()
    let output = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: true)
    let summary = try FaceMerge(of: DatasetReader(folder.file("a.h5"))).run(
      into: output, advance: { _ in }, isInterrupted: { false })
    try output.finish()
    #expect(summary.joined == 2 && summary.repeatedFaces == 1)
    let faces = try DatasetReader(folder.file("b.h5")).labels(0..<1)[0]
    #expect(faces.map { $0.blendshapes?[5] } == [0.25, 0.5])
  }

  @Test func `cameras, attributes, depth and subjects of joined frames are told as lost`() throws {
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: true)
    let light = FrameContext(attributes: ["light": 0.5])
    let depth = DepthMap(width: 1, height: 1, metres: [0.5])
    let frames: [(String, FrameContext, DepthMap?)] = [
      ("ada", light, nil), ("ada", light, nil), ("bob", FrameContext(), nil),
      ("", FrameContext(attributes: ["light": 1]), depth),
    ]
    for (index, (subject, context, depth)) in frames.enumerated() {
      writer.beginSequence(SequenceDescription(name: "\(index)", kind: .still, subject: subject))
      try writer.add(
        name: "\(index)", image: MadeDataset.image(0), size: MadeDataset.size, faces: [face(0)],
        context: context, depth: depth)
    }
    try writer.finish()
    let output = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: true)
    let summary = try FaceMerge(of: DatasetReader(folder.file("a.h5"))).run(
      into: output, advance: { _ in }, isInterrupted: { false })
    try output.finish()
    let rest = "of joined frames left out, which the first frame of the image has not"
    #expect(
      summary.remarks.filter(\.isLoss).map(\.text) == [
        "1 cameras and attributes \(rest)", "1 depth maps \(rest)", "1 subjects \(rest)",
      ])
  }

  /// Writes copies of one image, each with as many faces; those of each copy are `step` pixels further on.
  private func write(copies: Int, faces: Int, step: Int) throws -> DatasetReader {
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: true)
    for copy in 0..<copies {
      try writer.add(
        name: "\(copy)", image: MadeDataset.image(0), size: ImageSize(width: 5, height: 4),
        faces: (0..<faces).map { face(Double(copy * step + $0)) })
    }
    try writer.finish()
    return try DatasetReader(folder.file("a.h5"))
  }

  /// 250,000 faces compared with 10,000 each took minutes when every face was compared with every other.
  @Test(.timeLimit(.minutes(1)))
  func `joining takes time in proportion to the number of faces`() throws {
    let source = try write(copies: 26, faces: 10_000, step: 0)
    let output = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: true)
    let summary = try FaceMerge(of: source).run(
      into: output, advance: { _ in }, isInterrupted: { false })
    try output.finish()
    #expect(summary.joined == 25 && summary.repeatedFaces == 250_000)
    #expect(try DatasetReader(folder.file("b.h5")).faceCount == 10_000)
  }

  @Test func `joining can be stopped between the copies of one image`() throws {
    let source = try write(copies: 5, faces: 1, step: 1)
    let output = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: true)
    var asked = 0
    let error = #expect(throws: FileError.self) {
      // Five times for the images, once for the frame, then once for each copy.
      try FaceMerge(of: source).run(into: output, advance: { _ in }) {
        asked += 1
        return asked > 8
      }
    }
    #expect(error?.kind == .interrupted)
    #expect(error?.description == "interrupted while joining faces; nothing was written")
  }

  @Test func `more faces than a frame may have are refused before they are gathered`() throws {
    let source = try write(copies: 3, faces: 5_000, step: 2_501)
    let output = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: true)
    let error = #expect(throws: FileError.self) {
      try FaceMerge(of: source).run(into: output, advance: { _ in }, isInterrupted: { false })
    }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description
        == "cannot join the frames of one image from frame 0 on: expected at most 10000 faces in "
        + "all, found more")
  }

  @Test(arguments: [DatasetSplit.Grouping.sequence, .subject, .frame])
  func `recordings with the same labels and times stay together in a split`(
    grouping: DatasetSplit.Grouping
  ) throws {
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: true)
    for (number, value) in [0.25, 0.5, 0.25, 0.75].enumerated() {
      writer.beginSequence(SequenceDescription(name: "take \(number)", kind: .video))
      for frame in 0..<3 {
        var label = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 0, height: 0))
        label.blendshapes = Blendshape.allCases.map { _ in Float(value) }
        try writer.add(
          name: "\(number)/\(frame)", image: [], size: ImageSize(width: 0, height: 0),
          timestampMicroseconds: Int64(frame) * 33_333, faces: [label])
      }
    }
    try writer.finish()
    let output = try DatasetWriter(folder.file("b.h5"), name: "b", replacing: true)
    let summary = try DatasetSplit(
      by: grouping, parts: [.init(name: "one", fraction: 0.5), .init(name: "two", fraction: 0.5)]
    ).run(
      over: DatasetReader(folder.file("a.h5")), into: output, advance: { _ in },
      isInterrupted: { false })
    try output.finish()
    #expect(summary.groups == (grouping == .frame ? 12 : 3))
    #expect(
      summary.remarks.contains {
        $0.text == "1 recordings with the labels of an earlier one stay with it"
      } == (grouping != .frame))
  }

  @Test func `sequences of files with one name keep the folders that tell them apart`() throws {
    let rows = ["00:00:01:00.000", "00:00:01:01.000"]
    let text = LiveLinkTests.text(rows.map { LiveLinkTests.row($0) })
    let ada = try folder.write(text, to: "ada/take.csv")
    let bob = try folder.write(text, to: "bob/take.csv")
    let other = try folder.write(text, to: "bob/other.csv")
    let read = try readAll(LiveLinkCSV(), [ada, bob, other])
    #expect(read.frames.compactMap(\.begins?.name) == ["ada/take", "bob/take", "other"])
    #expect(try readAll(LiveLinkCSV(), [bob]).frames.compactMap(\.begins?.name) == ["take"])
  }

  @Test func `recordings join by time to sequences under the same folders`() throws {
    let text = LiveLinkTests.text(
      (0..<4).map { LiveLinkTests.row("00:00:01:0\($0).000") })
    let sources = try ["ada/take.csv", "bob/take.csv"].map { try folder.write(text, to: $0) }
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: true)
    _ = try DatasetImport(
      format: LiveLinkCSV(), sources: sources, options: ImportOptions(), isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    let dataset = try DatasetReader(folder.file("a.h5"))
    let summary = try PredictionsImport(
      format: LiveLinkCSV(), sources: sources, options: ImportOptions(), isStrict: false,
      key: .time
    ).run(
      for: dataset, sha256: "", into: folder.file("p.h5"), replacing: true, advance: { _ in },
      isInterrupted: { false })
    #expect(summary.joined == 8 && summary.frames == 8 && summary.faces == 8)
  }
}
