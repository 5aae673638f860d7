import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// Imports that were interrupted and go on.
@Suite struct ImportPartsTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let title = ImportParts.Title(
    name: "long", source: "a test", licence: nil, isLabelled: true)

  /// Stills with two splits, a video of 40 frames among them, and a broken frame on demand.
  private func source(_ count: Int, brokenAt broken: Int? = nil) -> PredictionsImportTests.Source {
    PredictionsImportTests.Source(
      frames: (0..<count).map { index in
        var face = FaceLabel(
          box: BoundingBox(x: Double(index), y: index == broken ? .nan : 0, width: 4, height: 4),
          identity: index % 7)
        face.attributes = ["light": Double(index) / 4]
        var frame = ImportedFrame(
          name: "f\(index)", image: .none, faces: [face],
          timestampMicroseconds: Int64(index) * 40_000)
        if index == 100 { frame.begins = SequenceDescription(name: "video", kind: .video) }
        if index == 140 { frame.begins = SequenceDescription(name: "f140", kind: .still) }
        frame.splits = [index.isMultiple(of: 3) ? "test" : "train"]
        return frame
      })
  }

  private func run(
    _ count: Int, resumes: Bool = false, replaces: Bool = false, stopAfter: Int = .max,
    brokenAt: Int? = nil, facts: [String: String] = ["format": "x"], into name: String = "out.h5"
  ) throws -> [String] {
    let parts = try ImportParts(
      folder.file(name), title: Self.title, facts: facts, replaces: replaces, resumes: resumes)
    let plan = DatasetImport(
      format: source(count, brokenAt: brokenAt), sources: [folder.file("s")],
      options: ImportOptions(), isStrict: false)
    var frames = 0
    let remarks = try plan.run(
      into: parts, advance: { frames += $0 }, isInterrupted: { frames >= stopAfter })
    #expect(parts.frameCount == count && parts.faceCount == count)
    return remarks.map(\.text)
  }

  private func contents(_ name: String) throws -> [String] {
    let dataset = try DatasetReader(folder.file(name))
    let whole = 0..<dataset.frameCount
    return [
      "\(try dataset.frames(whole))", "\(try dataset.labels(whole))", "\(dataset.sequences)",
      "\(try dataset.splits.map { ($0.name, try dataset.split($0.name)) })", dataset.name,
      "\(dataset.provenance.filter { $0.name != "created" })",
    ]
  }

  /// 50 lies among stills, 120 within the video, 1100 after a part that was full.
  @Test(arguments: [50, 120, 1_100])
  func `an import that was interrupted goes on to the same dataset`(frames: Int) throws {
    _ = try run(3_000, into: "straight.h5")
    let error = #expect(throws: FileError.self) { try run(3_000, stopAfter: frames) }
    let kept = frames == 120 ? nil : frames
    #expect(error?.kind == .interrupted)
    if let kept {
      #expect(
        error?.description
          == "interrupted after \(frames) images; \(kept) frames are kept; --resume continues")
      #expect(try folder.names.contains("out.h5.partial"))
      let again = #expect(throws: FileError.self) { try run(3_000) }
      #expect(again?.kind == .cannotWrite)
      #expect(again?.description.hasSuffix("--force starts again)") == true)
      let other = #expect(throws: FileError.self) {
        try run(3_000, resumes: true, facts: ["format": "y"])
      }
      #expect(other?.kind == .wrongData)
      #expect(other?.description.hasSuffix("expected format x as before, found y") == true)
      _ = try run(3_000, resumes: true)
    } else {
      #expect(error?.description == "interrupted after 120 images; nothing was written")
      _ = try run(3_000)
    }
    #expect(try folder.names == ["out.h5", "straight.h5"])
    #expect(try contents("out.h5") == contents("straight.h5"))
  }

  @Test func `an import that was interrupted twice, and one that was killed, go on`() throws {
    _ = try run(2_500, into: "straight.h5")
    #expect(throws: FileError.self) { try run(2_500, stopAfter: 20) }
    #expect(throws: FileError.self) { try run(2_500, resumes: true, stopAfter: 1_500) }
    try folder.write("half of a part", to: "out.h5.partial/.part-2.h5.7.partial")
    try folder.write("more of it", to: "out.h5.partial/part-9.h5")
    _ = try run(2_500, resumes: true)
    #expect(try folder.names == ["out.h5", "straight.h5"])
    #expect(try contents("out.h5") == contents("straight.h5"))
  }

  /// What a process leaves that is killed before its plan is there, or while it removes what it made.
  @Test(arguments: [[], ["lock"], ["lock", "part-0.h5", ".part-1.h5.partial", "parts.json"]])
  func `an import that was killed with nothing to go on with begins again`(left: [String]) throws {
    _ = try run(300, into: "straight.h5")
    for (resumes, replaces) in [(false, false), (true, false), (false, true)] {
      try FileManager.default.createDirectory(
        at: folder.file("out.h5.partial"), withIntermediateDirectories: true)
      for name in left { try folder.write("half", to: "out.h5.partial/\(name)") }
      _ = try run(300, resumes: resumes, replaces: replaces)
      #expect(try folder.names == ["out.h5", "straight.h5"])
      #expect(try contents("out.h5") == contents("straight.h5"))
      try FileManager.default.removeItem(at: folder.file("out.h5"))
    }
  }

  @Test func `a plan that cannot be read is no wedge`() throws {
    try folder.write("{", to: "out.h5.partial/import.json")
    let resumed = #expect(throws: FileError.self) { try run(300, resumes: true) }
    #expect(resumed?.kind == .wrongData)
    #expect(resumed?.description.hasSuffix("found something else (--force starts again)") == true)
    let plain = #expect(throws: FileError.self) { try run(300) }
    #expect(plain?.description.contains("--force starts again") == true)
    _ = try run(300, replaces: true)
    #expect(try folder.names == ["out.h5"])
  }

  @Test func `--force starts again, wrong data leaves nothing, and nothing cannot be resumed`()
    throws
  {
    #expect(throws: FileError.self) { try run(300, stopAfter: 200) }
    _ = try run(300, replaces: true)
    #expect(try folder.names == ["out.h5"])
    let broken = #expect(throws: FileError.self) { try run(300, replaces: true, brokenAt: 250) }
    #expect(broken?.kind == .wrongData)
    #expect(try folder.names == ["out.h5"], "the earlier dataset stays")
    let missing = #expect(throws: FileError.self) { try run(300, resumes: true, into: "b.h5") }
    #expect(missing?.kind == .notFound)
    try folder.write("mine", to: "c.h5.partial/notes.txt")
    let foreign = #expect(throws: FileError.self) { try run(300, replaces: true, into: "c.h5") }
    #expect(
      foreign?.description.hasSuffix("c.h5.partial exists and is not an interrupted import") == true
    )
    #expect(try folder.bytes("c.h5.partial/notes.txt") == Array("mine".utf8))
  }

  @Test func `what was lost before an interruption is told by the import that goes on`() throws {
    let frames = (0..<4).map { index in
      let box = BoundingBox(x: 4, y: 3, width: index == 0 ? 0 : 8, height: 6)
      var frame = ImportedFrame(
        name: "\(index).jpg", image: .encoded(Sample.jpeg(40, 30)),
        faces: [FaceLabel(box: BoundingBox(x: 20, y: 3, width: 8, height: 6)), FaceLabel(box: box)])
      frame.statedSize = ImageSize(width: index == 1 ? 80 : 40, height: 30)
      return frame
    }
    let plan = DatasetImport(
      format: PredictionsImportTests.Source(frames: frames), sources: [folder.file("s")],
      options: ImportOptions(), isStrict: false)
    func losses(resumes: Bool, stopAfter: Int) throws -> [String] {
      let parts = try ImportParts(
        folder.file("out.h5"), title: Self.title, facts: [:], replaces: false, resumes: resumes)
      var count = 0
      let remarks = try plan.run(
        into: parts, advance: { count += $0 }, isInterrupted: { count >= stopAfter })
      return remarks.filter(\.isLoss).map(\.text)
    }
    #expect(throws: FileError.self) { try losses(resumes: false, stopAfter: 3) }
    let told = try losses(resumes: true, stopAfter: .max)
    #expect(told.count == 2)
    #expect(told.contains("1 boxes without a size left out: they are no faces"))
    #expect(told.contains { $0.hasPrefix("1 images have another size than their labels state") })
  }
}
