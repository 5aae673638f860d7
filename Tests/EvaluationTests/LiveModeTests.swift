import Evaluation
import FaceCore
import FacePipeline
import Foundation
import Records
import Synchronization
import TestSupport
import Testing

/// Clips at their own pace; a pace that no machine keeps stands for a slow machine.
@Suite(
  .serialized, .enabled(if: PulledModels.giveLandmarks, "needs the nets of 'models pull'"))
struct LiveModeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func plan(
    _ parts: [DrawnClips.Part], _ mode: RunningMode = .live, as name: String = "clips"
  ) throws -> EvaluationPlan {
    var plan = EvaluationPlan.test(
      try DrawnClips.write(parts, as: "\(name).h5", in: folder), run: "\(name) \(mode.rawValue)")
    plan.settings.runningMode = mode
    return plan
  }

  @Test func `a slow clip loses no frame and equals video mode`() throws {
    var second = DrawnClips.Part("b", DrawnClips.moving(4, from: 2), framesPerSecond: 4)
    second.microseconds = second.microseconds.map { $0 + 3_000_000_000 }
    second.pictures[2].isBroken = true
    let parts = [
      DrawnClips.Part(stills: DrawnClips.moving(2)),
      DrawnClips.Part("a", DrawnClips.moving(8), framesPerSecond: 4), second,
      DrawnClips.Part(stills: DrawnClips.moving(1)),
    ]
    var live = try plan(parts)
    var video = try plan(parts, .video)
    live.maxBadFrames = 1
    video.maxBadFrames = 1
    let clock = ContinuousClock()
    let start = clock.now
    let (record, predictions) = try live.finish()
    #expect(clock.now - start >= .milliseconds(7 * 250 + 3 * 250))
    let offline = try video.finish()
    #expect(predictions.untimed == offline.predictions.untimed)
    #expect(record.accuracy == offline.record.accuracy)
    #expect(record.value("tracking.dropped_frames") == 0)
    #expect(!record.notes.contains { $0.contains("dropped") })
    for prediction in predictions where prediction.status == .analysed {
      let stages = zip(FacePipeline.PipelineStage.allCases, prediction.stageNanoseconds)
      let times = Dictionary(uniqueKeysWithValues: stages.map { ($0, $1) })
      let total = try #require(times[.total] ?? nil)
      let parts = times.filter { $0.key != .total }.values.compactMap { $0 }
      let decoding = try #require(times[.decode] ?? nil)
      #expect(decoding > 0)
      #expect(parts.reduce(0, +) <= total)
    }
  }

  @Test func `frames that come too fast are dropped and counted`() throws {
    var part = DrawnClips.Part("a", DrawnClips.moving(120), framesPerSecond: 5000)
    part.pictures[50].isBroken = true
    var plan = try plan([part])
    plan.maxBadFrames = 1
    let (record, predictions) = try plan.finish()
    #expect(predictions.map(\.frame) == Array(0..<120))
    let dropped = Set(predictions.filter { $0.status == .dropped }.map(\.frame))
    #expect(!dropped.isEmpty)
    #expect(predictions[50].status == .broken)
    #expect(predictions[0].status == .analysed && predictions[119].status == .analysed)
    let count = try #require(record.measurement("tracking.dropped_frames"))
    #expect(count.value == Double(dropped.count))
    #expect(record.notes.contains { $0.hasPrefix("Live mode dropped \(dropped.count) frame") })
    #expect(record.measurement("latency.total.mean")?.n == 119 - dropped.count)
    #expect(record.dataset.frames == 120 && record.dataset.badFrames == 1)
    for frame in dropped {
      #expect(predictions[frame].faces.isEmpty && predictions[frame].size == nil)
    }

    let kept = part.without(dropped.union([50]))
    let offline = try self.plan([kept], .video, as: "kept").finish().predictions
    #expect(predictions.filter { $0.status == .analysed }.map(\.content) == offline.map(\.content))
  }

  @Test func `more frames than a segment holds are written in order`() throws {
    let part = DrawnClips.Part("a", DrawnClips.moving(300), framesPerSecond: 20_000)
    let predictions = try plan([part, part]).finish().predictions
    #expect(predictions.map(\.frame) == Array(0..<600))
    #expect(predictions[300].status == .analysed && predictions[300].detectorRan)
  }

  @Test func `an interrupted live run says that it is over and leaves nothing`() throws {
    let plan = try plan([.init("a", DrawnClips.moving(40), framesPerSecond: 1)])
    let clock = ContinuousClock()
    let isEvaluating = Mutex<ContinuousClock.Instant?>(nil)
    let monitor = RunMonitor(
      begin: { name, _ in
        if name == "evaluating" { isEvaluating.withLock { $0 = clock.now } }
      },
      advanceBy: { _ in },
      isInterrupted: {
        isEvaluating.withLock { $0 }.map { clock.now - $0 > .milliseconds(1500) } ?? false
      })
    let start = clock.now
    let error = plan.failure(monitor: monitor)
    #expect(clock.now - start < .seconds(20))
    #expect(error?.kind == .interrupted)
    #expect(
      error?.description.wholeMatch(
        of: /interrupted after \d+ of 40 frames; a live run cannot go on later, so nothing is kept/)
        != nil, "\(error?.description ?? "")")
    #expect(try folder.names == ["clips.h5"])
    var again = plan
    again.settings.runningMode = .video
    #expect(try again.finish().predictions.count == 40)
  }

  @Test func `one broken picture too many ends a live run and leaves nothing`() throws {
    var part = DrawnClips.Part("a", DrawnClips.moving(30), framesPerSecond: 1000)
    part.pictures[3].isBroken = true
    let error = try plan([part]).failure()
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("found 1, the last in frame 3 'a/3'") == true)
    #expect(try folder.names == ["clips.h5"])
  }
}
