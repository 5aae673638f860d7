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
}
