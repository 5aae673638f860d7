import Datasets
import FaceCore
import Foundation
import Metrics
import Platform
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Two trackers' boxes over the same labelled frames, compared.
@Suite struct RunComparisonTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
    try write(dataset, frames: 40)
  }

  private func box(_ x: Double, score: Double? = nil) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: x, y: 0, width: 10, height: 10))
    face.score = score
    return face
  }

  private func write(_ url: URL, frames: Int, isVideo: Bool = false) throws {
    let writer = try DatasetWriter(url, name: "d", replacing: true)
    if isVideo {
      writer.beginSequence(
        SequenceDescription(name: "clip", kind: .video, framesPerSecond: 30))
    }
    for index in 0..<frames {
      try writer.add(
        name: "\(index).png", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: Int64(index) * 33_333, faces: [box(0), box(50)])
    }
    try writer.finish()
  }

  /// A run in which the second face of some frames is missed; the first never is.
  private func run(_ name: String, on dataset: URL? = nil, missing: Set<Int>) throws -> URL {
    let dataset = dataset ?? self.dataset
    let reader = try DatasetReader(dataset)
    let predicted = folder.file("\(name).h5")
    let given = (0..<reader.frameCount).map { frame in
      [box(0, score: 0.9)] + (missing.contains(frame) ? [] : [box(50, score: 0.8)])
    }
    try GivenFaces.write(given, on: dataset, to: predicted)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(name))
    plan.predictions = predicted
    plan.bootstrap.resamples = 0
    _ = try plan.finish()
    return plan.run
  }

  private func plan(_ base: URL, _ candidate: URL) -> ComparisonPlan {
    var plan = ComparisonPlan(runs: [base, candidate])
    plan.bootstrap.resamples = 500
    // Boxes are found at their labels, or missed.
    plan.accepted = ["sides.same"]
    return plan
  }

  private func compare(_ base: URL, _ candidate: URL) throws -> Comparison {
    try RunComparison.run(plan(base, candidate)).result
  }

  /// Recall of a frame falls from 1 to 1/2 in 12 of 40 frames of two faces, so by 0.15 over all.
  @Test func `what got worse is decisive, with its interval, p and frames`() throws {
    let base = try run("base", missing: [])
    let missing = Set(stride(from: 0, to: 36, by: 3))
    let comparison = try compare(base, try run("candidate", missing: missing))
    let recall = try #require(comparison.difference("faces.recall"))
    #expect(recall.base == 1 && recall.candidate == 0.85)
    #expect(abs((recall.difference ?? 0) + 0.15) < 1e-12)
    // 12 of 40 drawn with replacement, halved: standard deviation √(.3 · .7 / 40) / 2 = .0362.
    let low = try #require(recall.interval.low)
    let high = try #require(recall.interval.high)
    #expect(abs(low - (-0.15 - 1.96 * 0.0362)) < 0.02 && abs(high - (-0.15 + 1.96 * 0.0362)) < 0.02)
    // All twelve must point one way by chance: 2 · 2⁻¹².
    #expect(try #require(recall.p) < 0.005 && recall.outcome == .worse)
    let adjusted = try #require(recall.adjustedP)
    #expect(adjusted >= recall.p ?? 1 && adjusted <= 0.05)
    #expect(comparison.difference("faces.precision")?.outcome == .equal)
    // It is the recall of the same faces again, and no second test.
    #expect(comparison.difference("faces.failure_to_acquire")?.outcome == nil)
    #expect(comparison.frames.count == 6)
    #expect(
      comparison.frames.allSatisfy {
        $0.outcome == .worse && missing.contains(Int($0.frame.dropLast(4)) ?? -1)
          && $0.base == "2 of 2 found" && $0.candidate == "1 missed, 1 of 2 found"
      })
    let back = try compare(folder.file("candidate"), base)
    #expect(back.difference("faces.recall")?.outcome == .better)
    #expect(back.frames.count == 6 && back.frames.allSatisfy { $0.outcome == .better })
  }

  /// Both are of the same misses: a second test of them would only take from the level of the others.
  @Test func `recall and failure to acquire count as one test`() throws {
    let base = try run("base", missing: [])
    let comparison = try compare(base, try run("candidate", missing: Set(0..<12)))
    let acquired = try #require(comparison.difference("faces.failure_to_acquire"))
    let recall = try #require(comparison.difference("faces.recall"))
    #expect(recall.outcome == .worse && recall.adjustedP != nil)
    #expect(acquired.outcome == nil && acquired.adjustedP == nil)
  }

  @Test func `metrics that one run alone has are named with the reason`() throws {
    let base = try run("base", missing: [5])
    let none = folder.file("none.h5")
    try GivenFaces.write(Array(repeating: [], count: 40), on: dataset, to: none)
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("none"))
    evaluation.predictions = none
    evaluation.bootstrap.resamples = 0
    _ = try evaluation.finish()
    let notes = try compare(base, evaluation.run).notes.filter { $0.hasPrefix("Not compared: ") }
    let note = try #require(notes.first { $0.contains("faces.precision") })
    #expect(note.contains("undefined in none ("))
    let same = try compare(base, base).notes
    #expect(!same.contains { $0.hasPrefix("Not compared: ") })
  }

  @Test func `runs that did not analyse the same frames are noted`() throws {
    let base = try run("base", missing: [])
    let predicted = folder.file("broken.h5")
    let writer = try PredictionsWriter(
      predicted,
      header: PredictionsHeader(
        datasetName: "d", datasetSHA256: try RunMonitor.silent.hash(try DatasetReader(dataset)),
        datasetPath: "", mode: "image", models: [], candidateFloor: 0, stages: ["total"],
        options: ["tracker": "theirs"], facts: [.detectorBoxes]))
    for frame in 0..<40 {
      try writer.add(
        frame < 2
          ? FramePrediction(frame: frame, notAnalysed: .broken)
          : FramePrediction(
            frame: frame, size: ImageSize(width: 640, height: 480), stageNanoseconds: [nil],
            detections: [], candidates: [], faces: []))
    }
    try writer.finish()
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("broken"))
    evaluation.predictions = predicted
    evaluation.bootstrap.resamples = 0
    _ = try evaluation.finish()
    let start = "Not all runs analysed the same frames"
    let notes = try compare(base, evaluation.run).notes.filter { $0.hasPrefix(start) }
    #expect(notes.count == 1)
    #expect(notes.first?.hasPrefix("\(start) (broken or dropped: base 0, broken 2)") == true)
    #expect(try compare(base, base).notes.allSatisfy { !$0.hasPrefix(start) })
  }

  @Test func `few resamples still give the permutations that a decisive difference needs`() throws {
    let base = try run("base", missing: [])
    var few = plan(base, try run("candidate", missing: Set(0..<20)))
    few.bootstrap.resamples = 20
    let comparison = try RunComparison.run(few).result
    let recall = try #require(comparison.difference("faces.recall"))
    #expect(recall.outcome == .worse && (recall.adjustedP ?? 1) <= 0.05)
    let tests = comparison.differences.count { $0.adjustedP != nil }
    #expect(tests > 1 && comparison.method.permutations == 20 * tests)
  }

  @Test func `without a labelled face the false faces are compared`() throws {
    let empty = folder.file("empty.h5")
    let writer = try DatasetWriter(empty, name: "d", replacing: true)
    for index in 0..<40 {
      try writer.add(
        name: "\(index).png", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: 0, faces: [])
    }
    try writer.finish()
    let base = try run("base", on: empty, missing: Set(0..<40))
    let comparison = try compare(base, try run("candidate", on: empty, missing: []))
    let wrong = try #require(comparison.difference("faces.false_per_image"))
    #expect(wrong.base == 1 && wrong.candidate == 2 && wrong.outcome == .worse)
  }

  @Test func `one frame of forty is not decisive, and a run equals itself`() throws {
    let base = try run("base", missing: [5])
    let comparison = try compare(base, try run("candidate", missing: [5, 9]))
    let recall = try #require(comparison.difference("faces.recall"))
    #expect(recall.outcome == .notDecisive && recall.p == 1)
    #expect(comparison.frames.map(\.frame) == ["9.png"])
    let same = try compare(base, base)
    #expect(same.differences.allSatisfy { $0.outcome == nil || $0.outcome == .equal })
    #expect(same.differences.contains { $0.outcome == .equal } && same.frames.isEmpty)
    #expect([same.base.name, same.candidate.name] == ["base (1)", "base (2)"])
  }

  @Test func `other kernels and another BLAS are noted, and nothing of a run and itself`() throws {
    /// A run as of our pipeline, on a machine that the closure changes.
    func ours(_ name: String, _ change: (inout Record) -> Void) throws -> URL {
      let url = try run(name, missing: [])
      let file = url.appending(path: "record.json")
      var record = try Record(json: [UInt8](Data(contentsOf: file)))
      for option in ["predictions", "tracker"] { record.options[option] = nil }
      change(&record)
      try Data(record.json()).write(to: file)
      return url
    }
    func notes(_ candidate: URL, _ base: URL) throws -> [String] {
      try compare(base, candidate).notes.filter {
        $0.contains("different numerics") || $0.contains("different machines")
      }
    }
    let base = try ours("base") { $0.host.kernels = "x86-64-v4" }
    #expect(try notes(base, base).isEmpty)
    let kernels = try notes(ours("baseline") { $0.host.kernels = "baseline" }, base)
    try #require(kernels.count == 2)
    #expect(
      kernels[0].hasPrefix(
        "The runs were computed with different numerics (kernels baseline and x86-64-v4). "))
    #expect(kernels[1].contains("latencies cannot be compared"))
    let core = try notes(
      ours("core") {
        $0.host.kernels = "x86-64-v4"
        $0.host.blasCore = "Other"
      }, base)
    #expect(core.count == 2 && core[0].contains("(OpenBLAS core "))
    #expect(core.first?.contains("Other") == true)
    let version = try notes(
      ours("version") {
        $0.host.kernels = "x86-64-v4"
        $0.host.blasVersion = "OpenBLAS 9"
      }, base)
    #expect(
      version.count == 1 && version[0].contains("(BLAS ")
        && version[0].contains("OpenBLAS 9"))
    let unknown = try notes(ours("old") { $0.host.kernels = nil }, base)
    #expect(unknown.count == 2 && unknown[0].contains("(kernels not recorded and x86-64-v4)"))
    // Nothing is known of what gave predictions that were read from a file.
    #expect(try notes(run("read", missing: []), base).count == 0)
    // A tracker of ours says it itself.
    func tracked(_ name: String, _ core: String) throws -> URL {
      try ours(name) {
        $0.options.merge([
          "tracker": "facegauge 1", "predictions": "p.h5", "blas-core": core, "kernels": "baseline",
        ]) { $1 }
      }
    }
    let trackers = try notes(tracked("one", "Haswell"), tracked("other", "Zen"))
    #expect(
      trackers.count == 1
        && trackers[0].contains(
          "(OpenBLAS core Haswell and Zen)")
    )
  }

  @Test func `the same seed gives the same bytes, another seed another interval`() throws {
    let (base, other) = (try run("base", missing: [1, 2]), try run("other", missing: [2, 3, 4]))
    func bytes(seed: UInt64) throws -> [UInt8] {
      var plan = plan(base, other)
      plan.bootstrap.seed = seed
      var comparison = try RunComparison.run(plan).result
      comparison.created = ""
      return try comparison.json()
    }
    #expect(try bytes(seed: 1) == bytes(seed: 1))
    #expect(try bytes(seed: 1) != bytes(seed: 2))
  }

  @Test func `a video is one cluster, and under ten of them nothing is tested`() throws {
    let clip = folder.file("clip.h5")
    try write(clip, frames: 40, isVideo: true)
    let base = try run("base", on: clip, missing: [])
    let comparison = try compare(base, try run("candidate", on: clip, missing: Set(0..<30)))
    #expect(comparison.method.clusters == 1)
    let recall = try #require(comparison.difference("faces.recall"))
    #expect(recall.difference == -0.375 && recall.interval.low == nil && recall.p == nil)
    #expect(recall.interval.reason?.contains("10 are needed") == true)
    #expect(comparison.differences.allSatisfy { $0.outcome == nil || $0.outcome == .notTested })
    #expect(recall.outcome == .notTested)
    #expect(
      comparison.notes.first?.hasPrefix("No difference was tested: 1 cluster of frames") == true)
    let gates = folder.file("gates.json")
    let text = """
      {"schema": "facegauge.gates", "version": 2, "gates": [{"metric": "detection.recall@score",
        "direction": "at_least", "max_worsening": 0.01}]}
      """
    try Data(text.utf8).write(to: gates)
    func verdict(_ candidate: URL) throws -> Verdict? {
      var plan = plan(base, candidate)
      plan.gates = gates
      return try RunComparison.run(plan).result.gates.first?.verdict
    }
    #expect(try verdict(folder.file("candidate")) == .inconclusive)
    #expect(try verdict(base) == .pass)
  }

  @Test func `runs on different frames are refused, and a dataset that moved is asked for`() throws
  {
    let other = folder.file("elsewhere.h5")
    try write(other, frames: 12)
    let (base, candidate) = (try run("base", missing: []), try run("other", on: other, missing: []))
    let refused = #expect(throws: EvaluationError.self) { try compare(base, candidate) }
    #expect(refused?.kind == .wrongData)
    #expect(refused?.description.contains("expected runs on the same frames") == true)
    let moved = folder.file("moved.h5")
    try FileManager.default.moveItem(at: dataset, to: moved)
    let lost = #expect(throws: EvaluationError.self) { try compare(base, base) }
    #expect(lost?.kind == .notFound && lost?.description.contains("--dataset") == true)
    var plan = plan(base, base)
    plan.dataset = other
    let wrong = #expect(throws: EvaluationError.self) { try RunComparison.run(plan) }
    #expect(wrong?.kind == .wrongData)
    plan.dataset = moved
    #expect(try RunComparison.run(plan).result.dataset.frames == 40)
  }

  @Test func `a gate on a change is decided by the interval of the difference`() throws {
    let base = try run("base", missing: [])
    func verdict(_ allowed: Double, missing: Set<Int>, _ name: String) throws -> Verdict {
      let gates = folder.file("gates.json")
      let text = """
        {"schema": "facegauge.gates", "version": 2, "gates": [{"metric": "detection.recall@score",
          "direction": "at_least", "max_worsening": \(allowed)}]}
        """
      try Data(text.utf8).write(to: gates)
      var plan = plan(base, try run(name, missing: missing))
      plan.gates = gates
      let comparison = try RunComparison.run(plan).result
      let result = try #require(comparison.gates.first)
      #expect(result.difference?.low != nil && result.base == 1)
      #expect(
        comparison.differences.filter { $0.outcome != nil }.map(\.name)
          == ["detection.recall@score"], "only what is gated is evaluated together")
      return result.verdict
    }
    #expect(try verdict(0.4, missing: [1, 2, 3], "small") == .pass)
    #expect(try verdict(0.01, missing: Set(0..<30), "large") == .fail)
    #expect(try verdict(0.05, missing: [1, 2, 3, 4], "between") == .inconclusive)
  }

  /// As where a run is compared by other labels or boxes than in its own report.
  @Test func `a gate on a change is decided by the values that are compared`() throws {
    let base = try run("base", missing: [])
    let candidate = try run("candidate", missing: [])
    let file = candidate.appending(path: "record.json")
    var record = try Record(json: [UInt8](Data(contentsOf: file)))
    let name = "detection.recall@score"
    let index = try #require(
      record.measurements.firstIndex { $0.name == name && $0.slice == nil })
    record.measurements[index].value = 0.5
    try Data(record.json()).write(to: file)
    func result(_ limit: String) throws -> GateResult {
      let gates = folder.file("gates.json")
      let text = """
        {"schema": "facegauge.gates", "version": 2, "gates": [{"metric": "\(name)",
          "direction": "at_least", \(limit)}]}
        """
      try Data(text.utf8).write(to: gates)
      var plan = plan(base, candidate)
      plan.gates = gates
      return try #require(try RunComparison.run(plan).result.gates.first)
    }
    for basis in [#", "evaluated_by": "value""#, ""] {
      let change = try result(#""max_worsening": 0.01\#(basis)"#)
      #expect(change.verdict == .pass && change.value == 1 && change.base == 1)
    }
    #expect(try result(#""limit": 0.9"#).value == 0.5)
    let both = try result(#""limit": 0.9, "max_worsening": 0.01"#)
    #expect(both.verdict == .fail && both.value == 1 && both.gate.limit == 0.9)
    #expect(
      both.message.hasPrefix(
        "\(name) is 0.5, below the limit of at least 0.9. As compared with the base, "
          + "\(name) is 1, equal to the base's 1 "))
  }

  @Test func `reports are written under a partial name and stay when the folder exists`() throws {
    let base = try run("base", missing: [])
    var plan = plan(base, try run("candidate", missing: [3]))
    plan.output = folder.file("out")
    let finished = try RunComparison.run(plan)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out").path))
    let written = try #require(finished.folder)
    try written.commit()
    let file = folder.file("out").appending(path: "comparison.json")
    #expect(try [UInt8](Data(contentsOf: file)) == finished.result.json())
    let again = #expect(throws: EvaluationError.self) { try RunComparison.run(plan) }
    #expect(again?.kind == .cannotWrite)
  }
}
