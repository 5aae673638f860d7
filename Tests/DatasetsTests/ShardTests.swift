import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// A dataset in several files behaves as one.
@Suite struct ShardTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Four frames in two files, and the same four in one.
  private func write() throws -> (whole: URL, list: URL, pattern: URL) {
    let clip = SequenceDescription(name: "clip", kind: .video, subject: "Ada", framesPerSecond: 25)
    let frames = [
      MadeDataset.Still(
        name: "a.png", faces: [MadeDataset.face(identity: 3)], image: MadeDataset.image(1)),
      MadeDataset.Still(name: "b.png", image: MadeDataset.image(2)),
      MadeDataset.Still(
        name: "clip/0", faces: [MadeDataset.face(x: 1), MadeDataset.face(x: 2)],
        image: MadeDataset.image(3),
        begins: clip),
      MadeDataset.Still(
        name: "clip/1", faces: [MadeDataset.face(attributes: ["yaw": 0.5])],
        image: MadeDataset.image(4),
        microseconds: 40_000),
    ]
    var whole = MadeDataset()
    whole.frames = frames
    whole.splits = ["test": [1, 3], "train": [0]]
    try whole.write(to: folder.file("whole.h5"))
    try FileManager.default.createDirectory(
      at: folder.file("shards"), withIntermediateDirectories: true)
    var first = MadeDataset()
    first.frames = Array(frames[..<2])
    first.splits = ["test": [1], "train": [0]]
    try first.write(to: folder.file("shards/a.h5"))
    var second = MadeDataset()
    second.frames = Array(frames[2...])
    second.splits = ["test": [1]]
    try second.write(to: folder.file("shards/b.h5"))
    let list = try folder.write(
      #"{"schema": "facegauge.shards", "version": 1, "files": ["shards/a.h5", "shards/b.h5"]}"#,
      to: "all.json")
    return (folder.file("whole.h5"), list, folder.file("shards/*.h5"))
  }

  @Test func `a list of files and a pattern give what one file gives`() throws {
    let positions = try write()
    let whole = try DatasetSnapshot(positions.whole)
    #expect(try DatasetSnapshot(positions.list) == whole)
    #expect(try DatasetSnapshot(positions.pattern) == whole)
    let reader = try DatasetReader(positions.list)
    #expect(reader.frameCount == 4 && reader.faceCount == 4 && reader.sequenceCount == 3)
    #expect(reader.attributeNames == ["yaw"] && reader.name == "made")
    #expect(reader.splits.map { "\($0.name) \($0.count)" } == ["test 2", "train 1"])
    #expect(try reader.frames(1..<3).map(\.name) == ["b.png", "clip/0"])
    #expect(try reader.labels(1..<3).map(\.count) == [0, 2])
    #expect(try DatasetValidation(of: reader).frames == 4)
    #expect(try FileContents(of: positions.pattern).text.contains("files      2\n"))
  }

  @Test func `only so many files are open at once`() throws {
    let positions = try write()
    let reader = try DatasetReader(positions.pattern, openFiles: 1)
    #expect(reader.openFileCount == 1)
    #expect(try DatasetSnapshot(reader) == DatasetSnapshot(positions.whole))
    #expect(reader.openFileCount == 1)
  }

  @Test func `a file that changed while it was closed is refused`() throws {
    let positions = try write()
    let reader = try DatasetReader(positions.pattern, openFiles: 1)
    var other = MadeDataset()
    other.frames = [MadeDataset.Still(name: "x")]
    try other.write(to: folder.file("shards/a.h5"))
    let error = #expect(throws: FileError.self) { try reader.labels(0..<1) }
    #expect(
      error?.description.contains("a.h5 again: expected 2 frames and 1 faces as before") == true)
  }

  @Test func `files without a table of sequences go with files that have one`() throws {
    var plain = PlainDataset()
    plain.missing = [
      "frames/sequence", "sequences/name", "sequences/kind", "sequences/first", "sequences/count",
    ]
    try plain.write(to: folder.file("a.h5"))
    try PlainDataset().write(to: folder.file("b.h5"))
    try plain.write(to: folder.file("c.h5"))
    let reader = try DatasetReader(folder.file("*.h5"))
    #expect(reader.sequences.map(\.first) == [0, 1, 2, 3, 5, 6, 7, 8])
    #expect(reader.sequences.map(\.count) == [1, 1, 1, 2, 1, 1, 1, 1])
    #expect(try reader.frames(0..<9).map(\.sequence) == [0, 1, 2, 3, 3, 4, 5, 6, 7])
  }

  typealias Case = (name: String, text: String, message: String)

  static let cases: [Case] = [
    (
      "no JSON", "{",
      "cannot read FILE, line 1, column 2: expected a key in quotes, found the end of the file"
    ),
    (
      "no schema", "{}",
      "cannot read 'schema' in FILE: expected \"facegauge.shards\", found nothing"
    ),
    (
      "another version", #"{"schema": "facegauge.shards", "version": 2}"#,
      "cannot read 'version' in FILE: expected 1, found 2"
    ),
    (
      "no files", #"{"schema": "facegauge.shards", "version": 1, "files": []}"#,
      "cannot read 'files' in FILE: expected a list of 1 to 100000 paths, found an empty list"
    ),
    (
      "numbers for files", #"{"schema": "facegauge.shards", "version": 1, "files": [1]}"#,
      "cannot read 'files[0]' in FILE: expected a path, found 1"
    ),
    (
      "a file twice",
      #"{"schema": "facegauge.shards", "version": 1, "files": ["a.h5", "./a.h5"]}"#,
      "cannot read 'files' in FILE: expected each file once, found './a.h5' twice"
    ),
    (
      "a file that is not there",
      #"{"schema": "facegauge.shards", "version": 1, "files": ["a.h5"]}"#,
      "cannot open FOLDER/a.h5: no such file"
    ),
  ]

  @Test(arguments: cases.indices)
  func `a broken list is one line with the position`(index: Int) throws {
    let (name, text, message) = Self.cases[index]
    let url = try folder.write(text, to: "list.json")
    let error = #expect(throws: FileError.self, "\(name)") { try DatasetReader(url) }
    #expect(
      error?.description.replacing(url.relativePath, with: "FILE")
        .replacing(folder.url.path, with: "FOLDER") == message, "\(name)")
  }

  @Test func `files that do not go together name the one that is different`() throws {
    var labelled = MadeDataset()
    labelled.frames = [MadeDataset.Still(name: "x")]
    try labelled.write(to: folder.file("a.h5"))
    labelled.isLabelled = false
    try labelled.write(to: folder.file("b.h5"))
    let error = #expect(throws: FileError.self) { try DatasetReader(folder.file("*.h5")) }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description.hasPrefix("cannot read \(folder.file("b.h5").relativePath) with") == true)
    let none = #expect(throws: FileError.self) { try DatasetReader(folder.file("*.hdf")) }
    #expect(none?.kind == .notFound)
    try folder.write("text", to: "c.h5")
    let broken = #expect(throws: FileError.self) { try DatasetReader(folder.file("[ac].h5")) }
    #expect(broken?.description.contains("c.h5: it is not an HDF5 file") == true)
  }
}
