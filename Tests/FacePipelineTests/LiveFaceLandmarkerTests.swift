import FacePipeline
import Foundation
import Imaging
import Synchronization
import TestSupport
import Testing

/// Live mode on synthetic frames with a real detector; a gate before the analysis makes the load exact.
@Suite(
  .enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct LiveFaceLandmarkerTests {
  /// Lets frames through one by one, and tells which have come.
  private final class Gate: Sendable {
    private let permits = DispatchSemaphore(value: 0)
    private let arrivals = Mutex<[Int64]>([])
    let (arrived, continuation) = AsyncStream.makeStream(of: Int64.self)

    func pass(_ time: Int64) {
      arrivals.withLock { $0.append(time) }
      continuation.yield(time)
      permits.wait()
    }

    func open(_ count: Int = 1) { for _ in 0..<count { permits.signal() } }

    var seen: [Int64] { arrivals.withLock { $0 } }
  }

  /// A landmarker with its results as a stream, which ends when the landmarker does.
  private struct Live {
    let landmarker: LiveFaceLandmarker
    let results: AsyncStream<LiveResult>

    init(
      _ models: FaceLandmarkerModels, _ options: FaceLandmarkerOptions, _ gate: Gate?
    ) throws {
      let (results, continuation) = AsyncStream.makeStream(of: LiveResult.self)
      self.results = results
      landmarker = try LiveFaceLandmarker(models, options: options) {
        gate?.pass($0)
      } resultListener: {
        continuation.yield($0)
      } ended: {
        continuation.finish()
      }
    }

    var droppedCount: Int { landmarker.droppedCount }

    func offer(
      _ image: PixelBuffer, timestampMicroseconds: Int64, rotationDegrees: Int = 0
    ) throws {
      try landmarker.offer(
        image, timestampMicroseconds: timestampMicroseconds, rotationDegrees: rotationDegrees)
    }

    func finish() { landmarker.finish() }
  }

  private func live(
    _ gate: Gate?, change: (inout FaceLandmarkerOptions) -> Void = { _ in }
  ) throws -> Live {
    var options = FaceLandmarkerOptions.everything
    options.runningMode = .live
    change(&options)
    return try Live(
      FaceLandmarkerModels(detector: .shortRange, from: PulledModels.folder), options, gate)
  }

  private let grey = PixelBuffer(width: 64, height: 48, color: RGB(128, 128, 128))

  private func times(_ live: Live) async -> [Int64] {
    await live.results.reduce(into: []) { $0.append($1.timestampMicroseconds) }
  }

  @Test func `of a hundred frames at once the first and the last are analysed`() async throws {
    let gate = Gate()
    let live = try live(gate)
    for time in 0..<100 { try live.offer(grey, timestampMicroseconds: Int64(time)) }
    live.finish()
    #expect(live.droppedCount == 98)
    gate.open(2)
    var results: [LiveResult] = []
    for await result in live.results { results.append(result) }
    #expect(results.map(\.timestampMicroseconds) == [0, 99])
    #expect(results.map(\.droppedTimestamps) == [[], Array(1...98)])
    #expect(gate.seen == [0, 99])
    #expect(live.droppedCount == 98)
  }

  @Test func `a consumer that keeps pace loses nothing`() async throws {
    let live = try live(nil)
    var iterator = live.results.makeAsyncIterator()
    for time in 1...20 {
      try live.offer(grey, timestampMicroseconds: Int64(time) * 33_000)
      let result = try #require(await iterator.next())
      #expect(result.timestampMicroseconds == Int64(time) * 33_000)
      #expect(result.droppedTimestamps.isEmpty)
      let frame = try result.outcome.get()
      #expect(frame.detectorRan && frame.faces.isEmpty)
      #expect(frame.timestampMicroseconds == result.timestampMicroseconds)
      #expect(result.stageNanoseconds[PipelineStage.detectInfer.rawValue] != nil)
      #expect(result.stageNanoseconds[PipelineStage.total.rawValue] != nil)
      #expect(result.stageNanoseconds[PipelineStage.decode.rawValue] == nil)
    }
    live.finish()
    #expect(await iterator.next() == nil)
    #expect(live.droppedCount == 0)
  }

  @Test func `the newest waiting frame is taken each time one is done`() async throws {
    let gate = Gate()
    let live = try live(gate)
    var arrivals = gate.arrived.makeAsyncIterator()
    try live.offer(grey, timestampMicroseconds: 0)
    #expect(await arrivals.next() == 0)
    for time in 1...5 { try live.offer(grey, timestampMicroseconds: Int64(time)) }
    gate.open()
    #expect(await arrivals.next() == 5)
    for time in 6...7 { try live.offer(grey, timestampMicroseconds: Int64(time)) }
    gate.open()
    #expect(await arrivals.next() == 7)
    gate.open()
    live.finish()
    #expect(await times(live) == [0, 5, 7])
    #expect(live.droppedCount == 5)
  }

  @Test func `finish lets the waiting frame through and then no more`() async throws {
    let gate = Gate()
    let live = try live(gate)
    try live.offer(grey, timestampMicroseconds: 10)
    try live.offer(grey, timestampMicroseconds: 20)
    live.finish()
    live.finish()
    let error = #expect(throws: FaceLandmarkerError.self) {
      try live.offer(grey, timestampMicroseconds: 30)
    }
    #expect(error?.kind == .finished)
    #expect(
      error?.description
        == "cannot take the frame at 30 µs: expected a live landmarker, found a finished one")
    gate.open(2)
    #expect(await times(live) == [10, 20])
    #expect(live.droppedCount == 0)
  }

  @Test func `finish without frames ends the results`() async throws {
    let live = try live(nil)
    live.finish()
    #expect(await times(live) == [])
  }

  @Test func `results end when the landmarker is gone`() async throws {
    let gate = Gate()
    let results = try {
      let live = try live(gate)
      try live.offer(grey, timestampMicroseconds: 1)
      return live.results
    }()
    gate.open()
    var count = 0
    for await _ in results { count += 1 }
    #expect(count == 1)
  }

  @Test func `time that does not grow is refused, dropped frames counted in`() async throws {
    let gate = Gate()
    let live = try live(gate)
    for time in [5, 6, 7] as [Int64] { try live.offer(grey, timestampMicroseconds: time) }
    for time in [7, 6, 5, -1] as [Int64] {
      let error = #expect(throws: FaceLandmarkerError.self) {
        try live.offer(grey, timestampMicroseconds: time)
      }
      #expect(error?.kind == .timestamp)
      #expect(error?.description.contains("monotonically increasing") == true)
    }
    gate.open(2)
    live.finish()
    #expect(await times(live) == [5, 7])
  }

  @Test func `a broken image is an outcome and the next frame goes on`() async throws {
    let live = try live(nil)
    var iterator = live.results.makeAsyncIterator()
    try live.offer(PixelBuffer(), timestampMicroseconds: 1)
    guard case .failure(let error)? = await iterator.next()?.outcome else {
      Issue.record("an empty image passes")
      return
    }
    #expect(error.description.hasPrefix("cannot crop image"))
    try live.offer(grey, timestampMicroseconds: 2)
    #expect(try await iterator.next()?.outcome.get().detectorRan == true)
  }

  @Test func `frames from many threads come out in the order of time`() async throws {
    let live = try live(nil)
    let state = Mutex((time: Int64(0), accepted: 0))
    DispatchQueue.concurrentPerform(iterations: 200) { _ in
      let time = state.withLock { state in
        state.time += 1
        return state.time
      }
      if (try? live.offer(grey, timestampMicroseconds: time)) != nil {
        state.withLock { $0.accepted += 1 }
      }
    }
    live.finish()
    var results: [LiveResult] = []
    for await result in live.results { results.append(result) }
    let analysed = results.map(\.timestampMicroseconds)
    #expect(analysed == analysed.sorted())
    let dropped = results.flatMap(\.droppedTimestamps)
    #expect(dropped.count == live.droppedCount)
    let accepted = state.withLock(\.accepted)
    #expect(analysed.count + dropped.count == accepted)
    #expect(Set(analysed).isDisjoint(with: dropped))
  }

  @Test(arguments: [RunningMode.image, .video])
  func `another mode is refused`(mode: RunningMode) throws {
    let error = #expect(throws: FaceLandmarkerError.self) {
      try live(nil) { $0.runningMode = mode }
    }
    #expect(
      error?.description
        == "cannot start live mode: expected running mode live, found \(mode.rawValue)")
  }

  @Test func `an angle that is no multiple of 90 degrees is refused at the offer`() throws {
    let live = try live(nil)
    #expect(throws: FaceLandmarkerError.self) {
      try live.offer(grey, timestampMicroseconds: 1, rotationDegrees: 45)
    }
  }

  /// Without drops live mode is video mode.
  @Test(.enabled(if: Shared.isAvailable, "needs the shared golden files and models"))
  func `a clip at leisure has the results of video mode`() async throws {
    let clip = try GoldenClip("video_2faces")
    var options = clip.landmarkerOptions
    let models = try FaceLandmarkerModels(detector: .shortRange, from: Shared.bundle)
    let video = try FaceLandmarker(models, options: options)
    options.runningMode = .live
    let live = try Live(models, options, nil)
    var iterator = live.results.makeAsyncIterator()
    for (frame, image) in zip(clip.frames, try clip.images()) {
      try live.offer(image, timestampMicroseconds: frame.timestamp_ms * 1000)
      let result = try #require(await iterator.next())
      let expected = try video.faces(in: image, milliseconds: frame.timestamp_ms)
      #expect(try result.outcome.get() == expected)
    }
  }
}
