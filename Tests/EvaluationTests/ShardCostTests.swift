import Datasets
import FacePipeline
import Foundation
import Running
import Scoring
import TestSupport
import Testing

/// What shards share and what they cost.
@Suite(
  "Cost of shards", .enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct ShardCostTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `shards hash a file once, and again as soon as it is another`() throws {
    let dataset = try DrawnDataset.write(DrawnDataset.faces(6), in: folder)
    // A file that has just been written is hashed by everyone.
    Thread.sleep(forTimeInterval: 2.2)
    let plan = EvaluationPlan.test(dataset)
    func make(_ part: Int) throws {
      _ = try ShardRun.run(plan, ShardRequest(part: part, of: 3))
    }
    func refusal(_ part: Int) -> String {
      let error = #expect(throws: EvaluationError.self) { try make(part) }
      return error?.description ?? ""
    }
    try make(0)
    let digests = ShardFolder(of: plan.run).url.appending(path: ".digests")
    let names = try FileManager.default.contentsOfDirectory(atPath: digests.path)
    let shared = digests.appending(path: try #require(names.first))
    let (known, _) = try ShardFolder(of: plan.run).plan()
    let text = try String(contentsOf: shared, encoding: .utf8)
    let json = String(decoding: try known.bytes(), as: UTF8.self)
    #expect(names.count == 1 && json.contains(text))
    // The second shard takes the digest that is there.
    try String(repeating: "0", count: 64).write(to: shared, atomically: true, encoding: .utf8)
    #expect(refusal(1).contains("found 0000000000"))
    try text.write(to: shared, atomically: true, encoding: .utf8)
    try make(1)
    // Other content of the same size and time of modification is found.
    let files = FileManager.default
    let before = try files.attributesOfItem(atPath: dataset.path)
    var bytes = try Data(contentsOf: dataset)
    let image = try #require(bytes.firstRange(of: Data([0xFF, 0xD8, 0xFF])))
    bytes[image.lowerBound + 300] ^= 1
    let handle = try FileHandle(forWritingTo: dataset)
    try handle.write(contentsOf: bytes)
    try handle.close()
    let date = try #require(before[.modificationDate] as? Date)
    try files.setAttributes([.modificationDate: date], ofItemAtPath: dataset.path)
    #expect(refusal(2).contains("expected the dataset with SHA-256 \(text)"))
  }

  @Test func `the cost of a run grows with its frames, and the start with its shards`() throws {
    let dataset = try DrawnDataset.write(DrawnDataset.faces(8), in: folder)
    let plan = EvaluationPlan.test(dataset)
    for part in 0..<2 { _ = try ShardRun.run(plan, ShardRequest(part: part, of: 4)) }
    let shards = ShardFolder(of: plan.run)
    let (known, digest) = try shards.plan()
    let (faults, found) = try shards.state(of: known, digest: digest)
    #expect(faults.ranges == "2-3")
    let cost = try #require(found)
    #expect(cost.parts == 2 && cost.measuredFrames == 4)
    let parts = try (0..<2).map { index in
      let reader = try PredictionsReader(shards.file(ofPart: index))
      return try #require(reader.header.part)
    }
    func sum(_ value: (PredictionsPart) -> Double) -> Double { parts.reduce(0) { $0 + value($1) } }
    #expect(sum { Double($0.work.bytesRead) } > 0 && sum(\.work.processorSeconds) > 0)
    #expect(parts.allSatisfy { $0.start.seconds >= $0.digest.seconds && $0.digest.seconds > 0 })
    // Half of the frames and half of the shards are there; the digest is found once.
    let seconds =
      2 * sum(\.work.processorSeconds)
      + 2 * sum { $0.start.processorSeconds - $0.digest.processorSeconds }
      + sum(\.digest.processorSeconds)
    #expect(abs(cost.coreHours * 3600 - seconds) < 1e-9 * max(seconds, 1))
    let bytes = try (0..<2).reduce(0) { total, index in
      total + (try Data(contentsOf: shards.file(ofPart: index)).count)
    }
    #expect(abs(cost.gigabytesWritten * 1e9 - 2 * Double(bytes)) < 1)
    #expect(cost.limit.hasPrefix("the number of shards: 4 ") || cost.limit.contains("digest"))
    let empty = EvaluationPlan.test(dataset, run: "empty")
    _ = try ShardRun.run(empty, ShardRequest(part: 0, of: 50))
    let (none, key) = try ShardFolder(of: empty.run).plan()
    #expect(none.frames(ofPart: 0).isEmpty)
    #expect(try ShardFolder(of: empty.run).state(of: none, digest: key).cost == nil)
  }
}
