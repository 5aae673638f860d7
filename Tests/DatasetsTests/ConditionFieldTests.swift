import Datasets
import FaceCore
import TestSupport
import Testing

/// What the fields of conditions mean.
@Suite struct ConditionFieldTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [("faces>0", ["face"]), ("faces<=1", ["face", "others", "empty"])])
  func `ignored faces, crowds and other objects are not among the faces of a frame`(
    condition: String, names: [String]
  ) throws {
    let face = MadeDataset.face()
    var (ignored, crowd, other) = (face, face, face)
    ignored.isIgnored = true
    crowd.isCrowd = true
    other.category = 2
    var made = MadeDataset()
    made.frames = [
      MadeDataset.Still(name: "face", faces: [face, ignored]),
      MadeDataset.Still(name: "others", faces: [ignored, crowd, other]),
      MadeDataset.Still(name: "empty"),
    ]
    try made.write(to: folder.file("a.h5"))
    var plan = DatasetSubset()
    plan.conditions = [try #require(FaceCondition(condition))]
    let writer = try DatasetWriter(folder.file("b.h5"), name: "chosen", replacing: false)
    _ = try plan.run(
      over: DatasetReader(folder.file("a.h5")), into: writer, advance: { _ in },
      isInterrupted: { false })
    try writer.finish()
    #expect(try DatasetSnapshot(folder.file("b.h5")).names == names)
  }

  @Test func `a region of a whole frame is no face of a condition, and stays`() throws {
    let region = FaceLabel.unlabelled(MadeDataset.size)
    var made = MadeDataset()
    made.frames = [
      MadeDataset.Still(name: "a", faces: [region]),
      MadeDataset.Still(name: "b", faces: [MadeDataset.face(), region]),
    ]
    try made.write(to: folder.file("a.h5"))
    for (text, names) in [
      ("box.width>=30", ["b"]), ("pose=0", ["b"]), ("crowd=1", ["a", "b"]),
    ] {
      var plan = DatasetSubset()
      plan.conditions = [try #require(FaceCondition(text))]
      plan.others = .drop
      let writer = try DatasetWriter(folder.file("b.h5"), name: "chosen", replacing: true)
      _ = try plan.run(
        over: DatasetReader(folder.file("a.h5")), into: writer, advance: { _ in },
        isInterrupted: { false })
      try writer.finish()
      let reader = try DatasetReader(folder.file("b.h5"))
      let faces = try reader.labels(0..<reader.frameCount)
      #expect(try DatasetSnapshot(reader).names == names, "\(text)")
      #expect(faces.allSatisfy { $0.contains { $0.leavesOut(MadeDataset.size) } }, "\(text)")
    }
  }
}
