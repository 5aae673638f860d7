import Datasets
import FaceCore
import Foundation
import HDF5
import Imaging
import Platform
import TestSupport
import Testing

/// Datasets divided, put together and cut, compared frame by frame with what they were made of.
@Suite struct ShapingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func writer(_ name: String, labelled: Bool = true) throws -> DatasetWriter {
    try DatasetWriter(folder.file(name), name: name, isLabelled: labelled, replacing: true)
  }

  private func copy(_ source: URL, to name: String) throws -> DatasetSnapshot {
    let writer = try writer(name)
    _ = try DatasetSubset().run(
      over: DatasetReader(source), into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    return try DatasetSnapshot(folder.file(name))
  }

  @Test func `a copy of everything is the same in every table`() throws {
    _ = try WrittenDataset.write(to: folder.file("a.h5"))
    #expect(try copy(folder.file("a.h5"), to: "b.h5") == DatasetSnapshot(folder.file("a.h5")))
    #expect(
      try DatasetReader(folder.file("b.h5")).faceAttributes
        == DatasetReader(folder.file("a.h5")).faceAttributes)
  }

  @Test func `stills of one sequence stay in it, and depths may come after flat points`() throws {
    var made = MadeDataset()
    let flat = try #require(
      Landmarks(scheme: .five, points: (0..<5).map { Point(x: 25 + Double($0), y: 30) }))
    var deep = flat
    deep.depths = [1, 2, 3, 4, 5]
    made.frames = [flat, deep].enumerated().map { index, set in
      var face = MadeDataset.face()
      face.landmarks = [set]
      face.score = 0.5
      return MadeDataset.Still(
        name: "\(index)", faces: [face],
        begins: index == 0
          ? SequenceDescription(name: "album", kind: .still, subject: "Ada") : nil, gathers: true)
    }
    // The writer takes depths from the first face on only; a file by others may begin with NaN.
    made.frames.swapAt(0, 1)
    made.frames[0].begins = made.frames[1].begins
    made.frames[1].begins = nil
    try made.write(to: folder.file("a.h5"))
    made.frames.removeFirst()
    made.frames[0].begins = SequenceDescription(name: "album", kind: .still)
    try made.write(to: folder.file("flat.h5"))
    let first = try DatasetReader(folder.file("a.h5"))
    #expect(first.sequences.map(\.count) == [2])
    #expect(try copy(first.url, to: "b.h5") == DatasetSnapshot(first))
    let writer = try writer("merged.h5")
    _ = try DatasetMerge([
      DatasetReader(folder.file("a.h5")), DatasetReader(folder.file("flat.h5")),
    ])
    .run(into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    #expect(try DatasetReader(folder.file("merged.h5")).frameCount == 3)
  }

  @Test func `images stored as pixels come along as PNG of the same pixels`() throws {
    let url = folder.file("pixels.h5")
    let file = try HDF5File.create(url.path)
    try file.setAttribute("format", of: "/", to: "facegauge.dataset")
    try file.setAttribute("version", of: "/", to: 1)
    let bytes = (0..<(2 * 4 * 5 * 3)).map { UInt8($0) }
    try file.createDataset("images/pixels", of: UInt8.self, shape: [2, 4, 5, 3]).write(
      bytes, atRow: 0)
    try file.createDataset("images/size", of: Int32.self, shape: [2, 2]).write(
      [5, 4, 5, 4] as [Int32], atRow: 0)
    try file.createDataset("faces/frame", of: Int32.self, shape: [0])
      .write([Int32](), atRow: 0)
    try file.createDataset("faces/box", of: Float.self, shape: [0, 4]).write([Float](), atRow: 0)
    try file.createDataset("extra", of: Int32.self, shape: [1]).write(
      [1] as [Int32], atRow: 0)
    try file.close()
    let writer = try writer("b.h5")
    let summary = try DatasetSubset().run(
      over: DatasetReader(url), into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    #expect(
      summary.remarks == [
        .assumed("2 images that were stored as pixels are now PNG, of the same pixels"),
        .dropped("tables that the format does not name left out: extra"),
      ])
    let copied = try DatasetReader(folder.file("b.h5"))
    for frame in 0..<2 {
      #expect(
        try copied.image(frame).decoded().bytes == Array(bytes[(60 * frame)..<(60 * frame + 60)]))
    }
  }

  /// Twelve stills: subjects in threes, an expression each, two of them with the same image.
  private func people() throws -> URL {
    var made = MadeDataset()
    made.frames = (0..<12).map { (index: Int) -> MadeDataset.Still in
      let face = MadeDataset.face(
        identity: index == 11 ? 99 : nil, expression: index % 4 == 0 ? "happy" : "sad",
        attributes: ["yaw": Double(index) / 10])
      return MadeDataset.Still(
        name: "\(index).png", faces: [face],
        image: MadeDataset.image(index == 7 ? 2 : index),
        begins: SequenceDescription(
          name: "\(index)", kind: .still, subject: index < 9 ? "person \(index / 3)" : ""))
    }
    made.splits = ["odd": [1, 3, 5], "train": [0]]
    let url = folder.file("people.h5")
    try made.write(to: url)
    return url
  }

  private func choose(_ condition: String) throws -> (frames: Int, remarks: [ImportRemark]) {
    let url = try people()
    var plan = DatasetSubset()
    plan.conditions = [try #require(FaceCondition(condition))]
    let writer = try writer("chosen.h5")
    let summary = try plan.run(
      over: DatasetReader(url), into: writer, advance: { _ in }, isInterrupted: { false })
    return (writer.frameCount, summary.remarks)
  }

  @Test(arguments: [("yaw>=30deg", 6), ("yaw<30deg", 6), ("attributes.yaw>=0.5", 7)])
  func `a limit on an angle is in radians, or in degrees where it says so`(
    condition: String, count: Int
  ) throws {
    let chosen = try choose(condition)
    #expect(chosen.frames == count && chosen.remarks.isEmpty, "\(chosen.remarks)")
  }

  @Test func `a limit that is outside of all values is told with their range and unit`() throws {
    let chosen = try choose("yaw<20")
    let told = "outside of all values: yaw is in radians, 0 to 1.1 (20deg is a limit in degrees)"
    #expect(chosen.frames == 12 && chosen.remarks.map(\.text) == ["a condition's limit is " + told])
    let error = #expect(throws: FileError.self) { try choose("yaw>20") }
    #expect(error?.description.contains("of 12: yaw is in radians, 0 to 1.1") == true)
    #expect(try choose("box.width<10000").remarks.count == 1)
    #expect(try choose("box.width<100").remarks.isEmpty)
    let wrong = #expect(throws: FileError.self) { try choose("box.width<20deg") }
    #expect(wrong?.description.contains("numbers to compare 'box.width' with") == true)
  }

  private func divide(
    _ url: URL, by grouping: DatasetSplit.Grouping, _ shares: [Double], seed: UInt64 = 1,
    stratum: String? = nil, to name: String = "split.h5"
  ) throws -> (DatasetSplit.Summary, DatasetSnapshot) {
    let names = ["train", "val", "test"]
    let plan = try DatasetSplit(
      by: grouping,
      parts: zip(names, shares).map { DatasetSplit.Part(name: $0, fraction: $1) }, seed: seed,
      stratum: stratum)
    let writer = try writer(name)
    let summary = try plan.run(
      over: DatasetReader(url), into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    return (summary, try DatasetSnapshot(folder.file(name)))
  }

  @Test func `subjects, people and equal images never straddle`() throws {
    let source = try DatasetSnapshot(people())
    for seed in 0..<20 {
      let (summary, result) = try divide(
        people(), by: .subject, [0.5, 0.25, 0.25], seed: UInt64(seed))
      // person 0 and person 2 share the image of frames 2 and 7; 9, 10 and 11 stand alone.
      #expect(summary.groups == 5)
      let parts = ["train", "val", "test"].map { Set(result.splits[$0] ?? []) }
      #expect(parts.map(\.count).reduce(0, +) == 12)
      #expect(Set(parts.joined()) == Set(0..<12))
      for together in [[0, 1, 2, 6, 7, 8], [3, 4, 5]] {
        #expect(parts.contains { $0.isSuperset(of: together) }, "\(parts)")
      }
      #expect(result.splits["odd"] == [1, 3, 5])
      #expect(result.faces == source.faces && result.images == source.images)
      let checked = try DatasetValidation(of: DatasetReader(folder.file("split.h5")))
      let leaks = checked.findings.filter {
        ["splits-subjects", "splits-identities", "splits-images"].contains($0.name)
          && !$0.examples.allSatisfy { $0.contains("odd") }
      }
      #expect(leaks.isEmpty, "\(leaks)")
    }
  }

  @Test func `the same seed gives the same splits, another one others`() throws {
    let one = try divide(people(), by: .frame, [0.5, 0.5], seed: 5).1.splits
    let same = try divide(people(), by: .frame, [0.5, 0.5], seed: 5).1.splits
    let other = try divide(people(), by: .frame, [0.5, 0.5], seed: 6).1.splits
    #expect(one == same)
    #expect(one != other)
  }

  @Test func `shares are met, and strata with them`() throws {
    var made = MadeDataset()
    made.frames = (0..<200).map { index in
      MadeDataset.Still(
        name: "\(index)", faces: [MadeDataset.face(expression: index < 20 ? "rare" : "common")])
    }
    try made.write(to: folder.file("many.h5"))
    let (summary, result) = try divide(
      folder.file("many.h5"), by: .frame, [0.8, 0.1, 0.1], stratum: "expression")
    #expect(summary.shares.map(\.frames) == [160, 20, 20])
    let rare = try #require(summary.strata.firstIndex(of: "rare"))
    #expect(summary.shares.map { $0.strata[rare] } == [16, 2, 2])
    #expect(result.splits["test"]?.count == 20)
    let numbers = try divide(
      people(), by: .frame, [0.5, 0.5], stratum: "yaw", to: "numbers.h5")
    #expect(numbers.0.strata.count == 5)
  }

  @Test func `wrong splits are refused before anything is written`() throws {
    let url = try people()
    typealias Wrong = (work: () throws -> Void, message: String)
    let cases: [Wrong] = [
      ({ _ = try divide(url, by: .subject, [0.5, 0.6]) }, "shares that add up to 1, found"),
      (
        {
          _ = try DatasetSplit(
            by: .frame,
            parts: [.init(name: "a b", fraction: 0.5), .init(name: "c", fraction: 0.5)])
        }, "different plain names"
      ),
      (
        { _ = try divide(url, by: .subject, [0.5, 0.5], stratum: "age") },
        "by 'age': expected one of expression, yaw"
      ),
    ]
    for (work, message) in cases {
      let error = #expect(throws: FileError.self) { try work() }
      #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
    var two = MadeDataset()
    two.frames = (0..<2).map { MadeDataset.Still(name: "\($0)") }
    try two.write(to: folder.file("two.h5"))
    let few = #expect(throws: FileError.self) {
      try divide(folder.file("two.h5"), by: .frame, [0.8, 0.1, 0.1])
    }
    #expect(
      few?.description.hasSuffix("into 3 parts: expected as many groups or more, found 2") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file("split.h5").path))
  }

  @Test func `merged datasets keep people apart and splits together`() throws {
    let url = try people()
    try FileManager.default.copyItem(at: url, to: folder.file("more.h5"))
    let readers = [try DatasetReader(url), try DatasetReader(folder.file("more.h5"))]
    let writer = try writer("merged.h5")
    let remarks = try DatasetMerge(readers).run(
      into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    let merged = try DatasetReader(folder.file("merged.h5"))
    #expect(merged.frameCount == 24 && merged.faceCount == 24)
    #expect(try merged.labels(11..<24).compactMap { $0[0].identity } == [99, 199])
    #expect(try merged.frames(12..<13)[0].name == "more/0.png")
    #expect(merged.sequences[12].subject == "more/person 0")
    #expect(merged.sequences[0].subject == "person 0")
    #expect(try merged.split("odd") == [1, 3, 5, 13, 15, 17])
    #expect(remarks.count == 4 && remarks.count(where: \.isLoss) == 1)
    let shared = try self.writer("shared.h5")
    _ = try DatasetMerge(readers, sharesPeople: true).run(
      into: shared, advance: { _ in }, isInterrupted: { false })
    try shared.finish()
    let together = try DatasetReader(folder.file("shared.h5"))
    #expect(together.sequences[12].subject == "person 0")
    #expect(try together.labels(23..<24)[0][0].identity == 99)
    // As shards they are what the merge is, but for names and numbers.
    let shards = try DatasetSnapshot(together)
    #expect(
      try shards.images == DatasetSnapshot(url).images + DatasetSnapshot(url).images)
  }

  @Test func `a labelled dataset does not go with one without labels`() throws {
    let url = try people()
    var bare = MadeDataset()
    bare.isLabelled = false
    bare.frames = [MadeDataset.Still(name: "x")]
    try bare.write(to: folder.file("bare.h5"))
    for order in [[url, folder.file("bare.h5")], [folder.file("bare.h5"), url]] {
      let error = #expect(throws: FileError.self) {
        try DatasetMerge(order.map { try DatasetReader($0) })
      }
      #expect(error?.description.contains("expected both labelled or neither") == true)
    }
  }

  typealias Choice = (conditions: [String], frames: [Int])

  static let choices: [Choice] = [
    ([], Array(0..<12)), (["expression=happy"], [0, 4, 8]),
    (["expression!=happy", "yaw>=0.9"], [9, 10, 11]),
    (["yaw<0.2"], [0, 1]), (["yaw=0.3,0.5"], [3, 5]), (["attributes.yaw > 1"], [11]),
    (["subject=person [01]"], []), (["subject=person ?", "frame>=5"], [5, 6, 7, 8]),
    (["subject=*1,*2"], [3, 4, 5, 6, 7, 8]), (["identity=99"], [11]), (["identity!=5"], [11]),
    (["name=1*.png"], [1, 10, 11]), (["kind=video"], []),
    (["name == '1*.png'"], [1, 10, 11]), ([#"identity=="99""#], [11]),
    (["faces=1", "box.width>=40", "frame<2"], [0, 1]),
    (["landmarks=ibug68"], []), (["jawOpen>0"], []), (["score>0"], []),
    (["pose=0", "frame=7"], [7]),
  ]

  @Test(arguments: choices.indices)
  func `conditions choose frames`(index: Int) throws {
    let (texts, expected) = Self.choices[index]
    var plan = DatasetSubset()
    plan.conditions = try texts.map { try #require(FaceCondition($0)) }
    let writer = try writer("b.h5")
    let reader = try DatasetReader(people())
    guard !expected.isEmpty else {
      let error = #expect(throws: FileError.self) {
        try plan.run(over: reader, into: writer, advance: { _ in }, isInterrupted: { false })
      }
      #expect(error?.description.hasSuffix("found none of 12") == true, "\(texts)")
      return
    }
    let summary = try plan.run(
      over: reader, into: writer, advance: { _ in }, isInterrupted: { false })
    try writer.finish()
    let names = try DatasetSnapshot(folder.file("b.h5")).names
    #expect(names == expected.map { "\($0).png" }, "\(texts)")
    #expect(summary.framesLeftOut == 12 - expected.count)
  }

  @Test func `other faces of a frame stay, are ignored or go`() throws {
    var made = MadeDataset()
    made.frames = [
      MadeDataset.Still(
        name: "a", faces: [MadeDataset.face(expression: "happy"), MadeDataset.face(x: 30)]),
      MadeDataset.Still(name: "b", faces: [MadeDataset.face()]),
    ]
    made.splits = ["train": [1], "test": [0]]
    try made.write(to: folder.file("a.h5"))
    for (fate, ignored) in [
      (DatasetSubset.Others.keep, [false, false]), (.ignore, [false, true]), (.drop, [false]),
    ] {
      var plan = DatasetSubset()
      plan.conditions = [try #require(FaceCondition("expression=happy"))]
      plan.others = fate
      let writer = try writer("b.h5")
      let summary = try plan.run(
        over: DatasetReader(folder.file("a.h5")), into: writer, advance: { _ in },
        isInterrupted: { false })
      try writer.finish()
      let reader = try DatasetReader(folder.file("b.h5"))
      #expect(try reader.labels(0..<1)[0].map(\.isIgnored) == ignored)
      #expect(summary.otherFaces == 1)
      #expect(reader.splits.map(\.name) == ["test"])
    }
  }

  @Test func `wrong conditions, splits and schemes are one line`() throws {
    for text in ["", "yaw", "=3", "yaw>", "yaw>1,2", "expression=a,,b"] {
      #expect(FaceCondition(text) == nil, "\(text)")
    }
    let reader = try DatasetReader(people())
    func refusal(_ change: (inout DatasetSubset) -> Void) throws -> String {
      var plan = DatasetSubset()
      change(&plan)
      let writer = try writer("b.h5")
      let error = #expect(throws: FileError.self) {
        try plan.run(over: reader, into: writer, advance: { _ in }, isInterrupted: { false })
      }
      #expect(error?.kind == .wrongData)
      return error?.description ?? ""
    }
    #expect(
      try refusal { $0.conditions = FaceCondition("age>3").map { [$0] } ?? [] }
        .hasSuffix("width, yaw, found 'age'"))
    #expect(
      try refusal { $0.conditions = FaceCondition("yaw>few").map { [$0] } ?? [] }
        .contains("expected numbers to compare 'yaw' with"))
    #expect(
      try refusal { $0.conditions = FaceCondition("expression<happy").map { [$0] } ?? [] }
        .contains("expected = or != for text"))
    #expect(try refusal { $0.split = "dev" }.contains("expected one of odd, train, found none"))
    #expect(try refusal { $0.schemes = ["wflw98"] }.contains("cannot take landmarks 'wflw98'"))
  }

  @Test func `an interruption leaves no file`() throws {
    let url = try people()
    do {
      let writer = try writer("b.h5")
      let error = #expect(throws: FileError.self) {
        try DatasetSubset().run(
          over: DatasetReader(url), into: writer, advance: { _ in }, isInterrupted: { true })
      }
      #expect(error?.kind == .interrupted)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["people.h5"]
    )
  }
}
