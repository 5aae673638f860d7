import Datasets
import FaceCore
import Foundation
import TestSupport
import Testing

@Suite struct DatasetDigestTests {
  static let python = LivePython.path
  static let script = Oracles.folder.appending(path: "dataset_digest.py").path

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func made(_ name: String, changing change: (inout MadeDataset) -> Void = { _ in }) throws
    -> URL
  {
    var face = MadeDataset.face(identity: 3, expression: "smile", attributes: ["yaw": .nan])
    face.score = 0.5
    var other = MadeDataset.face(x: 31)
    let points = (0..<5).map { Point(x: Double($0) / 3, y: 7) }
    other.landmarks = [try #require(Landmarks(scheme: .five, points: points))]
    var dataset = MadeDataset(
      frames: (0..<7).map {
        MadeDataset.Still(
          name: "naïve \($0).png", faces: [face, other], image: MadeDataset.image($0),
          microseconds: Int64($0))
      }, splits: ["test": [1, 4]])
    change(&dataset)
    let url = folder.file(name)
    _ = try dataset.write(to: url)
    return url
  }

  private func digest(_ url: URL) throws -> String {
    try DatasetReader(url).contentDigest(ofFile: 0) { _ in }
  }

  @Test(.enabled(if: python != nil, "FACEGAUGE_PYTHON names a Python with h5py"))
  func `a dataset stored in another way has the digest that FORMAT describes`() throws {
    let url = try made("a.h5")
    let copy = folder.file("b.h5")
    let python = try #require(Self.python)
    let repacking = try ProcessResult(running: python, [Self.script, url.path, copy.path])
    try #require(repacking.status == 0, "\(repacking.errors)")
    let stated = try ProcessResult(running: python, [Self.script, url.path])
    try #require(stated.status == 0, "\(stated.errors)")
    let own = try digest(url)
    #expect(own == stated.output.trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(try digest(copy) == own)
    #expect(try Data(contentsOf: url) != Data(contentsOf: copy))
  }

  @Test func `any other label, image, name or split is another digest`() throws {
    let own = try digest(made("a.h5"))
    #expect(try digest(made("same.h5")) == own)
    #expect(try digest(made("named.h5") { $0.name = "another" }) == own)
    let changes: [(inout MadeDataset) -> Void] = [
      { $0.frames[6].faces[1].box.x += 1 },
      { $0.frames[6].faces[1].landmarks[0].points[4].y = 7.5 },
      { $0.frames[6].faces[0].attributes["yaw"] = 0 },
      { $0.frames[6].faces[0].expression = "Smile" },
      { $0.frames[6].image = MadeDataset.image(7) },
      { $0.frames[6].name = "6.png" },
      { $0.frames[6].microseconds = 7 },
      { $0.splits = ["test": [1, 5]] },
      { $0.splits = ["train": [1, 4]] },
      { $0.frames.removeLast() },
    ]
    for (index, change) in changes.enumerated() {
      #expect(try digest(made("\(index).h5", changing: change)) != own, "change \(index)")
    }
  }

  @Test func `the bytes that are done add up to the file`() throws {
    let url = try made("a.h5")
    var done = 0
    _ = try DatasetReader(url).contentDigest(ofFile: 0) { done += $0 }
    #expect(try done == Data(contentsOf: url).count)
  }
}
