import Checking
import FaceCore
import Foundation
import Records
import Testing

/// Clips in which the tracker has another face than the person's own in some frames.
struct FollowedFaceTests {
  /// Where the face is at a time; none of its motion repeats.
  private func box(_ time: Double) -> BoundingBox {
    BoundingBox(
      x: 250 + 50 * sin(time / 11) + 20 * sin(time / 4.3) + 30 * sin(time / 29),
      y: 180 + 30 * sin(time / 7) + 20 * sin(time / 23), width: 100, height: 110)
  }

  @Test(arguments: [34, 90, 184])
  func `a false face in one frame makes no steps of a constant shift`(stray: Int) throws {
    let frames = (0..<200).map { index in
      let time = Double(index)
      var seen = box(time - 3)
      seen.x += sin(0.731 * time * time)
      if index == stray { seen = BoundingBox(x: 10, y: 360, width: 90, height: 100) }
      return MadeRecording.frame(
        index, labels: [MadeRecording.label(box(time))], faces: [MadeRecording.face(seen)])
    }
    let found = TimeShiftCheck.findings(in: MadeRecording.sample(frames, format: "csv"))
    #expect(found.map(\.name) == ["time.shift"])
    let finding = try #require(found.first)
    #expect(finding.remedy?.contains("--offset -3f") == true)
    #expect((finding.after ?? 1) < 0.05)
  }

  @Test(arguments: [24, 30, 32])
  func `a face that is lost until the end of a clip is no shift`(lost: Int) {
    let frames = (0..<200).map { index in
      let time = Double(index)
      let isLost = index >= 200 - lost
      var seen = isLost ? BoundingBox(x: 10, y: 360, width: 90, height: 100) : box(time)
      seen.x += (isLost ? 2 : 1) * sin(0.731 * time * time)
      return MadeRecording.frame(
        index, labels: [MadeRecording.label(box(time))], faces: [MadeRecording.face(seen)])
    }
    let found = TimeShiftCheck.findings(in: MadeRecording.sample(frames, format: "csv"))
    #expect(found.isEmpty, "\(found.map(\.summary))")
  }

  @Test(arguments: [(240.0, true), (30.0, false)])
  func `late by less than smoothing costs is a note, by the times of the frames`(
    hertz: Double, isNote: Bool
  ) throws {
    let frames = (0..<200).map { index in
      let time = Double(index)
      var seen = box(time - 6)
      seen.x += sin(0.731 * time * time)
      let made = MadeRecording.frame(
        index, labels: [MadeRecording.label(box(time))], faces: [MadeRecording.face(seen)])
      var frame = made.frame
      frame.timestampMicroseconds = Int64(time * 1e6 / hertz)
      return JoinedFrame(
        frame: frame, isVideo: true, labels: made.labels, prediction: made.prediction)
    }
    let found = TimeShiftCheck.findings(in: MadeRecording.sample(frames, format: "csv"))
    #expect(found.map(\.name) == ["time.shift"])
    let finding = try #require(found.first)
    #expect(finding.severity == (isNote ? .note : .suspect))
    #expect(finding.remedy?.contains("--offset -6f") == true)
    #expect(finding.remedy?.contains("--accept") == !isNote)
  }
}
