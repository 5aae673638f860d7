import FaceCore
import FacePipeline
import Imaging
import Profiling
import TestSupport
import Testing

/// Results that lend their storage to the next frame.
@Suite(.enabled(if: Shared.isAvailable, "needs the shared golden files and models"))
struct ReusedResultTests {
  private static func landmarker(_ clip: GoldenClip) throws -> FaceLandmarker {
    try FaceLandmarker(
      FaceLandmarkerModels(detector: .shortRange, from: Shared.bundle),
      options: clip.landmarkerOptions)
  }

  private static func timer() -> StageTimer {
    var timer = StageTimer(stages: PipelineStage.names)
    timer.detail = .spans
    return timer
  }

  @Test(arguments: GoldenClip.names)
  func `a result that was kept is not changed, and the next one is as if it were new`(
    name: String
  ) throws {
    let clip = try GoldenClip(name)
    let (fresh, reusing) = (try Self.landmarker(clip), try Self.landmarker(clip))
    var timer = Self.timer()
    var reused = FaceLandmarkerResult()
    var (kept, expected): ([FaceLandmarkerResult], [FaceLandmarkerResult]) = ([], [])
    for (frame, image) in zip(clip.frames, try clip.images()) {
      let time = Int64(frame.timestamp_ms) * 1000
      expected.append(
        try fresh.detect(image, timestampMicroseconds: time, timer: &timer))
      try reusing.detect(
        image, timestampMicroseconds: time, into: &reused, timer: &timer)
      // Every third one is given back.
      if kept.count % 3 == 0 { kept.append(FaceLandmarkerResult()) } else { kept.append(reused) }
      #expect(reused == expected.last)
    }
    for index in kept.indices where index % 3 != 0 { #expect(kept[index] == expected[index]) }
    #expect(expected.contains { !$0.faces.isEmpty })
  }

  @Test(
    .enabled(if: AllocationCount.isAvailable, "this build does not count allocations"),
    arguments: GoldenClip.names)
  func `a tracked frame allocates nothing`(name: String) throws {
    let clip = try GoldenClip(name)
    let landmarker = try Self.landmarker(clip)
    var timer = Self.timer()
    var result = FaceLandmarkerResult()
    let images = try clip.images()
    var (tracked, time) = (0, Int64(0))
    for turn in 0..<3 {
      for image in images {
        let before = landmarker.trackingState.regions.count
        timer.beginFrame()
        time += 33_000
        try landmarker.detect(
          image, timestampMicroseconds: time, into: &result, timer: &timer)
        timer.recordTotal(as: PipelineStage.total.rawValue)
        // The same faces as before, and storage for as many from an earlier turn.
        guard turn > 0, !result.detectorRan, result.faces.count == before, result.rejected.isEmpty
        else { continue }
        tracked += 1
        #expect(
          timer.frameAllocations.calls == 0,
          "frame \(time / 33_000): \(zip(timer.stages, timer.allocations).filter { $1 > 0 })")
      }
    }
    if clip.landmarkerOptions.tracks, clip.frames.contains(where: { !$0.detector_ran }) {
      #expect(tracked > 0)
    }
  }
}
