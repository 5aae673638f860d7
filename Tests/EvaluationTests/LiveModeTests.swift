import Datasets
import FaceCore
import FacePipeline
import Foundation
import Imaging
import Records
import Running
import Scoring
import Synchronization
import TestSupport
import Testing

/// A clock that is simulated, with an analysis of known cost: time goes on only while somebody sleeps or works.
///
/// Frames are offered exactly when they are due, so that which ones are dropped follows from the cost alone.
private final class SimulatedLive: LiveTiming {
  private let cost: UInt64
  private let frames: Int
  private let condition = NSCondition()
  // Safety: every access holds the condition's lock.
  nonisolated(unsafe) private var now: UInt64 = 1_000_000_000
  nonisolated(unsafe) private var offered = 0
  nonisolated(unsafe) private var settled = 0
  nonisolated(unsafe) private var analysisEnds: UInt64?

  /// - Parameters:
  ///   - frames: How many frames will be offered.
  ///   - milliseconds: How long an analysis takes.
  init(frames: Int, milliseconds: Double = 0) {
    self.frames = frames
    cost = UInt64(milliseconds * 1e6)
  }

  func nanoseconds() -> UInt64 { condition.withLock { now } }

  func sleep(until moment: UInt64) {
    condition.withLock {
      while now < moment {
        if offered == settled {
          now = moment
        } else if let end = analysisEnds, end > now {
          now = min(end, moment)
          condition.broadcast()
        } else {
          condition.wait()
        }
      }
    }
  }

  func willOffer() { condition.withLock { offered += 1 } }

  func willAnalyse(timestampMicroseconds: Int64) {
    condition.withLock {
      let end = now + cost
      // After the last offer nobody sleeps any more.
      if offered == frames { now = end }
      analysisEnds = end
      condition.broadcast()
      while now < end {
        if offered == frames { now = end } else { _ = condition.wait(until: .now + 0.05) }
      }
      analysisEnds = nil
    }
  }

  func didSettle(_ frames: Int) {
    condition.withLock {
      settled += frames
      condition.broadcast()
    }
  }

  /// Which of the frames are analysed, by hand: the newest that is there when the landmarker is free.
  static func analysed(dueMilliseconds due: [Double], cost: Double) -> [Int] {
    var analysed = [0]
    var free = due[0] + cost
    while let last = analysed.last, last + 1 < due.count {
      let waiting = due.lastIndex { $0 <= free } ?? last
      let next = waiting > last ? waiting : last + 1
      analysed.append(next)
      free = max(free, due[next]) + cost
    }
    return analysed
  }
}

/// Clips at their own pace, by a simulated clock; and by the machine's, where order and sums are what counts.
@Suite(
  .serialized, .enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"))
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

  @Test(arguments: [nil, 128] as [Int?])
  func `a slow clip loses no frame and equals video mode`(minDecodedSide: Int?) throws {
    var second = DrawnClips.Part("b", DrawnClips.moving(4, from: 2), framesPerSecond: 4)
    second.microseconds = second.microseconds.map { $0 + 3_000_000_000 }
    second.images[2].isBroken = true
    let parts = [
      DrawnClips.Part(stills: DrawnClips.moving(2)),
      DrawnClips.Part("a", DrawnClips.moving(8), framesPerSecond: 4), second,
      DrawnClips.Part(stills: DrawnClips.moving(1)),
    ]
    var live = try plan(parts)
    var video = try plan(parts, .video)
    live.maxBadFrames = 1
    live.minDecodedSide = minDecodedSide
    video.minDecodedSide = minDecodedSide
    live.liveTiming = SimulatedLive(frames: 11)
    video.maxBadFrames = 1
    let (record, predictions) = try live.finish()
    let offline = try video.finish()
    #expect(predictions.untimed == offline.predictions.untimed)
    let ofTheClock = [
      "behind_clock_ms.p95", "behind_clock_ms.max", "undecoded_frames", "clip_overrun_ms.max",
    ]
    #expect(
      record.accuracy.filter { !ofTheClock.map { "tracking.\($0)" }.contains($0.name) }
        == offline.record.accuracy)
    #expect(record.value("tracking.dropped_frames") == 0)
    #expect(record.value("tracking.undecoded_frames") == 0)
    #expect(record.value("tracking.behind_clock_ms.max") == 0)
    #expect(record.measurement("tracking.behind_clock_ms.p95")?.n == 11)
    #expect(record.measurement("tracking.clip_overrun_ms.max")?.n == 2)
    #expect(record.value("tracking.clip_overrun_ms.max") == 0)
    #expect(!record.notes.contains { $0.contains("dropped") })
    for prediction in predictions where prediction.status == .analysed {
      let stages = zip(FacePipeline.PipelineStage.allCases, prediction.stageNanoseconds)
      let times = Dictionary(uniqueKeysWithValues: stages.map { ($0, $1) })
      let total = try #require(times[.total].flatMap { $0 })
      let parts = times.filter { $0.key != .total }.values.compactMap { $0 }
      let decoding = try #require(times[.decode].flatMap { $0 })
      #expect(decoding > 0)
      #expect(parts.reduce(0, +) <= total)
    }
  }

  @Test(arguments: [40.1, 18.1, 200.3])
  func `which frames are dropped follows from the times and the cost of an analysis`(
    cost: Double
  ) throws {
    var plan = try plan([.init("a", DrawnClips.moving(60), framesPerSecond: 60)])
    plan.liveTiming = SimulatedLive(frames: 60, milliseconds: cost)
    let (record, predictions) = try plan.finish()
    #expect(predictions.map(\.frame) == Array(0..<60))
    let due = (0..<60).map { Double(Int64(Double($0) * 1e6 / 60)) / 1000 }
    let expected = SimulatedLive.analysed(dueMilliseconds: due, cost: cost)
    #expect(expected.count < 60)
    #expect(predictions.filter { $0.status == .analysed }.map(\.frame) == expected)
    #expect(record.value("tracking.dropped_frames") == Double(60 - expected.count))
    #expect(record.value("tracking.behind_clock_ms.max") == 0)
    #expect(record.value("tracking.undecoded_frames") == 0)
    // The landmarker is free after each analysis; the last frame's begins when it is due, or then.
    var free = 0.0
    for frame in expected { free = max(free, due[frame]) + cost }
    let overrun = try #require(record.value("tracking.clip_overrun_ms.max"))
    #expect(abs(overrun - (free - due[59])) < 0.01)
    #expect(record.notes.contains { $0.contains("The last result of a clip came up to ") })
  }

  /// The clip takes a second; decoding and analysing each of its frames takes several on two loaded cores.
  @Test func `a clip under four busy loops lasts as long as its frames' times and the last frame`()
    throws
  {
    var pixels = PixelBuffer(width: 1920, height: 1080, color: RGB(90, 120, 150))
    for step in 0..<2000 {
      let at = Double(step * 37 % 1900)
      pixels.stroke(
        BoundingBox(x: at, y: Double(step * 91 % 1060), width: 20, height: 20),
        color: RGB(UInt8(step % 256), 200, UInt8(step * 7 % 256)))
    }
    let image = try pixels.jpegBytes(quality: 95)
    let writer = try DatasetWriter(folder.file("fast.h5"), name: "fast", replacing: true)
    writer.beginSequence(SequenceDescription(name: "fast", kind: .video))
    for frame in 0..<120 {
      try writer.add(
        name: "\(frame)", image: image, size: pixels.size,
        timestampMicroseconds: Int64(frame) * 8333, faces: [])
    }
    try writer.finish()
    var plan = EvaluationPlan.test(folder.file("fast.h5"), run: "fast")
    plan.settings.runningMode = .live
    let isOver = Atomic(false)
    let loops = (0..<4).map { _ in Thread { while !isOver.load(ordering: .relaxed) {} } }
    for loop in loops { loop.start() }
    defer { isOver.store(true, ordering: .relaxed) }
    let (record, predictions) = try plan.finish()
    #expect(predictions.map(\.frame) == Array(0..<120))
    let analysed = predictions.filter { $0.status == .analysed }.count
    let dropped = try #require(record.value("tracking.dropped_frames"))
    #expect(dropped > 0 && analysed > 0 && Double(analysed) + dropped == 120)
    #expect(predictions[119].status == .analysed)
    // At its end a run waits for the last offer, for the analysis in flight and for its own; the rest is for threads that
    // get no processor.
    let overrun = try #require(record.value("tracking.clip_overrun_ms.max"))
    let late = try #require(record.value("tracking.behind_clock_ms.max"))
    let slowest = try #require(record.value("latency.total.max"))
    #expect(overrun <= late + 2 * slowest + 500, "\(overrun), \(late), \(slowest)")
  }

  @Test func `frames that come too fast are dropped and counted`() throws {
    // A microsecond apart, which no machine keeps.
    var part = DrawnClips.Part("a", DrawnClips.moving(120), framesPerSecond: 1e6)
    part.images[0].isBroken = true
    var plan = try plan([part])
    plan.maxBadFrames = 1
    let (record, predictions) = try plan.finish()
    #expect(predictions.map(\.frame) == Array(0..<120))
    let dropped = Set(predictions.filter { $0.status == .dropped }.map(\.frame))
    #expect(!dropped.isEmpty)
    #expect(predictions[0].status == .broken && predictions[119].status == .analysed)
    let count = try #require(record.measurement("tracking.dropped_frames"))
    #expect(count.value == Double(dropped.count))
    #expect(record.notes.contains { $0.hasPrefix("Live mode dropped \(dropped.count) frame") })
    #expect(record.notes.contains { $0.hasPrefix("The clips ran on their own clock: ") })
    #expect(record.measurement("latency.total.mean")?.n == 119 - dropped.count)
    #expect(record.dataset.frames == 120 && record.dataset.badFrames == 1)
    for frame in dropped {
      #expect(predictions[frame].faces.isEmpty && predictions[frame].size == nil)
    }
    let passedOver = try #require(record.value("tracking.undecoded_frames"))
    #expect(passedOver <= Double(dropped.count))
    #expect(
      record.measurement("tracking.behind_clock_ms.max")?.n == 119 - Int(passedOver))

    let kept = part.without(dropped.union([0]))
    let offline = try self.plan([kept], .video, as: "kept").finish().predictions
    #expect(predictions.filter { $0.status == .analysed }.map(\.content) == offline.map(\.content))
  }

  @Test func `more frames than a segment holds are written in order`() throws {
    let part = DrawnClips.Part("a", DrawnClips.moving(300), framesPerSecond: 20_000)
    let predictions = try plan([part, part]).finish().predictions
    #expect(predictions.map(\.frame) == Array(0..<600))
    #expect(predictions[300].status == .analysed && predictions[300].detectorRan)
  }

  @Test func `an interrupted live run cannot be resumed and leaves nothing`() throws {
    var plan = try plan([.init("a", DrawnClips.moving(40), framesPerSecond: 1)])
    plan.liveTiming = SimulatedLive(frames: 40)
    let error = plan.failure(monitor: .interrupting(after: 5))
    #expect(error?.kind == .interrupted)
    let message = try #require(
      error?.description.wholeMatch(
        of:
          /interrupted after (\d+) of 40 frames; a live run cannot be resumed, so nothing is kept/)
    )
    #expect(5..<40 ~= Int(message.1) ?? 0)
    #expect(try folder.names == ["clips.h5"])
    var again = plan
    again.settings.runningMode = .video
    #expect(try again.finish().predictions.count == 40)
  }

  @Test func `one broken image too many ends a live run and leaves nothing`() throws {
    var part = DrawnClips.Part("a", DrawnClips.moving(30), framesPerSecond: 1000)
    // The last frame is never passed over.
    part.images[29].isBroken = true
    let error = try plan([part]).failure()
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("found 1, the last in frame 29 'a/29'") == true)
    #expect(try folder.names == ["clips.h5"])
  }
}
