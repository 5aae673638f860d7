import Datasets
import FaceCore
import Foundation
import Metrics
import Platform
import Records
import Running
import Scoring
import Statistics
import TestSupport
import Testing

/// Three trackers or more over the same frames, ranked.
@Suite struct RunRankingTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
  }

  private func box(_ x: Double, score: Double? = nil) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: x, y: 0, width: 10, height: 10))
    face.score = score
    return face
  }

  private func writeDataset(frames: Int, isVideo: Bool = false, faces: Int = 2) throws {
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    if isVideo {
      writer.beginSequence(SequenceDescription(name: "clip", kind: .video, framesPerSecond: 30))
    }
    for index in 0..<frames {
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: Int64(index) * 33_333,
        faces: (0..<faces).map { box(Double($0) * 50) })
    }
    try writer.finish()
  }

  private func run(_ name: String, _ faces: [[FaceLabel]]) throws -> URL {
    let predicted = folder.file("\(name).h5")
    try GivenFaces.write(faces, on: dataset, to: predicted)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(name))
    plan.predictions = predicted
    plan.bootstrap.resamples = 0
    plan.replaces = true
    _ = try plan.finish()
    return plan.run
  }

  /// A run that misses the second face of some frames.
  private func run(_ name: String, frames: Int, missing: Set<Int>) throws -> URL {
    try run(
      name,
      (0..<frames).map {
        [box(0, score: 0.9)] + (missing.contains($0) ? [] : [box(50, score: 0.8)])
      })
  }

  private func ranking(_ runs: [URL], resamples: Int = 400) throws -> Ranking {
    var plan = ComparisonPlan(runs: runs)
    plan.bootstrap.resamples = resamples
    return try RunRanking.run(plan).result
  }

  private struct Expected: Decodable {
    struct Whole: Decodable {
      var recall, p: [Double]
      var shares: [[Double]]
    }
    var runs: [Whole]
  }

  @Test func `values, p and shares of ranks are those of NumPy on the same draws`() throws {
    let (frames, count) = (12, 4)
    try writeDataset(frames: frames)
    let expected = try Oracles.read("run_ranks", as: Expected.self)
    for (number, wanted) in expected.runs.enumerated() {
      var stream = SplitMix64(seed: UInt64(63_000 + number))
      let runs = try (0..<count).map { run in
        let missing = Set((0..<frames).filter { _ in stream.below(8) <= run })
        return try self.run("run \(run)", frames: frames, missing: missing)
      }
      // All 4,096 permutations are taken, as many draws as SciPy's have to be the same.
      let ranking = try ranking(runs, resamples: 5000)
      let recall = try #require(ranking.tested.first { $0.name == "faces.recall" })
      #expect(recall.entries.map(\.value) == wanted.recall, "case \(number)")
      #expect(recall.pairs.map { [$0.base, $0.candidate] } == Self.pairs(count))
      for (pair, p) in zip(recall.pairs, wanted.p) {
        let own = try #require(pair.p)
        #expect(abs(own - p) < 1e-12, "case \(number), \(pair.base) \(pair.candidate)")
      }
      for (entry, shares) in zip(recall.entries, wanted.shares) {
        let own = try #require(entry.rankShares)
        for (own, other) in zip(own, shares) { #expect(abs(own - other) < 1e-12) }
      }
      // One family: all pairs of all tested metrics.
      let pairs = ranking.tested.flatMap(\.pairs).filter { $0.p != nil }
      #expect(ranking.tests == pairs.count && pairs.count >= 6)
      #expect(
        pairs.compactMap(\.adjustedP) == MultipleTesting.holm(pairs.compactMap(\.p)))
    }
  }

  private static func pairs(_ count: Int) -> [[Int]] {
    (0..<count).flatMap { first in (first + 1..<count).map { [first, $0] } }
  }

  @Test func `a difference is that of the comparison of the two runs`() throws {
    try writeDataset(frames: 40)
    let runs = try [Set([1]), Set(0..<16), Set(0..<36)].enumerated().map {
      try run("run \($0)", frames: 40, missing: $1)
    }
    let ranking = try ranking(runs)
    let recall = try #require(ranking.tested.first { $0.name == "faces.recall" })
    for pair in recall.pairs {
      var plan = ComparisonPlan(runs: [runs[pair.base], runs[pair.candidate]])
      plan.bootstrap.resamples = 400
      let two = try #require(
        try RunComparison.run(plan).result.difference("faces.recall"))
      #expect(pair.difference == two.difference && pair.interval == two.interval)
      let (own, other) = (try #require(pair.adjustedP), try #require(two.adjustedP))
      #expect(pair.p == two.p && own >= other)
    }
    // 1, 16 and 36 of 80 are missed, 15 and 20 of them by one of two alone: all differ.
    #expect(recall.entries.map(\.ranks) == [[1, 1], [2, 2], [3, 3]])
    let best = try #require(recall.entries[0].rankShares)
    #expect(best[0] > 0.95)
    #expect(recall.pairs.map(\.outcome) == [.worse, .worse, .worse])
  }

  /// A face with the points of a scheme, all of them moved by `shift` from their labels.
  private func face(_ scheme: LandmarkScheme, shift: Double = 0, score: Double? = nil) throws
    -> FaceLabel
  {
    let outline = (0..<68).map { Point(x: 10 + Double($0 % 9) * 10, y: 10 + Double($0 / 9) * 11) }
    let five = [36..<42, 42..<48, 30..<31, 48..<49, 54..<55].map { group in
      Point(
        x: outline[group].reduce(0) { $0 + $1.x } / Double(group.count),
        y: outline[group].reduce(0) { $0 + $1.y } / Double(group.count))
    }
    let points = (scheme == .five ? five : outline).map { Point(x: $0.x + shift, y: $0.y) }
    var label = FaceLabel(
      box: BoundingBox(x: 10, y: 10, width: 80, height: 77),
      landmarks: [try #require(Landmarks(scheme: scheme, points: points))])
    label.score = score
    return label
  }

  @Test func `runs with 68 and with five points are compared with the same labels`() throws {
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    for index in 0..<20 {
      var label = try face(.ibug68)
      label.landmarks += try face(.five).landmarks
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: 0, faces: [label])
    }
    try writer.finish()
    let runs = try [("many", LandmarkScheme.ibug68), ("few", .five), ("more", .five)].map {
      name, scheme in
      try run(
        name,
        try (0..<20).map { index in
          [try face(scheme, shift: 1 + Double(index % 3), score: 0.9)]
        })
    }
    // The same shift of every point is the same error with the same labels: nothing differs.
    let ranking = try ranking(runs)
    let error = try #require(
      ranking.tested.first { $0.name == "landmarks.nme.interpupil.conditional" })
    #expect(Set(error.entries.map { $0.value.map { Float($0) } }).count == 1)
    #expect(error.pairs.allSatisfy { $0.outcome == .equal || $0.outcome == .notDecisive })
    // The run of 68 points has another value in its own record, and an interval here all the same.
    let bounds = error.entries.map {
      [$0.interval.low, $0.interval.high].map { $0.map { Float($0) } }
    }
    #expect(Set(bounds).count == 1 && bounds[0].allSatisfy { $0 != nil }, "\(error.entries)")
    #expect(
      ranking.notes.contains {
        $0.contains("compared with labels in five, for which all runs have points")
          && $0.contains("many ibug68, few five, more five")
      }, "\(ranking.notes)")
    let plan = ComparisonPlan(runs: [runs[0], runs[1]])
    let two = try RunComparison.run(plan).result
    let difference = try #require(two.difference("landmarks.nme.interpupil"))
    #expect(try abs(#require(difference.difference)) < 1e-6)
    let common = try #require(two.difference("landmarks.nme.interpupil.common"))
    #expect(try common.n == 20 && abs(#require(common.difference)) < 1e-6)
    // Its own report uses all 68 points, and by interpupil of these.
    #expect(two.notes.contains { $0.contains("A run's own report can use labels in another") })
    // A record alone has other errors: no gate passes or fails by their change.
    try folder.write(
      """
      {"schema": "facegauge.gates", "version": 2, "gates": [
        {"metric": "landmarks.nme.box.conditional", "direction": "at_most", "max_worsening": 0.9},
        {"metric": "faces.recall", "direction": "at_least", "max_worsening": 0.5}]}
      """, to: "gates.json")
    for (name, base, hasOthers) in [
      ("few", runs[0], true), ("few", runs[2], false), ("many", runs[2], true),
      ("many", runs[0], false),
    ] {
      var gated = EvaluationPlan(dataset: dataset, run: folder.file("gated"))
      gated.predictions = folder.file("\(name).h5")
      (gated.base, gated.gates) = (base, folder.file("gates.json"))
      (gated.bootstrap.resamples, gated.replaces) = (0, true)
      let gates = try gated.finish().record.gates
      let isOfOthers = gates.map { $0.message.contains("its landmarks are compared with labels") }
      #expect(isOfOthers == [hasOthers, false], "\(gates)")
      #expect(!hasOthers || gates[0].verdict == .inconclusive)
    }
    // Frames of both are compared in five points too, which have no eye corners.
    try FramePairReading(base: runs[0], candidate: runs[1]).read { base, candidate in
      #expect(base.errors.isEmpty && candidate.errors.isEmpty)
      return true
    }
  }

  @Test func `runs without a scheme in common have no landmark metrics`() throws {
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    var label = try face(.ibug68)
    let wflw = try #require(
      Landmarks(
        scheme: .wflw98,
        points: (0..<98).map { Point(x: Double($0 % 10) * 9 + 5, y: Double($0 / 10) * 9 + 5) }))
    label.landmarks.append(wflw)
    for index in 0..<20 {
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0),
        timestampMicroseconds: 0, faces: [label])
    }
    try writer.finish()
    var other = FaceLabel(
      box: BoundingBox(x: 10, y: 10, width: 80, height: 77), landmarks: [wflw])
    other.score = 0.9
    let runs = [
      try run("many", try (0..<20).map { _ in [try face(.ibug68, score: 0.9)] }),
      try run("more", (0..<20).map { _ in [other] }),
    ]
    let two = try RunComparison.run(ComparisonPlan(runs: [runs[0], runs[1]])).result
    #expect(two.difference("landmarks.nme.interpupil")?.difference == nil)
    #expect(
      two.notes.contains { $0.hasPrefix("Landmarks are not compared with labels: no scheme has") },
      "\(two.notes)")
  }

  @Test func `equal runs share every rank, and no rank is claimed`() throws {
    try writeDataset(frames: 20)
    let runs = try (0..<3).map { try run("run \($0)", frames: 20, missing: [3, 5]) }
    let ranking = try ranking(runs)
    for metric in ranking.tested {
      #expect(metric.pairs.allSatisfy { $0.outcome == .equal }, "\(metric.name)")
      #expect(metric.entries.allSatisfy { $0.ranks == [1, 3] })
      for entry in metric.entries {
        let shares = try #require(entry.rankShares)
        #expect(shares.allSatisfy { (share: Double) in abs(share - 1.0 / 3) < 1e-12 })
      }
    }
    #expect(ranking.agreement.pairs.allSatisfy { $0.faces.value == 1 })
    #expect(ranking.agreement.runs.allSatisfy { $0.alone.value == 0 && $0.frames.isEmpty })
    let same = try self.ranking([runs[0], runs[0], runs[0]])
    #expect(same.runs.map(\.name) == ["run 0 (1)", "run 0 (2)", "run 0 (3)"])
  }

  @Test func `one cluster has values without ranks, and no faces leave metrics undefined`() throws {
    try writeDataset(frames: 20, isVideo: true)
    let clip = try (0..<3).map { try run("clip \($0)", frames: 20, missing: Set(0..<5 * $0)) }
    let ranking = try ranking(clip)
    #expect(ranking.method.clusters == 1 && ranking.tests == 0)
    for metric in ranking.tested {
      #expect(metric.entries.allSatisfy { $0.ranks == nil && $0.rankShares == nil })
      #expect(metric.pairs.allSatisfy { [.notTested, .equal].contains($0.outcome) })
    }
    #expect(ranking.notes.first?.hasPrefix("No difference was tested: 1 cluster") == true)
    try writeDataset(frames: 20, faces: 0)
    let empty = try (0..<3).map { try run("empty \($0)", Array(repeating: [], count: 20)) }
    let none = try self.ranking(empty)
    #expect(!none.tested.contains { $0.name == "faces.recall" })
    #expect(
      none.agreement.pairs.allSatisfy { $0.faces.value == nil && $0.faces.interval.low == nil })
  }

  /// By hand: 30 frames of two faces; the third run loses one in 6 of them, the second sees one more in 3.
  @Test func `agreement without labels names who differs, and where`() throws {
    try writeDataset(frames: 30, faces: 0)
    func faces(_ frame: Int, _ extra: Set<Int>, _ lost: Set<Int>) -> [FaceLabel] {
      [box(0, score: 0.9)] + (lost.contains(frame) ? [] : [box(50, score: 0.9)])
        + (extra.contains(frame) ? [box(100, score: 0.9)] : [])
    }
    let (extra, lost): (Set<Int>, Set<Int>) = ([1, 2, 3], [10, 11, 12, 13, 14, 15])
    let first = try run("first", (0..<30).map { faces($0, [], []) })
    let second = try run("second", (0..<30).map { faces($0, extra, []) })
    let third = try run("third", (0..<30).map { faces($0, [], lost) })
    let agreement = try ranking([first, second, third]).agreement
    #expect(agreement.frames == 30)
    // First and second: 60 in common of 60 and 63; first and third: 54 of 60 and 54.
    let values = agreement.pairs.map(\.faces.value)
    let wanted: [Double?] = [120.0 / 123, 108.0 / 114, 108.0 / 117]
    #expect(values == wanted)
    #expect(agreement.pairs.allSatisfy { $0.points.value == nil && $0.coefficients.value == nil })
    let alone: [Double?] = [0, 0.1, 0.2]
    #expect(agreement.runs.map(\.alone.value) == alone)
    #expect(agreement.runs[0].frames.isEmpty)
    #expect(agreement.runs[1].frames.map(\.frame) == ["1", "2", "3"])
    #expect(agreement.runs[1].frames.first?.text == "3 faces, the others 2")
    #expect(agreement.runs[2].frames.map(\.index) == [10, 11, 12, 13, 14, 15])
  }

  /// Three runs that miss faces by the same chance: any rank that is claimed is wrong.
  @Test func `no rank is claimed beyond 5 % of splits of equal trackers`() throws {
    let repetitions =
      ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init) ?? 3
    let frames = 40
    try writeDataset(frames: frames)
    var stream = SplitMix64(seed: 71)
    var claimed = 0
    for _ in 0..<repetitions {
      let runs = try (0..<3).map { run in
        try self.run(
          "run \(run)",
          (0..<frames).map { _ in
            (0..<2).filter { _ in stream.below(4) > 0 }
              .map { box(Double($0) * 50, score: Double(stream.below(64)) / 64 * 0.5 + 0.5) }
              + (stream.below(5) == 0 ? [box(150, score: 0.75)] : [])
          })
      }
      let ranking = try ranking(runs)
      #expect(ranking.tests >= 9)
      let isClaimed = ranking.tested.contains { metric in
        metric.entries.contains { $0.ranks != [1, 3] }
      }
      if isClaimed { claimed += 1 }
    }
    print("ranks claimed in \(claimed) of \(repetitions) splits of equal trackers")
    let chance = 3 * (0.05 * 0.95 / Double(repetitions)).squareRoot()
    #expect(Double(claimed) / Double(repetitions) <= 0.05 + chance)
  }

  @Test func `runs on different frames are refused, and the file reads back`() throws {
    try writeDataset(frames: 12)
    let runs = try (0..<2).map { try run("run \($0)", frames: 12, missing: [$0]) }
    try writeDataset(frames: 14)
    let other = try run("other", frames: 14, missing: [])
    let error = #expect(throws: EvaluationError.self) { try ranking(runs + [other]) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("expected runs on the same frames") == true)
    let whole = try ranking([other, other, other])
    let again = try Ranking(json: try whole.json(), source: "ranking.json")
    #expect(again == whole)
    #expect(try Schema.problems(ofFile: whole.json()) == [])

    func position(_ change: (inout Ranking) -> Void) throws -> String? {
      var broken = whole
      change(&broken)
      // What this library refuses to write another program may have written.
      let json = try [UInt8](JSONEncoder().encode(broken))
      let error = #expect(throws: FileError.self) {
        try Ranking(json: json, source: "ranking.json")
      }
      return error?.description.split(separator: "'").dropFirst().first.map(String.init)
    }
    #expect(try position { $0.runs.removeLast(2) } == "runs")
    #expect(try position { $0.metrics[0].entries.removeLast() } == "metrics[0].entries")
    for ranks in [[], [1], [0, 1], [2, 1], [1, 4], [1, 2, 3]] {
      #expect(
        try position { $0.metrics[0].entries[1].ranks = ranks } == "metrics[0].entries[1].ranks")
    }
    #expect(
      try position { $0.metrics[0].entries[0].rankShares = [1] }
        == "metrics[0].entries[0].rankShares")
    for (base, candidate) in [(-1, 0), (1, 1), (2, 1), (0, 3)] {
      #expect(
        try position {
          $0.metrics[0].pairs[0].base = base
          $0.metrics[0].pairs[0].candidate = candidate
        } == "metrics[0].pairs[0]")
    }
    #expect(try position { $0.agreement.pairs[0].second = 3 } == "agreement.pairs[0]")
  }
}
