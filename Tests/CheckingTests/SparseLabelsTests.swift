import Checking
import FaceCore
import Foundation
import Records
import Testing

/// A clip of which only every third frame is labelled.
struct SparseLabelsTests {
  /// What is found of time where predictions lead the labels by some frames.
  private func found(lead: Double) -> [Finding] {
    let frames = (0..<240).map { index in
      let time = Double(index)
      let label = MadeRecording.label(box(time))
      var seen = box(time + lead)
      seen.x += sin(0.731 * time * time)
      let whole = MadeRecording.frame(index, labels: [label], faces: [MadeRecording.face(seen)])
      guard index % 3 > 0 else { return whole }
      return JoinedFrame(
        frame: whole.frame, isVideo: true, labels: [], prediction: whole.prediction,
        ignored: [.unlabelled(whole.frame.size)])
    }
    return TimeShiftCheck.findings(in: MadeRecording.sample(frames, format: "csv"))
  }

  /// Where the face is at a time; none of its motion repeats.
  private func box(_ time: Double) -> BoundingBox {
    BoundingBox(
      x: 250 + 50 * sin(time / 11) + 20 * sin(time / 4.3) + 30 * sin(time / 29),
      y: 180 + 30 * sin(time / 7) + 20 * sin(time / 23), width: 100, height: 110)
  }

  @Test(arguments: [0, 0.5, 0.75, 0.8])
  func `labels that are late by a part of a frame draw no finding`(lead: Double) {
    let findings = found(lead: lead)
    #expect(findings.isEmpty, "\(findings.map(\.summary))")
  }

  @Test func `predictions that are a frame early or three frames late are shifted`() {
    #expect(found(lead: 1).first?.remedy?.contains("--offset 1f") == true)
    #expect(found(lead: -3).first?.remedy?.contains("--offset -3f") == true)
  }
}
