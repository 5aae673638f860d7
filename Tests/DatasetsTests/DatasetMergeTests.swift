import Datasets
import FaceCore
import TestSupport
import Testing

/// Datasets that are concatenated.
@Suite struct DatasetMergeTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func losses(of second: MadeDataset) throws -> [String] {
    var first = MadeDataset()
    first.frames = (0..<3).map {
      MadeDataset.Still(name: "\($0).png", faces: $0 == 2 ? [] : [MadeDataset.face()])
    }
    try first.write(to: folder.file("a.h5"))
    try second.write(to: folder.file("b.h5"))
    let writer = try DatasetWriter(folder.file("merged.h5"), name: "merged", replacing: true)
    let readers = [try DatasetReader(folder.file("a.h5")), try DatasetReader(folder.file("b.h5"))]
    return try DatasetMerge(readers).run(
      into: writer, advance: { _ in }, isInterrupted: { false }
    )
    .filter(\.isLoss).map(\.text)
  }

  @Test func `frames that an earlier dataset has with their labels are counted`() throws {
    var same = MadeDataset()
    same.frames = (0..<3).map {
      MadeDataset.Still(name: "\($0).png", faces: $0 == 2 ? [] : [MadeDataset.face()])
    }
    let losses = try losses(of: same)
    #expect(losses.count == 1 && losses[0].hasPrefix("2 frames of "))
  }

  @Test func `frames of the same names and other labels, or of no face, are others`() throws {
    var other = MadeDataset()
    other.frames = (0..<3).map {
      MadeDataset.Still(name: "\($0).png", faces: $0 == 2 ? [] : [MadeDataset.face(x: 30)])
    }
    #expect(try losses(of: other).isEmpty)
    other.frames = (3..<6).map {
      MadeDataset.Still(name: "\($0).png", faces: [MadeDataset.face()])
    }
    #expect(try losses(of: other).isEmpty)
  }

  @Test func `depths of a later dataset are kept, where an earlier one has none`() throws {
    let points = (0..<5).map { Point(x: Double($0), y: 1) }
    for (name, depths) in [("a", nil), ("b", [0, 0.5, -2, 4, 8])] as [(String, [Double]?)] {
      var face = MadeDataset.face()
      face.landmarks = [
        try #require(Landmarks(scheme: .five, points: points, depths: depths))
      ]
      var made = MadeDataset()
      made.frames = [MadeDataset.Still(name: "\(name).png", faces: [face])]
      try made.write(to: folder.file("\(name).h5"))
    }
    let writer = try DatasetWriter(folder.file("merged.h5"), name: "merged", replacing: true)
    let readers = [try DatasetReader(folder.file("a.h5")), try DatasetReader(folder.file("b.h5"))]
    _ = try DatasetMerge(readers).run(into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    let merged = try DatasetReader(folder.file("merged.h5"))
    #expect(
      try merged.labels(0..<2).map { $0[0].landmarks[0].depths } == [nil, [0, 0.5, -2, 4, 8]])
  }

  @Test func `names of a merged dataset stay apart from those of another file of the same name`()
    throws
  {
    for (title, names) in [("all", ["0.png", "clips/0.png"]), ("clips", ["0.png"])] {
      var made = MadeDataset()
      made.frames = names.map { name in
        MadeDataset.Still(
          name: name,
          begins: SequenceDescription(
            name: name, kind: .still, subject: name.replacing("0.png", with: "Ada")))
      }
      try made.write(to: folder.file("\(title).h5"))
    }
    let writer = try DatasetWriter(folder.file("merged.h5"), name: "merged", replacing: true)
    let readers = try ["all.h5", "clips.h5"].map { try DatasetReader(folder.file($0)) }
    _ = try DatasetMerge(readers).run(into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    let merged = try DatasetReader(folder.file("merged.h5"))
    #expect(try merged.frames(0..<3).map(\.name) == ["0.png", "clips/0.png", "clips-2/0.png"])
    #expect(merged.sequences.map(\.name) == ["0.png", "clips/0.png", "clips-2/0.png"])
    #expect(merged.sequences.map(\.subject) == ["Ada", "clips/Ada", "clips-2/Ada"])
  }
}
