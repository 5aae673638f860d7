import Checking
import FaceCore
import Records
import Testing

/// Times that `track` found to be in another unit.
struct LatencyCheckTests {
  private func sample(unit: Double?) -> JoinedSample {
    let size = ImageSize(width: 640, height: 480)
    let frames = (0..<30).map { index in
      JoinedFrame(
        frame: Frame(
          index: index, name: "\(index)", sequence: 0, timestampMicroseconds: 0, size: size),
        isVideo: false, labels: [],
        prediction: FramePrediction(
          frame: index, size: size, stageNanoseconds: [nil, UInt64(3900 + index)], detections: [],
          candidates: [], faces: []))
    }
    return JoinedSample(
      frames: frames, isWhole: true, format: "x", scheme: nil, hasScores: false, timesUnit: unit)
  }

  @Test func `times in microseconds are suspect with both medians`() throws {
    let finding = try #require(LatencyCheck.findings(in: sample(unit: 1000)).first)
    #expect(finding.name == "latency.unit" && finding.severity == .suspect)
    #expect(finding.summary.contains("1000 times shorter than the answers took"))
    #expect(finding.summary.contains("microseconds"))
    let (before, after) = (try #require(finding.before), try #require(finding.after))
    #expect(abs(before - 0.003915) < 1e-5 && abs(after - 3.915) < 0.01)
    #expect(finding.remedy?.contains("nanoseconds") == true)
  }

  @Test func `times that nothing speaks against are none`() {
    #expect(LatencyCheck.findings(in: sample(unit: nil)).isEmpty)
  }
}
