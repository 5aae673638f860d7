import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Platform
import Records
import Running
import Scoring
import Statistics
import TestSupport
import Testing

extension Record {
  /// What does not depend on latency, host, time or how many processes there were.
  fileprivate var lasting: Record {
    var record = self
    record.created = ""
    record.host = Record.Host(
      cpu: "", cores: 0, blasVersion: "", blasCore: "", blasThreads: 0, environment: [:],
      loadAverage: nil, system: "")
    record.notes = quietNotes.filter { !$0.hasPrefix("This run was joined from") }
    record.measurements = accuracy
    record.headlines.removeAll { $0.hasPrefix("latency.") }
    record.series.removeAll { $0.name.hasPrefix("latency.") }
    for index in record.series.indices {
      guard case .table(var table) = record.series[index].content else { continue }
      table.rows.removeAll { $0.first?.hasPrefix("latency.") == true }
      record.series[index].content = .table(table)
    }
    return record
  }
}

extension Data {
  /// A part with these bytes as a shard ends it: with the checksum of what a test has changed.
  func sealed() throws -> Data {
    let content = dropLast("\nfacegauge.part SHA-256 \n".utf8.count + 64)
    let sha256 = try SHA256.hexadecimal(of: [UInt8](content))
    return content + Data("\nfacegauge.part SHA-256 \(sha256)\n".utf8)
  }
}

/// Runs that are made in parts, compared with the same run in a single piece.
@Suite(
  "Shards of a run", .enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"))
struct ShardingTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  /// Clips of unequal lengths with stills between them, so that intervals have clusters and no cut falls on an end by itself.
  init() throws {
    folder = try TemporaryFolder()
    var parts = (0..<12).map { clip in
      DrawnClips.Part("clip \(clip)", DrawnClips.moving(3 + clip % 4, from: Double(clip)))
    }
    var stills = DrawnDataset.faces(5)
    stills[3].isBroken = true
    // Faces that are not found fill the gallery.
    stills[0].drawn = []
    for index in stills.indices { stills[index].faces[0].attributes["blur"] = Double(index % 2) }
    parts.insert(.init(stills: stills), at: 6)
    dataset = try DrawnClips.write(parts, in: folder)
    try folder.write(
      """
      {"schema": "facegauge.gates", "version": 2, "gates": [
        {"metric": "detection.recall@score", "direction": "at_least", "limit": 0.2},
        {"metric": "faces.precision", "direction": "at_least", "limit": 0.999999}]}
      """, to: "gates.json")
  }

  private func plan(_ run: String, _ mode: RunningMode = .video) -> EvaluationPlan {
    var plan = EvaluationPlan.test(dataset, run: run)
    plan.settings.runningMode = mode
    plan.settings.outputFaceBlendshapes = true
    plan.maxBadFrames = 1
    plan.minSliceCount = 1
    plan.bootstrap.resamples = 200
    plan.gates = folder.file("gates.json")
    return plan
  }

  @discardableResult
  private func make(_ plan: EvaluationPlan, _ part: Int, of count: Int) throws -> ShardRun.Finished
  {
    try ShardRun.run(plan, ShardRequest(part: part, of: count))
  }

  private func joined(_ plan: EvaluationPlan) throws -> (
    record: Record, predictions: [FramePrediction]
  ) {
    var plan = plan
    plan.shards = ShardFolder(of: plan.run)
    return try plan.finish()
  }

  /// Lets a part come from a machine with another number of processors.
  private func moveToAnotherMachine(_ part: URL) throws {
    var bytes = try Data(contentsOf: part)
    let cores = try #require(bytes.firstRange(of: Data("\"cores\":".utf8))).upperBound
    bytes[cores] = bytes[cores] == UInt8(ascii: "9") ? UInt8(ascii: "8") : UInt8(ascii: "9")
    try bytes.sealed().write(to: part)
  }

  private func refusal(_ plan: EvaluationPlan) throws -> String {
    var plan = plan
    plan.shards = ShardFolder(of: plan.run)
    let error = try #require(plan.failure())
    #expect(error.kind == .wrongData)
    #expect(!FileManager.default.fileExists(atPath: plan.run.path))
    return error.description
  }

  /// Where what lasts of a record differs from what is known; nil where all bytes are equal.
  private func difference(_ record: Record, _ known: Record) throws -> String? {
    let (own, other) = try (record.lasting.json(), known.json())
    guard own != other else { return nil }
    let lines = [own, other].map { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
    let first = zip(lines[0], lines[1]).enumerated().first { $1.0 != $1.1 }
    return first.map { "line \($0): '\($1.0)', expected '\($1.1)'" }
      ?? "\(lines[0].count) lines, expected \(lines[1].count)"
  }

  private func images(_ run: String) throws -> [String: Data] {
    let images = folder.file(run).appending(path: "images")
    let names = try FileManager.default.contentsOfDirectory(atPath: images.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: images.appending(path: $0))) })
  }

  @Test(.timeLimit(.minutes(60)), arguments: [RunningMode.image, .video])
  func `any number of parts joins to the run of one machine`(mode: RunningMode) throws {
    let whole = try plan("whole", mode).finish()
    let known = whole.record.lasting
    #expect(known.measurements.contains { $0.interval.low != nil })
    #expect(known.measurements.contains { $0.slice != nil && $0.value != nil })
    #expect(known.gates.count == 2 && !known.gallery.isEmpty && known.dataset.badFrames == 1)
    let gallery = try images("whole")
    for count in [1, 2, 3, 7, 50] {
      let plan = plan("run\(count)", mode)
      // In an order that no single process would choose.
      var frames = 0
      for part in (0..<count).reversed() { frames += try make(plan, part, of: count).frames }
      #expect(frames == whole.predictions.count)
      let (record, predictions) = try joined(plan)
      #expect(predictions.untimed == whole.predictions.untimed, "\(count) parts")
      let difference = try difference(record, known)
      #expect(difference == nil, "\(count) parts")
      #expect(try images("run\(count)") == gallery)
      #expect(
        record.notes.contains {
          $0.hasPrefix("This run was joined from \(count == 1 ? "1 part" : "\(count) parts"):")
        })
    }
  }

  @Test func `parts are contiguous, of about equal frames, and cut no clip`() throws {
    let reader = try DatasetReader(dataset)
    for count in [1, 2, 5, 9, 30, 100] {
      let plan = plan("bounds\(count)")
      try make(plan, 0, of: count)
      let shards = try ShardFolder(of: plan.run).plan().plan
      #expect(shards.count == count)
      let ranges = (0..<count).map(shards.frames(ofPart:))
      #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == reader.frameCount)
      #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
      for bound in ranges.map(\.lowerBound) where bound > 0 && bound < reader.frameCount {
        let sequences = try reader.frames(bound - 1..<bound + 1).map(\.sequence)
        #expect(sequences[0] != sequences[1])
      }
      let longest = 6
      #expect(ranges.allSatisfy { $0.count <= reader.frameCount / count + 1 + longest })
    }
  }

  @Test func `missing, doubled, foreign, truncated and empty parts are refused by name and healed`()
    throws
  {
    let plan = plan("run")
    let whole = try self.plan("whole").finish()
    for part in 0..<3 { try make(plan, part, of: 3) }
    var other = self.plan("other")
    other.settings.numFaces = 2
    for part in 0..<3 { try make(other, part, of: 3) }
    let shards = ShardFolder(of: plan.run)
    let (known, digest) = try shards.plan()
    let second = shards.file(ofPart: 1)
    let sound = try Data(contentsOf: second)
    func missing() throws -> String { try shards.state(of: known, digest: digest).faults.ranges }
    #expect(try missing() == "")

    func put(_ bytes: Data?, _ reason: String) throws {
      try FileManager.default.removeItem(at: second)
      try bytes?.write(to: second)
      let message = try refusal(plan)
      #expect(message.contains("found 1 fault: 00001.h5 (\(reason)"), "\(message)")
      #expect(message.contains("; shards to run again: 1 (--shard 1/3 "), "\(message)")
      #expect(try missing() == "1")
      let again = try make(plan, 1, of: 3)
      #expect(!again.wasThere && (again.replaced?.hasPrefix(reason) ?? false) == (bytes != nil))
    }
    try put(nil, "no file")
    try put(try Data(contentsOf: shards.file(ofPart: 0)), "expected part 1 of 3, found part 0 of 3")
    try put(
      try Data(contentsOf: ShardFolder(of: other.run).file(ofPart: 1)),
      "expected a part of the plan \(digest.prefix(12))…, found one of ")
    try put(
      try Data(contentsOf: folder.file("whole/predictions.h5")),
      "expected a checksum as its last line, found none")
    try put(sound.prefix(sound.count / 2), "expected a checksum as its last line, found none")
    try put(Data(), "expected a checksum as its last line, found none")
    try put(Data(count: 1 << 16).sealed(), "cannot open ")
    var damaged = sound
    damaged[sound.count / 3] ^= 1
    try put(damaged, "damaged: expected SHA-256 ")
    #expect(try make(plan, 1, of: 3).wasThere)

    let stranger = shards.url.appending(path: "00003.h5")
    try sound.write(to: stranger)
    #expect(try refusal(plan).hasSuffix("expected only the 3 parts of its plan, found 00003.h5"))
    try FileManager.default.removeItem(at: stranger)
    // What an attempt that was killed leaves behind is hidden and no part.
    try sound.write(to: shards.url.appending(path: ".00002.h5.ABC"))
    let (record, predictions) = try joined(plan)
    #expect(predictions.untimed == whole.predictions.untimed)
    #expect(try record.lasting.json() == whole.record.lasting.json())
  }

  @Test func `whatever bit of a part changes, it is not joined`() throws {
    let plan = plan("run")
    try make(plan, 0, of: 1)
    let shards = ShardFolder(of: plan.run)
    let (known, digest) = try shards.plan()
    let part = shards.file(ofPart: 0)
    let sound = try Data(contentsOf: part)
    var random = SplitMix64(seed: 8)
    // All bits of the checksum's line, and some of the others.
    let last = (sound.count - 89..<sound.count).flatMap { byte in (0..<8).map { (byte, $0) } }
    let others = (0..<1000).map { _ in
      (Int.random(in: 0..<sound.count, using: &random), Int.random(in: 0..<8, using: &random))
    }
    for (byte, bit) in last + others {
      var bytes = sound
      bytes[byte] ^= 1 << bit
      try bytes.write(to: part)
      let faults = try shards.state(of: known, digest: digest).faults
      #expect(faults.map(\.shard) == [0], "bit \(bit) of byte \(byte)")
    }
    try sound.write(to: part)
    #expect(try shards.state(of: known, digest: digest).faults.isEmpty)
  }

  @Test func `a part of one frame is small`() throws {
    let plan = plan("run")
    for part in 0..<50 { try make(plan, part, of: 50) }
    let shards = ShardFolder(of: plan.run)
    let known = try shards.plan().plan
    let sizes = try (0..<50).filter { known.frames(ofPart: $0).count == 1 }.map {
      try Data(contentsOf: shards.file(ofPart: $0)).count
    }
    #expect(!sizes.isEmpty && sizes.allSatisfy { $0 < 100_000 }, "\(sizes)")
  }

  @Test func `a damaged plan is wrong data that names the file, whatever bit of it changes`() throws
  {
    let plan = plan("run")
    try make(plan, 0, of: 2)
    let shards = ShardFolder(of: plan.run)
    let file = shards.url.appending(path: "plan.json")
    let sound = try Data(contentsOf: file)
    var random = SplitMix64(seed: 9)
    for byte in sound.indices {
      var bytes = sound
      bytes[byte] ^= 1 << Int.random(in: 0..<8, using: &random)
      try bytes.write(to: file)
      let error = #expect(throws: EvaluationError.self) { try shards.plan() }
      #expect(error?.kind == .wrongData)
      let message = error?.description ?? ""
      #expect(message.contains("run.shards/plan.json"), "\(byte)")
      #expect(message.contains(": expected "), "\(byte)")
    }
    // The next shard writes the same plan, of which the part that is there still is one.
    try FileManager.default.removeItem(at: file)
    try make(plan, 1, of: 2)
    #expect(try Data(contentsOf: file) == sound)
    #expect(try make(plan, 0, of: 2).wasThere)
  }

  @Test func `a shard of another plan is refused, and machines of two kinds share no latency`()
    throws
  {
    let plan = plan("run")
    try make(plan, 0, of: 2)
    var other = plan
    other.settings.numFaces = 2
    func refusal(_ plan: EvaluationPlan, of count: Int = 2) -> EvaluationError? {
      #expect(throws: EvaluationError.self) {
        try ShardRun.run(plan, ShardRequest(part: 1, of: count))
      }
    }
    #expect(refusal(other)?.kind == .wrongData)
    #expect(
      refusal(other)?.description.contains("expected num-faces 1 as before, found 2") == true)
    other = plan
    other.minDecodedSide = 128
    #expect(
      refusal(other)?.description.contains(
        "expected min-decoded-side none as before, found 128") == true)
    #expect(
      refusal(plan, of: 3)?.description.contains(
        "expected a number of shards of 2 as before, found 3") == true)
    try make(plan, 1, of: 2)
    try moveToAnotherMachine(ShardFolder(of: plan.run).file(ofPart: 1))
    let (record, _) = try joined(plan)
    let median = try #require(record.measurement("latency.total.p50"))
    #expect(median.value == nil)
    #expect(median.reason?.contains("2 kinds of machine") == true)
    let table = try #require(record.series(named: "latency.machines"))
    guard case .table(let content) = table.content else {
      Issue.record("no table")
      return
    }
    #expect(content.rows.count == 2)
    #expect(
      content.rows.compactMap { Int($0[1]) }.reduce(0, +)
        == record.dataset.frames - record.dataset.badFrames)
  }

  @Test func `the machine of a part without frames is not that of the run`() throws {
    let clip = try DrawnClips.write([.init("a", DrawnClips.moving(4))], as: "one.h5", in: folder)
    var plan = EvaluationPlan.test(clip, run: "one")
    plan.settings.runningMode = .video
    for part in 0..<3 { try make(plan, part, of: 3) }
    let shards = ShardFolder(of: plan.run)
    let known = try shards.plan().plan
    #expect((0..<3).map { known.frames(ofPart: $0).count } == [0, 0, 4])
    try moveToAnotherMachine(shards.file(ofPart: 0))
    let (record, _) = try joined(plan)
    #expect(record.host.cores == HostFacts.host().cores)
    #expect(!record.notes.contains { $0.contains("kinds of machine") })
  }

  @Test func `a shard is a number of as many, or the one that the scheduler names`() throws {
    #expect(ShardChoice("17/256")?.index == 17)
    #expect(ShardChoice("auto/7")?.count == 7)
    for text in ["7/7", "-1/7", "1/0", "1", "a/7", "1/2/3", "auto/", "1/1000000"] {
      #expect(ShardChoice(text) == nil, "\(text)")
    }
    let choice = try #require(ShardChoice("auto/7"))
    for variable in ShardChoice.variables.map(\.name) {
      #expect(try choice.index(in: [variable: "6"]) == 6)
      for wrong in ["7", "-1", "x"] {
        let error = #expect(throws: EvaluationError.self) {
          try choice.index(in: [variable: wrong])
        }
        #expect(error?.kind == .wrongUse)
      }
    }
    #expect(throws: EvaluationError.self) { try choice.index(in: [:]) }
  }
}
