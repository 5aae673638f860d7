import Calibration
import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Platform
import Records
import Running
import Scoring
import TestSupport
import Testing
import Tuning

extension Record {
  /// What of a sweep does not depend on latency, host, time or how many processes there were.
  fileprivate var lasting: Record {
    var record = self
    record.created = ""
    record.dataset.file = ""
    record.host = Record.Host(
      cpu: "", cores: 0, blasVersion: "", blasCore: "", blasThreads: 0, environment: [:],
      loadAverage: nil, system: "")
    record.notes = quietNotes.filter { !$0.hasPrefix("This run was joined from") }
    let time = "model_time"
    record.measurements.removeAll { $0.name.hasSuffix(time) }
    record.headlines.removeAll { $0.hasSuffix(time) }
    guard var sweep = record.sweep else { return record }
    sweep.metrics.removeAll { $0.name == time }
    sweep.columns[time] = nil
    sweep.intervals?[time] = nil
    sweep.fronts.removeAll { $0.metrics.contains(time) }
    sweep.effects.removeAll { $0.metric == time }
    for position in sweep.advice.indices {
      sweep.advice[position].metrics.removeAll { $0.name == time }
    }
    record.sweep = sweep
    return record
  }
}

/// Sweeps that are made in parts, compared with the same sweep in a single piece.
@Suite(
  "Shards of a sweep", .enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'")
)
struct SweepShardingTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  /// Clips of unequal lengths with stills between them, one image broken, one still twice.
  init() throws {
    folder = try TemporaryFolder()
    var parts = (0..<11).map { clip in
      DrawnClips.Part("clip \(clip)", DrawnClips.moving(2 + clip % 4, from: Double(clip)))
    }
    var stills = DrawnDataset.faces(19)
    for index in stills.indices {
      stills[index].faces[0].expression = ["happiness", "sadness", "neutral"][index % 3]
    }
    stills[3].isBroken = true
    stills[0].drawn = []
    parts.insert(.init(stills: stills + [stills[7]]), at: 5)
    dataset = try DrawnClips.write(parts, in: folder)
  }

  private func plan(_ run: String, _ mode: RunningMode = .video) throws -> SweepPlan {
    var evaluation = EvaluationPlan.test(dataset, run: run)
    evaluation.settings.runningMode = mode
    evaluation.maxBadFrames = 1
    var plan = SweepPlan(
      evaluation,
      values: [
        SweptValues("min-face-detection-confidence", [0.2, 0.7, 0.9]),
        SweptValues("min-face-presence-confidence", [0.3, 0.99]),
      ])
    plan.bootstrap.resamples = 40
    plan.objectives = try ["max f1", "max recall where precision >= 0.5"].map {
      try Objective($0, of: plan)
    }
    return plan
  }

  @discardableResult
  private func make(_ plan: SweepPlan, _ part: Int, of count: Int) throws -> ShardRun.Finished {
    try ShardRun.run(plan, ShardRequest(part: part, of: count))
  }

  private func joined(_ plan: SweepPlan) throws -> Record {
    var plan = plan
    plan.evaluation.shards = ShardFolder(of: plan.evaluation.run)
    let finished = try SweepRun.run(plan)
    try finished.folder.commit()
    return finished.record
  }

  private func refusal(_ plan: SweepPlan) throws -> EvaluationError {
    let error = #expect(throws: EvaluationError.self) { try joined(plan) }
    #expect(!FileManager.default.fileExists(atPath: plan.evaluation.run.path))
    return try #require(error)
  }

  @Test(.timeLimit(.minutes(60)), arguments: [RunningMode.image, .video])
  func `any number of parts joins to the sweep of one machine, byte for byte`(
    mode: RunningMode
  ) throws {
    let whole = try SweepRun.run(plan("whole", mode)).record
    let known = try whole.lasting.json()
    let sweep = try #require(whole.sweep)
    #expect(sweep.settings.count == 12 && sweep.advice.count == 2)
    #expect(sweep.intervals?["recall"]?.contains { $0 != nil } == true)
    #expect(sweep.wrongFrames?.frames.isEmpty == false && whole.dataset.badFrames == 1)
    #expect(whole.series.isEmpty == (mode == .video))
    #expect(Set(sweep.columns["recall"] ?? []).count > 1)
    for count in [1, 2, 3, 7, 50] {
      let plan = try plan("run\(count)", mode)
      var frames = 0
      for part in (0..<count).reversed() { frames += try make(plan, part, of: count).frames }
      #expect(frames == whole.dataset.frames)
      let record = try joined(plan)
      #expect(try record.lasting.json() == known, "\(count) parts")
      #expect(record.sweep?.columns["model_time"]?.allSatisfy { ($0 ?? 0) > 0 } == true)
      #expect(
        record.notes.contains {
          $0.hasPrefix("This run was joined from \(count == 1 ? "1 part" : "\(count) parts"):")
        })
    }
  }

  @Test func `a stored run is swept in parts as on one machine`() throws {
    var evaluation = EvaluationPlan.test(dataset, run: "stored")
    evaluation.maxBadFrames = 1
    _ = try evaluation.finish()
    for values in [[0.3, 0.5], [0.6, 0.95]] {
      func plan(_ run: String) throws -> SweepPlan {
        var plan = try SweepPlan(
          ofRun: folder.file("stored"), into: folder.file("\(run) \(values)"),
          values: [SweptValues("min-face-detection-confidence", values)])
        plan.evaluation.models = PulledModels.folder
        plan.evaluation.maxBadFrames = 1
        plan.evaluation.settings.outputFaceBlendshapes = false
        plan.evaluation.settings.outputFacialTransformationMatrixes = false
        plan.bootstrap.resamples = 10
        return plan
      }
      let whole = try SweepRun.run(plan("whole")).record
      let own = try plan("parts")
      for part in 0..<3 { try make(own, part, of: 3) }
      // Another stored run is another sweep, though the settings are the same.
      var other = own
      var again = evaluation
      again.settings.numFaces = 2
      again.run = folder.file("stored 2 \(values)")
      _ = try again.finish()
      other.predictions = again.run.appending(path: "predictions.h5")
      #expect(try refusal(other).description.contains("expected predictions SHA-256 "))
      #expect(try joined(own).lasting.json() == whole.lasting.json())
      let error = #expect(throws: EvaluationError.self) { try make(other, 0, of: 3) }
      #expect(error?.description.contains("expected predictions SHA-256 ") == true)
    }
  }

  @Test func `a sweep repeats what is suspect about a run whose models run again`() throws {
    var evaluation = EvaluationPlan.test(dataset, run: "clips")
    evaluation.maxBadFrames = 1
    evaluation.settings.runningMode = .video
    var record = try evaluation.finish().record
    record.findings = [Finding("boxes.center", .suspect, "Wrong.", statistic: "error", n: 1)]
    try folder.write(String(decoding: record.json(), as: UTF8.self), to: "clips/record.json")
    var plan = try SweepPlan(
      ofRun: evaluation.run, into: folder.file("sweep"),
      values: [SweptValues("min-face-detection-confidence", [0.5])])
    plan.evaluation.models = PulledModels.folder
    plan.evaluation.settings.outputFaceBlendshapes = false
    plan.evaluation.settings.outputFacialTransformationMatrixes = false
    plan.evaluation.maxBadFrames = 1
    plan.bootstrap.resamples = 0
    let notes = try SweepRun.run(plan).record.notes
    #expect(notes.contains { $0.hasPrefix("clips: The input is suspect (boxes.center): Wrong.") })
  }

  @Test func `thresholds of expressions are swept in parts, by the rules of the parts alone`()
    throws
  {
    func plan(_ run: String) throws -> SweepPlan {
      var plan = try self.plan(run, .image)
      plan.evaluation.settings.outputFaceBlendshapes = true
      plan.values = [
        SweptValues("min-face-detection-confidence", [0.2, 0.9]),
        SweptValues(.expression("happy"), [0, 1e-4, 0.001, 0.01, 0.1]),
        SweptValues(.expression("sad"), [0, 1e-4, 0.001, 0.01, 0.1]),
      ]
      plan.objectives = [
        try Objective("max expressions.mean_f1", of: plan),
        try Objective("min faces.failure_to_acquire", of: plan),
      ]
      return plan
    }
    let whole = try SweepRun.run(plan("whole")).record
    for name in ["happy", "sad", "neutral"] {
      let values = whole.sweep?.columns["expressions.\(name).f1"] ?? []
      #expect(Set(values.compactMap { $0 }).count > 1, "\(name)")
    }
    for count in [1, 4] {
      let plan = try plan("run\(count)")
      for part in 0..<count { try make(plan, part, of: count) }
      #expect(try joined(plan).lasting.json() == whole.lasting.json(), "\(count) parts")
      var other = plan
      other.evaluation.replaces = true
      other.rules = ExpressionRules(plan.rules.rules.dropLast())
      other.evaluation.run = plan.evaluation.run
      other.evaluation.shards = ShardFolder(of: plan.evaluation.run)
      let error = #expect(throws: EvaluationError.self) { try SweepRun.run(other) }
      #expect(error?.description.contains("expected the rules of expressions with SHA-256") == true)
      other.rules = plan.rules
      other.evaluation.pairing = FacePairing(rule: .nearest)
      let paired = #expect(throws: EvaluationError.self) { try SweepRun.run(other) }
      #expect(paired?.description.contains("expected pairing overlap as in its parts") == true)
      other.evaluation.pairing = plan.evaluation.pairing
      other.objectives.removeLast()
      let unnamed = #expect(throws: EvaluationError.self) { try SweepRun.run(other) }
      #expect(unnamed?.description.contains("the metrics of faces.failure_to_acquire") == true)
      other.objectives = plan.objectives
      other.rules = ExpressionRules(plan.rules.rules.dropLast())
      let refused = #expect(throws: EvaluationError.self) { try make(other, 0, of: count) }
      #expect(refused?.description.contains("expected expressions SHA-256 ") == true)
    }
  }

  @Test func `missing, doubled, foreign, truncated and empty parts are refused by name and healed`()
    throws
  {
    let plan = try plan("run")
    let whole = try SweepRun.run(self.plan("whole")).record
    for part in 0..<3 { try make(plan, part, of: 3) }
    var other = try self.plan("other")
    other.values.removeLast()
    for part in 0..<3 { try make(other, part, of: 3) }
    let shards = ShardFolder(of: plan.evaluation.run)
    let (known, digest) = try shards.plan()
    #expect(known.command == .sweep)
    let second = shards.file(ofPart: 1)
    let sound = try Data(contentsOf: second)
    func missing() throws -> String {
      try shards.state(of: known, digest: digest).faults.ranges
    }
    #expect(try missing() == "")
    func put(_ bytes: Data?, _ reason: String) throws {
      try FileManager.default.removeItem(at: second)
      try bytes?.write(to: second)
      let error = try refusal(plan)
      #expect(error.kind == .wrongData)
      #expect(error.description.contains("found 1 fault: 00001.h5 (\(reason)"), "\(error)")
      #expect(error.description.contains("; shards to run again: 1 (--shard 1/3 "))
      #expect(try missing() == "1")
      #expect(try !make(plan, 1, of: 3).wasThere)
    }
    try put(nil, "no file")
    try put(try Data(contentsOf: shards.file(ofPart: 0)), "expected part 1 of 3, found part 0 of 3")
    try put(
      try Data(contentsOf: ShardFolder(of: other.evaluation.run).file(ofPart: 1)),
      "expected a part of the plan \(digest.prefix(12))…, found one of ")
    try put(sound.prefix(sound.count / 2), "expected a checksum as its last line, found none")
    var damaged = sound
    damaged[sound.count / 3] ^= 1
    try put(damaged, "damaged: expected SHA-256 ")
    // The part of an evaluation is none of a sweep, and neither may add to the other's.
    let evaluation = EvaluationPlan.test(dataset, run: "evaluation")
    #expect(throws: EvaluationError.self) {
      var tolerant = evaluation
      tolerant.run = plan.evaluation.run
      tolerant.maxBadFrames = 1
      _ = try ShardRun.run(tolerant, ShardRequest(part: 0, of: 3))
    }
    #expect(try make(plan, 1, of: 3).wasThere)
    let stranger = shards.url.appending(path: "00003.h5")
    try sound.write(to: stranger)
    #expect(
      try refusal(plan).description.hasSuffix(
        "expected only the 3 parts of its plan, found 00003.h5"))
    try FileManager.default.removeItem(at: stranger)
    #expect(try joined(plan).lasting.json() == whole.lasting.json())
  }

  @Test func `machines of two kinds share no time of the models`() throws {
    let plan = try plan("run", .image)
    for part in 0..<2 { try make(plan, part, of: 2) }
    let second = ShardFolder(of: plan.evaluation.run).file(ofPart: 1)
    var bytes = try Data(contentsOf: second)
    let cores = try #require(bytes.firstRange(of: Data("\"cores\":".utf8))).upperBound
    bytes[cores] = bytes[cores] == UInt8(ascii: "9") ? UInt8(ascii: "8") : UInt8(ascii: "9")
    try bytes.sealed().write(to: second)
    let record = try joined(plan)
    #expect(record.sweep?.columns["model_time"] == nil)
    #expect(record.notes.contains { $0.contains("2 kinds of machine") })
  }
}
