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
import Tuning

/// What the intervals of a dataset rest on: stretches of one clip, and people.
@Suite struct OneClipTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func box(_ x: Double, score: Double? = nil, identity: Int? = nil) -> FaceLabel {
    var face = FaceLabel(
      box: BoundingBox(x: x, y: 0, width: 10, height: 10), identity: identity)
    face.score = score
    return face
  }

  /// A clip at 30 a second, or stills, with the faces that a closure gives.
  private func write(
    _ name: String, frames: Int, isVideo: Bool, side: Int = 0, _ faces: (Int) -> [FaceLabel]
  ) throws -> URL {
    let url = folder.file(name)
    let writer = try DatasetWriter(url, name: "d", replacing: true)
    if isVideo {
      writer.beginSequence(
        SequenceDescription(name: "clip", kind: .video, framesPerSecond: 30))
    }
    for index in 0..<frames {
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: side, height: side),
        timestampMicroseconds: Int64(index) * 33_333, faces: faces(index))
    }
    try writer.finish()
    return url
  }

  /// A run that gives out a face in each frame, and a second one but in some.
  private func run(
    _ name: String, on dataset: URL, missing: Set<Int> = [], resamples: Int = 200
  ) throws -> (url: URL, record: Record) {
    let count = try DatasetReader(dataset).frameCount
    let predicted = folder.file("\(name)-predicted.h5")
    try GivenFaces.write(
      (0..<count).map {
        [box(0, score: 0.9)] + (missing.contains($0) ? [] : [box(50, score: 0.8)])
      }, on: dataset, to: predicted)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(name))
    plan.predictions = predicted
    plan.bootstrap.resamples = resamples
    return (plan.run, try plan.finish().record)
  }

  @Test func `one clip has intervals of this clip only, in runs and comparisons`() throws {
    let clip = try write("clip.h5", frames: 200, isVideo: true) { _ in [box(0), box(50)] }
    let base = try run("base", on: clip, missing: Set(0..<60))
    let recall = try #require(base.record.measurement("detection.recall@score"))
    #expect(recall.value == 0.85 && recall.interval.isOfThisClip)
    #expect(recall.intervalText?.hasSuffix(", this clip only") == true)
    let (low, high) = (try #require(recall.interval.low), try #require(recall.interval.high))
    // Each of ten stretches has a recall of .5 or 1.
    #expect(low < 0.75 && high > 0.9)
    #expect(base.record.notes.contains { $0.hasPrefix("The dataset is one clip") })
    let tracked = try #require(base.record.measurement("tracking.tracked_share"))
    #expect(tracked.value == 0.85 && tracked.interval.isOfThisClip)
    let candidate = try run("candidate", on: clip)
    let comparison = try RunComparison.run(
      ComparisonPlan(runs: [base.url, candidate.url])
    ).result
    let difference = try #require(comparison.difference("faces.recall"))
    #expect(difference.interval.isOfThisClip && comparison.method.clusters == 10)
    #expect(comparison.notes.contains { $0.hasPrefix("The dataset is one clip") })
  }

  @Test func `a stretch without a labelled face has no occasion to track one`() throws {
    let clip = try write("late.h5", frames: 200, isVideo: true) { $0 < 90 ? [] : [box(0)] }
    let record = try run("late", on: clip).record
    let tracked = try #require(record.measurement("tracking.tracked_share"))
    #expect(tracked.value == 1 && tracked.n == 110)
    // Six of ten stretches have the face.
    #expect(tracked.interval.reason == ClusterBootstrap.tooFew(6))
    #expect(record.measurement("tracking.losses_per_minute")?.value == 0)
  }

  @Test func `a stretch without a labelled face has none to track in a sweep either`() throws {
    let clip = try write("late.h5", frames: 200, isVideo: true) { $0 < 90 ? [] : [box(0)] }
    _ = try run("late", on: clip, resamples: 0)
    var plan = try SweepPlan(
      EvaluationPlan(dataset: clip, run: folder.file("sweep")),
      predictions: folder.file("late-predicted.h5"),
      values: [SweptValues("min-face-detection-confidence", [0.5])])
    plan.bootstrap.resamples = 0
    plan.folds = 10
    let advice = try #require(try SweepRun.run(plan).record.sweep?.advice.first)
    let tracked = try #require(advice.metrics.first { $0.name == "tracked_share" })
    // Each of ten stretches is a fold; four of them end before the face comes.
    #expect(tracked.value == 1 && tracked.heldOut.count { $0 == nil } == 4)
  }

  @Test func `a clip under five seconds has no interval, and neither have two clips`() throws {
    let short = try write("short.h5", frames: 149, isVideo: true) { _ in [box(0), box(50)] }
    let recall = try run("short", on: short).record.measurement("detection.recall@score")
    #expect(recall?.interval.reason?.hasPrefix("1 cluster of frames") == true)
  }

  @Test func `stills of one person are one cluster`() throws {
    let people = try write("people.h5", frames: 60, isVideo: false) {
      [box(0, identity: $0 / 5), box(50)]
    }
    let record = try run("people", on: people, missing: [1, 2, 3, 30]).record
    let recall = try #require(record.measurement("detection.recall@score"))
    #expect(recall.interval.method?.contains("of 12 clusters") == true)
    let few = try write("few.h5", frames: 60, isVideo: false) {
      [box(0, identity: $0 / 10), box(50)]
    }
    #expect(
      try run("few", on: few).record.measurement("detection.recall@score")?.interval.reason
        == ClusterBootstrap.tooFew(6))
  }

  @Test func `frames that are not labelled count neither way`() throws {
    let region = FaceLabel(
      box: BoundingBox(x: -100, y: -100, width: 300, height: 300), isIgnored: true, isCrowd: true)
    let sparse = try write("sparse.h5", frames: 50, isVideo: true) {
      $0.isMultiple(of: 5) ? [box(0)] : [region]
    }
    let whole = try write("whole.h5", frames: 10, isVideo: true) { _ in [box(0)] }
    let names = [
      "detection.recall@score", "detection.precision@score", "detection.fp_per_image@score",
      "detection.ap50", "detection.voc.ap", "faces.failure_to_acquire", "tracking.tracked_share",
    ]
    let (first, second) = (
      try run("sparse", on: sparse).record, try run("whole", on: whole).record
    )
    for name in names {
      let (one, other) = (first.measurement(name), second.measurement(name))
      #expect(one?.value == other?.value && one?.n == other?.n, "\(name)")
    }
    #expect(first.measurement("detection.fp_per_image@score")?.value == 1)
    var unlabelled: [Bool] = []
    try #require(try FrameReading(of: folder.file("sparse"))).read {
      unlabelled.append($0.isUnlabelled)
      return true
    }
    #expect(unlabelled == (0..<50).map { !$0.isMultiple(of: 5) })
  }

  @Test func `the regions of frames that are not labelled are no labelled faces, of sweeps too`()
    throws
  {
    let region = FaceLabel.unlabelled(ImageSize(width: 100, height: 100))
    let sparse = try write("sparse.h5", frames: 50, isVideo: true, side: 100) {
      $0.isMultiple(of: 5) ? [box(0)] : [region]
    }
    let record = try run("sparse", on: sparse).record
    #expect(record.dataset.faces == 10)
    #expect(record.notes.contains { $0.hasPrefix("40 frames are not labelled") })
    var plan = try SweepPlan(
      EvaluationPlan(dataset: sparse, run: folder.file("sweep")),
      predictions: folder.file("sparse-predicted.h5"),
      values: [SweptValues("min-face-detection-confidence", [0.5])])
    plan.bootstrap.resamples = 0
    #expect(try SweepRun.run(plan).record.dataset.faces == 10)
  }

  /// A false face in every frame halves precision in each cluster alike: the clearest difference there is.
  @Test func `a difference that all clusters have is decisive from ten of them on`() throws {
    try folder.write(
      #"{"schema": "facegauge.gates", "version": 2, "gates": "#
        + #"[{"metric": "faces.precision", "max_worsening": 0.05}]}"#, to: "gates.json")
    let cases = [(1, 200, true), (1, 60, false), (2, 40, false), (5, 40, false), (12, 20, true)]
    for (clips, frames, isTested) in cases {
      let name = "\(clips)-\(frames)"
      let url = folder.file("\(name).h5")
      let writer = try DatasetWriter(url, name: "d", replacing: true)
      for clip in 0..<clips {
        writer.beginSequence(
          SequenceDescription(name: "clip\(clip)", kind: .video, framesPerSecond: 30))
        for index in 0..<frames {
          try writer.add(
            name: "\(clip)/\(index)", image: [], size: ImageSize(width: 0, height: 0),
            timestampMicroseconds: Int64(index) * 33_333, faces: [box(0)])
        }
      }
      try writer.finish()
      let base = try run("\(name)-base", on: url, missing: Set(0..<clips * frames)).url
      let candidate = try run("\(name)-candidate", on: url).url
      func compared(_ candidate: URL) throws -> Comparison {
        var plan = ComparisonPlan(runs: [base, candidate])
        plan.bootstrap.resamples = 400
        plan.gates = folder.file("gates.json")
        plan.accepted = ["sides.same"]
        return try RunComparison.run(plan).result
      }
      let comparison = try compared(candidate)
      let precision = try #require(comparison.difference("faces.precision"))
      #expect(precision.difference == -0.5)
      #expect(precision.outcome == (isTested ? .worse : .notTested), "\(name)")
      #expect(comparison.gates.map(\.verdict) == [isTested ? .fail : .inconclusive], "\(name)")
      #expect(precision.interval.low == (isTested ? -0.5 : nil))
      #expect(precision.interval.high == precision.interval.low)
      let p = precision.p ?? 1
      #expect(isTested ? p < 0.01 : precision.p == nil)
      #expect(precision.interval.isOfThisClip == (clips == 1 && isTested))
      if !isTested {
        #expect(comparison.notes.contains { $0.hasPrefix("No difference was tested: ") })
      }
      // A run against itself.
      let same = try #require(compared(base).difference("faces.precision"))
      #expect(same.outcome == (isTested ? .equal : .notTested) && same.difference == 0)
      #expect(same.p.map { $0 == 1 } ?? true)
    }
  }
}
