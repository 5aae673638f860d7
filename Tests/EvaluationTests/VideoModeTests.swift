import Datasets
import FaceCore
import FacePipeline
import Foundation
import Platform
import Records
import Running
import Scoring
import TestSupport
import Testing

@Suite(.enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"))
struct VideoModeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func plan(
    _ parts: [DrawnClips.Part], _ mode: RunningMode = .video, as name: String = "clips"
  ) throws -> EvaluationPlan {
    var plan = EvaluationPlan.test(
      try DrawnClips.write(parts, as: "\(name).h5", in: folder),
      run: "run of \(name) by \(mode.rawValue)")
    plan.settings.runningMode = mode
    return plan
  }

  @Test func `a face in a clip is tracked and smoothed after its first frame`() throws {
    let (record, predictions) = try plan([.init("a", DrawnClips.moving(30))]).finish()
    #expect(predictions.map(\.detectorRan) == [true] + Array(repeating: false, count: 29))
    #expect(
      predictions.map { $0.faces.map(\.isTracked) } == [[false]]
        + Array(repeating: [true], count: 29))
    let faces = predictions.flatMap(\.faces)
    #expect(faces.dropFirst().allSatisfy { $0.points != $0.unsmoothedPoints })
    #expect(record.value("tracking.tracked_share") != nil)
    #expect(record.value("tracking.detector_rate") == 1.0 / 30)
    #expect(record.value("tracking.dropped_frames") == 0)
    #expect(record.value("jitter.static") != nil)
    let recall = try #require(record.measurement("detection.recall@score"))
    #expect(recall.value == nil)
    #expect(recall.reason == "the detector did not run in 29 of 30 frames")
  }

  @Test
  func `a run has a spectrum of each clip, and the share of each frequency that smoothing removes`()
    throws
  {
    let (record, _) = try plan([
      .init("calm", DrawnClips.moving(40)), .init("short", DrawnClips.moving(12)),
      .init("other", DrawnClips.moving(45, from: 5)),
    ]).finish()
    guard case .curve(let curve)? = record.series(named: "jitter.clips.amplitude")?.content,
      case .curve(let removed)? = record.series(named: "jitter.clips.removed")?.content
    else {
      Issue.record("expected two curves")
      return
    }
    #expect(Set(curve.lines.map(\.label)) == ["calm", "other"])
    #expect(curve.lines.map(\.label) == removed.lines.map(\.label))
    for line in curve.lines {
      #expect(
        line.x.count == line.y.count && (line.x.last ?? 0) > 14 && (line.x.last ?? 99) < 15.01)
      #expect(line.y.allSatisfy { $0 > 0 && $0.isFinite })
    }
    for line in removed.lines {
      #expect(!line.y.isEmpty && line.y.allSatisfy { $0 <= 1 })
      // The One-Euro filter lets slow motion pass and holds fast one back.
      let fast = zip(line.x, line.y).filter { $0.0 > 10 }.map(\.1)
      #expect(fast.reduce(0, +) / Double(fast.count) > (line.y.first ?? 1))
    }
  }

  @Test func `clips worked on at once give what one after the other gives`() throws {
    let parts = [
      DrawnClips.Part("a", DrawnClips.moving(40)),
      DrawnClips.Part("b", DrawnClips.moving(9, from: 2)),
      DrawnClips.Part(stills: DrawnClips.moving(3, from: 1)),
      DrawnClips.Part("one frame", DrawnClips.moving(1)),
      DrawnClips.Part(
        "c", DrawnClips.moving(12) + DrawnClips.empty(4) + DrawnClips.moving(12, from: 3)),
      DrawnClips.Part("d", DrawnClips.moving(21, from: 5)),
    ]
    var plan = try plan(parts)
    let alone = try plan.finish()
    for jobs in 2...3 {
      plan.jobs = jobs
      plan.replaces = true
      let together = try plan.finish()
      #expect(together.predictions.untimed == alone.predictions.untimed, "\(jobs) jobs")
      #expect(together.record.accuracy == alone.record.accuracy, "\(jobs) jobs")
      #expect(together.record.gallery.map(\.frame) == alone.record.gallery.map(\.frame))
      #expect(together.record.notes.contains { $0.contains("\(jobs) frames at once") })
    }
  }

  @Test func `a clip begins without what the clip before it knew`() throws {
    let images = DrawnClips.moving(20)
    let both = try plan([.init("a", images), .init("b", images)]).finish().predictions
    #expect(both[20].detectorRan)
    #expect(both[20].faces.map(\.isTracked) == [false])
    #expect(both[0..<20].map(\.content) == both[20..<40].map(\.content))
  }

  @Test func `stills are analysed one by one as in image mode`() throws {
    let parts = [
      DrawnClips.Part(stills: DrawnClips.moving(4)), DrawnClips.Part("a", DrawnClips.moving(5)),
      DrawnClips.Part(stills: DrawnClips.moving(4)),
    ]
    let video = try plan(parts).finish().predictions
    let image = try plan(parts, .image).finish().predictions
    for frames in [0..<4, 9..<13] {
      #expect(video[frames].map(\.content) == image[frames].map(\.content))
      #expect(video[frames].allSatisfy { $0.detectorRan && $0.faces.count == 1 })
    }
    #expect(video[5..<9].allSatisfy { !$0.detectorRan })
  }

  @Test(
    arguments: [
      (1000, 1000, "found 1000 us after 1000 us"), (1000, 999, "found 999 us after 1000 us"),
      (0, -5, "found -5 us after 0 us"),
    ] as [(Int64, Int64, String)])
  func `times that repeat or fall are named before anything runs`(
    before: Int64, after: Int64, found: String
  ) throws {
    var second = DrawnClips.Part("second", DrawnClips.moving(3))
    second.microseconds = [before - 1, before, after]
    for mode in [RunningMode.video, .live] {
      let plan = try plan([.init("first", DrawnClips.moving(4)), second], mode)
      let error = plan.failure()
      #expect(error?.kind == .wrongData)
      #expect(
        error?.description.hasSuffix(
          "expected ascending timestamps in sequence 1 'second', \(found) in frame 6 'second/2'")
          == true, "\(error?.description ?? "")")
      #expect(try folder.names == ["clips.h5"])
    }
    #expect(try plan([second], .image).finish().predictions.count == 3)
  }

  @Test func `times may be the same or fall from one clip to the next`() throws {
    let part = DrawnClips.Part("a", DrawnClips.moving(2))
    let stills = DrawnClips.Part(stills: DrawnClips.moving(2))
    #expect(try plan([part, part, stills, part]).finish().predictions.count == 8)
  }

  @Test(arguments: [Int64.max, .min, 1 << 53])
  func `times beyond all clocks make no dataset`(time: Int64) throws {
    var part = DrawnClips.Part("a", DrawnClips.moving(3))
    part.microseconds = time < 0 ? [time, 0, 1] : [-1, 0, time]
    let error = #expect(throws: FileError.self) { try plan([part], .video) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.hasSuffix("found \(time)") == true)
    #expect(try folder.names.isEmpty)
  }

  @Test func `a track goes on over broken images as if they were not there`() throws {
    var part = DrawnClips.Part("a", DrawnClips.moving(24))
    let broken: Set = [0, 7, 8, 23]
    for frame in broken { part.images[frame].isBroken = true }
    var plan = try plan([part])
    plan.maxBadFrames = 4
    let (record, predictions) = try plan.finish()
    #expect(record.dataset.badFrames == 4)
    #expect(Set(predictions.indices.filter { predictions[$0].status == .broken }) == broken)
    let whole = try self.plan([part.without(broken)], as: "whole").finish().predictions
    #expect(predictions.filter { $0.status == .analysed }.map(\.content) == whole.map(\.content))
    #expect(predictions[9].faces.map(\.isTracked) == [true])
    plan.maxBadFrames = 3
    plan.replaces = true
    #expect(plan.failure()?.description.contains("found 4, the last in frame 23 'a/23'") == true)
  }

  @Test func `a face that leaves is lost, and found again by the detector`() throws {
    let images = DrawnClips.moving(10) + DrawnClips.empty(6) + DrawnClips.moving(10, from: 3)
    let (record, predictions) = try plan([.init("a", images)]).finish()
    #expect(predictions[10..<16].allSatisfy { $0.faces.isEmpty })
    #expect(predictions[11...16].allSatisfy { $0.detectorRan })
    #expect(predictions[16].faces.map(\.isTracked) == [false])
    #expect(predictions[17...].allSatisfy { !$0.detectorRan })
    #expect(record.value("tracking.longest_gap_ms") != nil)
  }

  @Test func `ios gives image mode's faces in every frame of a clip`() throws {
    let parts = [
      DrawnClips.Part("a", DrawnClips.moving(12) + DrawnClips.empty(2)),
      DrawnClips.Part("b", DrawnClips.moving(6, from: 4)),
    ]
    var ios = try plan(parts)
    ios.settings.compatibility = .ios
    let (record, predictions) = try ios.finish()
    let image = try plan(parts, .image).finish().predictions
    #expect(predictions.map(\.content) == image.map(\.content))
    #expect(predictions.allSatisfy { $0.detectorRan })
    #expect(predictions.flatMap(\.faces).allSatisfy { !$0.isTracked })
    #expect(predictions.flatMap(\.faces).allSatisfy { $0.points == $0.unsmoothedPoints })
    #expect(record.value("tracking.detector_rate") == 1)
    #expect(record.value("jitter.static") == record.value("jitter.static.unsmoothed"))
    #expect(record.value("detection.recall@score") != nil)
  }
}

extension FramePrediction {
  /// The prediction without its position and its times.
  var content: FramePrediction {
    var content = self
    content.frame = 0
    content.stageNanoseconds = []
    return content
  }
}
